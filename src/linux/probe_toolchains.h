/* probe_toolchains.h: what the two halves of the search for toolchains have in common: probe_toolchains.c follows PATH
 * and variables to roots, probe_pieces.c looks at what of a root is shown. */
#ifndef PINFOLD_LINUX_PROBE_TOOLCHAINS_H
#define PINFOLD_LINUX_PROBE_TOOLCHAINS_H

#include "plan/toolchains.h"

#include <limits.h>
#include "policy/policy.h"

enum { LEADS_MAX = 256 };

/* A root that a variable names. */
struct named {
    const struct toolchain *row;
    const char *path;
};

/* A root that was looked at, and what came of it. */
struct tried {
    const struct toolchain *row;
    const char *path, *below;
    int found;
};

struct search {
    struct arena *arena;
    const struct policy *policy;
    struct probe *probe;
    const char *homes[2];     /* canonical; NULL: none */
    LIST(struct named) named; /* by variables of the caller */
    LIST(struct tried) tried;
    text_list leads;       /* paths that links of shown folders name, still to be followed up to LEADS_MAX */
    char filled[PATH_MAX]; /* for a moment, by one function at a time */
};

/* One root whose layout was recognised. */
struct root {
    const struct toolchain *row;
    const char *path; /* canonical */
    const char *why;
    int fd;
};

/* Is it at, above or below what the command may write to, or in the workspace? Nothing there decides. */
bool search_meets_written(const struct search *search, const char *path) __attribute__((nonnull));

/* Belongs to the caller or to root? Others' folders aren't shown. */
bool search_is_ours(const struct search *search, uid_t owner) __attribute__((nonnull));

/* For explain. 0, or -1 when out of memory, as all here. */
int search_leave_out(struct search *search, const char *path, const char *why)
    __attribute__((nonnull, warn_unused_result));

int search_lead(struct search *search, const char *folder, const char *target)
    __attribute__((nonnull, warn_unused_result));

/* Everything of the root that its row shows, where `below` is the path below it that led there ("" is the root). */
int search_pieces(struct search *search, const struct root *root, const char *below)
    __attribute__((nonnull, warn_unused_result));

#endif
