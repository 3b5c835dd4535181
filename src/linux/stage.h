/* stage.h: how far a process of a launch is, for the others that share its memory. */
#ifndef PINFOLD_LINUX_STAGE_H
#define PINFOLD_LINUX_STAGE_H

#include <stdatomic.h>

/* Say that `stage` is reached; stages only grow. 0, or -1 with errno set: whoever waits may never be woken. */
int stage_reach(atomic_uint *at, unsigned stage) __attribute__((nonnull, warn_unused_result));

/* Look for it a little: longer than the waits of an ordinary launch, so that nobody need be woken by another processor.
 */
void stage_look(atomic_uint *at, unsigned stage) __attribute__((nonnull));

/* Wait until it is. It has no end of its own: a process of a box ends with its init, and init with pinfold. 0, or -1
 * with errno set. */
int stage_wait(atomic_uint *at, unsigned stage) __attribute__((nonnull, warn_unused_result));

#endif
