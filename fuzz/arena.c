/* arena.c: base/arena.c with a malloc for each piece, so that AddressSanitizer sees what runs over one. */
#include "base/arena.h"

#include <stdlib.h>

void *arena_alloc(struct arena *arena, size_t size) {
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

int arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
    return 0;
}
