/* verify.h: the last step before exec. Each guarantee is tried or read back; anything but the expected answer refuses
 * the run. */
#ifndef PINFOLD_LINUX_VERIFY_H
#define PINFOLD_LINUX_VERIFY_H

#include "linux/mounts.h"
#include "linux/witness.h"

/* In the command's own process, with the filter in force: what doesn't depend on files, and can't change any more. */
int verify_process(const struct plan *plan, const struct witness *witness, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));

/* There as well, in the box's root and with every restriction in force: all else. `expected`: the descriptors that must
 * be open, and no other. */
int verify_files(const struct plan *plan, const struct witness *witness, const int *expected, size_t count,
                 struct failure *failure) __attribute__((nonnull, warn_unused_result));

#endif
