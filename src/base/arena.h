/* arena.h: memory of one run. Everything is given back at once; nothing is freed alone. */
#ifndef PINFOLD_BASE_ARENA_H
#define PINFOLD_BASE_ARENA_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

struct arena {
    struct arena_block *blocks; /* newest first */
    bool alone;                 /* set before the first use: no process that is cloned or forked later has it */
};

/* For arena.c alone, and for tests that empty a block to take it again. */
struct arena_block {
    struct arena_block *next;
    size_t size, used;
    alignas(max_align_t) unsigned char bytes[];
};

/* Zeroed memory of `size` bytes, aligned for any type; NULL when there is none. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((nonnull, warn_unused_result));

char *arena_copy(struct arena *arena, const char *text) __attribute__((nonnull, warn_unused_result));
char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t size)
    __attribute__((nonnull, warn_unused_result)); /* adds the final NUL */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((nonnull, warn_unused_result, format(printf, 2, 3)));
int arena_free(struct arena *arena) __attribute__((nonnull)); /* -1: some of it is still there */

/* A growing array in an arena: LIST(int) numbers; int *n = list_add(arena, &numbers); NULL when out of memory. */
#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count, room;                                                                                            \
    }
#define list_add(arena, list)                                                                                          \
    (list_reserve((arena), (void **)&(list)->at, &(list)->room, (list)->count, sizeof *(list)->at)                     \
         ? NULL                                                                                                        \
         : &(list)->at[(list)->count++])

typedef LIST(const char *) text_list;

/* 0, or -1 when out of memory. The text itself is not copied. */
int text_add(struct arena *arena, text_list *list, const char *text) __attribute__((nonnull(1, 2), warn_unused_result));

int list_reserve(struct arena *arena, void **at, size_t *room, size_t count, size_t item)
    __attribute__((nonnull, warn_unused_result));

#endif
