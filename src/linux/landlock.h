/* landlock.h: the second wall around files, and the walls around abstract sockets and signals. */
#ifndef PINFOLD_LINUX_LANDLOCK_H
#define PINFOLD_LINUX_LANDLOCK_H

#include "plan/plan.h"

#include <stdint.h>

/* Restrict the calling thread to the plan's mounts, for good. Every right and scope of the kernel's ABI is handled, but
 * TCP and UDP ports: the box's own loopback must be free, and the network namespace is the wall there.
 * -1 with errno set. */
int landlock_apply(const struct plan *plan) __attribute__((nonnull, warn_unused_result));

/* Restrict it to nothing at all: no file, no port, no signal. */
int landlock_close(int abi) __attribute__((warn_unused_result));

/* Pure, in landlock_rights.c: the filesystem rights that an ABI knows, none for 0; those of them that the command has
 * below `mount`; the scopes. In bits of uapi_landlock.h. */
uint64_t landlock_known(int abi);
uint64_t landlock_rights(const struct mount *mount, int abi) __attribute__((nonnull));
uint64_t landlock_scopes(int abi);

#endif
