/* fds.h: which descriptors a process of the box holds. */
#ifndef PINFOLD_LINUX_FDS_H
#define PINFOLD_LINUX_FDS_H

#include <stddef.h>

/* Close every descriptor but these; -1 entries are ignored, the order is changed. -1 with errno set. */
int fds_keep(int *keep, size_t count) __attribute__((nonnull, warn_unused_result));

/* Are exactly these open (each of them, and no other)? 0, or -1: EBADF when not, or errno of reading /proc/self/fd. */
int fds_are(const int *expected, size_t count) __attribute__((nonnull, warn_unused_result));

#endif
