/* owner.h: who else could change what a path leads to? */
#ifndef PINFOLD_LINUX_OWNER_H
#define PINFOLD_LINUX_OWNER_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Fail (125, with what to type) unless only root and the caller can change this object: owner, and no write permission
 * for others. Sticky folders of root's pass, since what is in them is moved by its owner alone. Owners that this user
 * namespace doesn't know are shown as the overflow id; that id is then nobody's, also for a caller who has it. */
int owner_check(const char *path, const struct stat *status, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Is it the overflow id, and so perhaps anybody's here? */
bool owner_unknown(uid_t owner);

/* The same for each folder above `path` (canonical), from / on. 126 when one can't be looked at. */
int owner_check_above(const char *path, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
