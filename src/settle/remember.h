/* remember.h: the repositories below a folder that were met when a run was settled. The kernel holds them next time. */
#ifndef PINFOLD_SETTLE_REMEMBER_H
#define PINFOLD_SETTLE_REMEMBER_H

#include "base/error.h"
#include "plan/protected.h"

typedef LIST(struct repository) repository_list;

enum { REMEMBERED_HELD = 25, REMEMBERED_MADE = 1000 }; /* for each folder; of those that commands made */

/* Add those of a root to the list; none is no error. 126 when they can't be read. */
int remember_read(struct arena *arena, const char *state, const char *root, repository_list *all, struct error *err)
    __attribute__((nonnull(1, 3, 4, 5), warn_unused_result));

/* Remember these, and no others, of that root; `known`: what was read of it. 125. */
int remember_write(struct arena *arena, const char *state, const char *root, const repository_list *all,
                   const struct protection *known, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
