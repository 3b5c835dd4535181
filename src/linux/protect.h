/* protect.h: keeps protected paths as they are, and where they are. */
#ifndef PINFOLD_LINUX_PROTECT_H
#define PINFOLD_LINUX_PROTECT_H

#include "linux/mounts.h"

#include <time.h>

/* Mount something on each folder that must not be moved, in a second view of its tree, which then lies at the mount
 * point of /proc, under what comes there. After all mounts but those of /proc. */
int protect_pin(const struct build *build, const struct plan *plan, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));

/* Bind the protected path that `target` is onto itself, read-only. ESTALE: it is another object than was seen. */
int protect_hold(const struct build *build, const struct mount *mount, int target)
    __attribute__((nonnull, warn_unused_result));

/* After the run, which began at `since`: which protected paths are something else on the host now, or gone? The box
 * can't have done that; but what the host put there in the meantime was not held. */
void protect_look_back(struct plan *plan, const struct timespec *since) __attribute__((nonnull));

#endif
