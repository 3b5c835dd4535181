/* verify.h: the last step before exec. Each guarantee is tried or read back, in the command's own process with every
 * restriction in force; anything but the expected answer refuses the run. */
#ifndef PINFOLD_LINUX_VERIFY_H
#define PINFOLD_LINUX_VERIFY_H

#include "linux/mounts.h"
#include "linux/witness.h"

/* `expected`: the descriptors that must be open, and no other. */
int verify_box(const struct plan *plan, const struct witness *witness, const int *expected, size_t count,
               struct failure *failure) __attribute__((nonnull, warn_unused_result));

#endif
