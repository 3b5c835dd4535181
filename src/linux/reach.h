/* reach.h: can an open file or folder be got at from below another folder, by any name that this host's mounts give it?
 */
#ifndef PINFOLD_LINUX_REACH_H
#define PINFOLD_LINUX_REACH_H

#include "plan/plan.h"

/* 1 when the object behind the descriptor `fd` (O_PATH will do) is `root`, a canonical path, or lies below it, under
 * that name or under another that a mount gives it; 0 when not, or when it has no name; -1 with errno set when that
 * can't be known.
 * Other hard links of a file are not looked for. */
int reach_from(int fd, const char *root) __attribute__((nonnull, warn_unused_result));

/* The same question of all that a box may change on the host; when 1, *root is the granted path. By the mounts that the
 * probe saw. */
int reach_written(int fd, const struct plan *plan, const char **root) __attribute__((nonnull, warn_unused_result));

#endif
