/* fd.c (touching: read and write). */
#include "base/fd.h"

#include <errno.h>

int fd_write_all(int fd, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        ssize_t wrote = write(fd, at, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            if (!wrote)
                errno = EIO;
            return -1;
        }
        at += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

ssize_t fd_read_all(int fd, void *bytes, size_t size) {
    char *at = bytes;
    size_t count = 0;
    while (count < size) {
        ssize_t got = read(fd, at + count, size - count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (!got)
            break;
        count += (size_t)got;
    }
    return (ssize_t)count;
}
