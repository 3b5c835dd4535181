/* facts.h: gathers what doctor tells of the host: from files and kernel state only, no program is started. */
#ifndef PINFOLD_LINUX_FACTS_H
#define PINFOLD_LINUX_FACTS_H

#include "plan/facts.h"

/* What can't be read counts as not there: nothing of a launch depends on it. 0, or -1 when out of memory. `caller`: the
 * caller's variables, which name services of continuous integration and managers of containers. */
int facts_gather(struct arena *arena, char *const *caller, struct facts *facts)
    __attribute__((nonnull, warn_unused_result));

#endif
