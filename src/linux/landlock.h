/* landlock.h: the second wall around files, and the walls around abstract sockets and signals. */
#ifndef PINFOLD_LINUX_LANDLOCK_H
#define PINFOLD_LINUX_LANDLOCK_H

#include "plan/plan.h"

/* Restrict the calling thread to the plan's mounts, for good. Every right and scope of the kernel's ABI is handled, but
 * TCP and UDP ports: the box's own loopback must be free, and the network namespace is the wall there.
 * -1 with errno set. */
int landlock_apply(const struct plan *plan) __attribute__((nonnull, warn_unused_result));

/* Restrict it to nothing at all: no file, no port, no signal. */
int landlock_close(int abi) __attribute__((warn_unused_result));

#endif
