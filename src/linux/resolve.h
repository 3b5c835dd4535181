/* resolve.h: what a path of the operator means on this host. */
#ifndef PINFOLD_LINUX_RESOLVE_H
#define PINFOLD_LINUX_RESOLVE_H

#include "plan/probe.h"

#include <stdbool.h>

/* Follow `path` (relative ones from `folder`, an absolute path) to the object it names. place->error says how that
 * went; place->path is then still set, with the part that doesn't exist taken as written. Symlinks on the way are added
 * to `links` unless it is NULL. 0, or -1 when out of memory. */
int resolve(struct arena *arena, const char *folder, const char *path, struct place *place, link_list *links)
    __attribute__((nonnull(1, 2, 3, 4), warn_unused_result));

/* Does this errno of a look-up say that there is nothing for this caller, now and later? Any other leaves it open. */
bool resolve_absent(int error);

#endif
