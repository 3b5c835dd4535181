/* digest.h: SHA-256, by libmd. */
#ifndef PINFOLD_BASE_DIGEST_H
#define PINFOLD_BASE_DIGEST_H

#include <stddef.h>

/* The SHA-256 of `size` bytes, as 64 lower-case hexadecimal digits and a NUL. `bytes` may be NULL when size is 0. */
void digest_sha256(const void *bytes, size_t size, char hex[65]) __attribute__((nonnull(3)));

#endif
