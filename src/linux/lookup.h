/* lookup.h: opening canonical paths without ever following a symlink. */
#ifndef PINFOLD_LINUX_LOOKUP_H
#define PINFOLD_LINUX_LOOKUP_H

#include <sys/types.h>

/* An O_PATH descriptor of `path`, looked up below `folder` (a descriptor) or, when it is AT_FDCWD, from /. A symlink
 * anywhere in it is ELOOP or ENOTDIR. -1 with errno set. */
int lookup_open(int folder, const char *path) __attribute__((nonnull, warn_unused_result));

/* The same, and it must still be the object that was seen before: else ESTALE. dev and ino 0: any. */
int lookup_open_same(const char *path, dev_t dev, ino_t ino) __attribute__((nonnull, warn_unused_result));

/* Give the owner of the folder `name` in the open folder `at` these rights (of 0700) to it, where they are missing and
 * the caller is the owner. No link is followed, also when another process puts one there meanwhile. -1 with errno. */
int lookup_allow(int at, const char *name, mode_t rights) __attribute__((nonnull, warn_unused_result));

#endif
