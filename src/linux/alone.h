/* alone.h: the inner half tried without a box, for doctor on hosts where a box can't be made at all. */
#ifndef PINFOLD_LINUX_ALONE_H
#define PINFOLD_LINUX_ALONE_H

#include "plan/probe.h"

/* In a process of its own, which ends: take each step of the inner half for itself. errors[step] is the errno of one
 * that failed, 0 of one that worked or was not tried. A step that works here is no proof that it works in a box; one
 * that fails here fails there. 0, or -1 with errno set when no process could be had. */
int alone_try(const struct probe *probe, int errors[STEP_COUNT]) __attribute__((nonnull, warn_unused_result));

#endif
