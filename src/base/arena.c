/* arena.c (pure): see arena.h. Blocks double in size; a block is never moved, so pointers stay good.
 * They are shared with the processes that are cloned later, as the plan is; the first one is larger than a run needs,
 * so that a process cloned early has all of it. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <sys/mman.h>

enum { FIRST_BLOCK = 512 * 1024 };

void *arena_alloc(struct arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + align - 1) / align * align;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = block ? block->size * 2 : FIRST_BLOCK - sizeof *block;
        if (room < size)
            room = size;
        block = mmap(NULL, sizeof *block + room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return NULL;
        if (arena->alone && madvise(block, sizeof *block + room, MADV_DONTFORK)) {
            (void)!munmap(block, sizeof *block + room);
            return NULL;
        }
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *result = block->bytes + block->used;
    block->used += size;
    return result;
}

int arena_free(struct arena *arena) {
    int failed = 0;
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        failed |= munmap(block, sizeof *block + block->size);
    }
    return failed;
}
