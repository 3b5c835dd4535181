/* userns.h: the id maps of a box, written from outside. */
#ifndef PINFOLD_LINUX_USERNS_H
#define PINFOLD_LINUX_USERNS_H

#include "plan/plan.h"

#include <sys/types.h>

/* Write setgroups, gid_map and uid_map of `pid`, and make it the first victim when memory runs out. The child must be
 * dumpable. -1 with errno set. */
int userns_map(const struct plan *plan, pid_t pid) __attribute__((nonnull, warn_unused_result));

/* In the box: take the mapped ids of a root caller, and no groups. Others already have theirs. */
int userns_enter(const struct plan *plan) __attribute__((nonnull, warn_unused_result));

#endif
