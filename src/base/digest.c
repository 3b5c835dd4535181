/* digest.c (pure). See digest.h. */
#include "base/digest.h"

#include <sha2.h>

void digest_sha256(const void *bytes, size_t size, char hex[65]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX state;
    SHA256Init(&state);
    if (size)
        SHA256Update(&state, bytes, size);
    SHA256Final(digest, &state);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[64] = '\0';
}
