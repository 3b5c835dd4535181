/* bytes.c (pure): see bytes.h. */
#include "base/bytes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int bytes_reserve(struct bytes *bytes, size_t more) {
    if (bytes->size + more <= bytes->room)
        return 0;
    if (more > SIZE_MAX / 4 - bytes->size)
        return -1;
    size_t room = 2 * (bytes->size + more) + 4096;
    char *at = realloc(bytes->at, room);
    if (!at)
        return -1;
    bytes->at = at;
    bytes->room = room;
    return 0;
}

int bytes_add(struct bytes *bytes, const void *added, size_t size) {
    if (bytes_reserve(bytes, size))
        return -1;
    if (size)
        memcpy(bytes->at + bytes->size, added, size);
    bytes->size += size;
    return 0;
}

void bytes_free(struct bytes *bytes) {
    free(bytes->at);
    *bytes = (struct bytes){0};
}
