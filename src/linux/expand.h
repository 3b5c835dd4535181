/* expand.h: what the wildcards of --deny stand for on this host, when a box starts. */
#ifndef PINFOLD_LINUX_EXPAND_H
#define PINFOLD_LINUX_EXPAND_H

#include "base/error.h"
#include "plan/probe.h"
#include "policy/pattern.h"
#include "policy/policy.h"

/* For all words of a run together: the workspace's own file may have any number of them. */
enum { EXPAND_ENTRIES_MAX = 20000, EXPAND_PATHS_MAX = 1000 };
struct expanded {
    size_t entries; /* looked at */
    size_t paths;   /* denied, those without wildcards included */
};

/* Add what `word`, which is absolute, matches below the read-only roots of the box. Symlinks in it are followed up to
 * its first wildcard, no further. 125 when it could match below a root that the command may write to, where a new match
 * can appear at any time, or when there is too much to look at. -1 without a status: out of memory. */
int expand(struct arena *arena, const struct policy *policy, struct probe *probe, const struct denial *denial,
           const char *word, struct expanded *so_far, struct error *err) __attribute__((nonnull, warn_unused_result));

/* What one path leads to, and the path itself if it is a link (probe_secrets.c). */
int secret_add(struct arena *arena, struct probe *probe, const char *origin, const char *path, struct error *err)
    __attribute__((nonnull(1, 2, 4, 5), warn_unused_result));

#endif
