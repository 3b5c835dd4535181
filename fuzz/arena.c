/* arena.c: base/arena with a malloc for each piece, so that AddressSanitizer sees what runs over one. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size) {
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t size) {
    char *copy = arena_alloc(arena, size + 1);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_copy(struct arena *arena, const char *text) {
    return arena_copy_bytes(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : arena_alloc(arena, (size_t)size + 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

int list_reserve(struct arena *arena, void **at, size_t *room, size_t count, size_t item) {
    if (count < *room)
        return 0;
    size_t larger = *room ? *room * 2 : 8;
    void *moved = arena_alloc(arena, larger * item);
    if (!moved)
        return -1;
    if (count)
        memcpy(moved, *at, count * item);
    *at = moved;
    *room = larger;
    return 0;
}

void arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}
