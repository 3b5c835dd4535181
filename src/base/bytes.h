/* bytes.h: a growing row of bytes. Zeroed, it is empty. */
#ifndef PINFOLD_BASE_BYTES_H
#define PINFOLD_BASE_BYTES_H

#include <stddef.h>

struct bytes {
    char *at;
    size_t size, room;
};

/* Room for `more` behind what there is; -1 without memory, and nothing has changed. */
int bytes_reserve(struct bytes *bytes, size_t more) __attribute__((nonnull, warn_unused_result));

/* The same, and they are filled in. */
int bytes_add(struct bytes *bytes, const void *added, size_t size) __attribute__((nonnull(1), warn_unused_result));

/* It is empty again. */
void bytes_free(struct bytes *bytes) __attribute__((nonnull));

#endif
