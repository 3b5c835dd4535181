/* arena.c (pure): see arena.h. Blocks double in size; a block is never moved, so pointers stay good.
 * They come from mmap with their pages mapped: a run uses most of its first block, and faults are dear. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    alignas(max_align_t) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + align - 1) / align * align;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = block ? block->size * 2 : 65536 - sizeof *block;
        if (room < size)
            room = size;
        block =
            mmap(NULL, sizeof *block + room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (block == MAP_FAILED)
            return NULL;
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *result = block->bytes + block->used;
    block->used += size;
    return result;
}

char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t size) {
    char *copy = arena_alloc(arena, size + 1);
    if (copy)
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
        munmap(block, sizeof *block + block->size);
    }
}
