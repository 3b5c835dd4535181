/* arena_again.h: one block for many short-lived arenas, one after the other. A new mapping for each, and its pages,
 * cost several times as much as what a test then does with it. */
#ifndef PINFOLD_TESTS_ARENA_AGAIN_H
#define PINFOLD_TESTS_ARENA_AGAIN_H

#include "base/arena.h"

#include <string.h>

/* Empty, as arena_free makes it, but that the newest block stays, zeroed. */
static inline void arena_again(struct arena *arena) {
    struct arena_block *block = arena->blocks;
    if (!block)
        return;
    struct arena rest = {.blocks = block->next};
    block->next = NULL;
    memset(block->bytes, 0, block->used);
    block->used = 0;
    arena_free(&rest);
}

#endif
