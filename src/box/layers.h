/* layers.h: from a command line to the one policy that a run has: all files that take part are found and merged. */
#ifndef PINFOLD_BOX_LAYERS_H
#define PINFOLD_BOX_LAYERS_H

#include "policy/policy.h"

/* Merge what is built in, the operator's files, the profile, --policy and `flags`, then what the workspace's own file
 * narrows. 125 with FILE:LINE:COLUMN for what is wrong in a file. */
int layers_merge(struct arena *arena, const struct policy *flags, struct policy *merged, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Would this file be taken, as --policy FILE or, when it is called .pinfold.json, as a workspace's? Its profiles may
 * extend those of the operator's other files. Paths in it are not looked up. */
int layers_check(struct arena *arena, const char *path, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
