/* merge.c: fuzzes policy/merge: bans are never passed, the workspace's layer never widens. */
#include "random_policy.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    struct arena arena = {0};
    struct bytes bytes = {data, size};
    const char *wrong = random_run(&arena, &bytes);
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    arena_free(&arena);
    return 0;
}
