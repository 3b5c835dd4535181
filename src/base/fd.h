/* fd.h: descriptors that close themselves, and reads and writes that are complete or fail. */
#ifndef PINFOLD_BASE_FD_H
#define PINFOLD_BASE_FD_H

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/* errno stays: what is closed on the way out must not hide why. */
static inline void fd_close(int *fd) {
    int saved = errno;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = saved;
}

/* autoclose int fd = open(...): closed when the block is left. */
#define autoclose __attribute__((cleanup(fd_close)))

/* Take a descriptor out of an autoclose variable: the caller owns it now. */
static inline int fd_take(int *fd) {
    int taken = *fd;
    *fd = -1;
    return taken;
}

/* Write all of it; -1 with errno set when it could not. EINTR is retried. */
int fd_write_all(int fd, const void *bytes, size_t size) __attribute__((nonnull, warn_unused_result));

/* Read until end of file or `size` bytes; the number read, or -1 with errno set. EINTR is retried. */
ssize_t fd_read_all(int fd, void *bytes, size_t size) __attribute__((nonnull, warn_unused_result));

#endif
