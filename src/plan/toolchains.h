/* toolchains.h: which folders of a home belong to which toolchain, and which of them are shown. Pure.
 *
 * A toolchain is shown when PATH, or one of its variables, leads into a root whose layout its row recognises. Words in
 * a row are separated by spaces and are paths below the root. A component with '*' stands for the component that the
 * path that led there has in its place; one with '[' for each entry that matches it. In `hides`, '*' stands for each.
 */
#ifndef PINFOLD_PLAN_TOOLCHAINS_H
#define PINFOLD_PLAN_TOOLCHAINS_H

#include "plan/probe.h"

struct toolchain {
    const char *name;
    const char *variables; /* each may name the root */
    const char *places;    /* where the root is below a home, or absolute; "": anywhere, as X of a PATH entry X/bin */
    const char *markers;   /* one of these makes it recognised */
    const char *shows;     /* what is shown of it; "." is the root itself, ~/NAME a file of the home */
    const char *hides;     /* what may hold credentials in what is shown */
    const char *with;      /* toolchains that go with it, at their own places */
    bool links;            /* links in its bin folders lead to other toolchains */
};

enum { TOOLCHAIN_WORD = 256 };

extern const struct toolchain toolchain_table[];
extern const size_t toolchain_count;

const struct toolchain *toolchain_find(const char *name) __attribute__((nonnull));

/* The next word of a list, copied to `word`; false at its end. */
bool toolchain_word(const char **list, char word[TOOLCHAIN_WORD]) __attribute__((nonnull));

/* `pattern` with the components of `below` in place of its stars, written to `out` (PATH_MAX). False when `below`
 * doesn't go so deep or is another. */
bool toolchain_fill(const char *pattern, const char *below, char *out) __attribute__((nonnull));

/* What is left of `pattern` below `shown`, a folder that is shown; NULL: it is about another. */
const char *toolchain_rest(const char *pattern, const char *shown) __attribute__((nonnull));

/* Is `below`, a path below the root, in what the row shows? "" is the root itself, which is enough. */
bool toolchain_shows(const struct toolchain *row, const char *below) __attribute__((nonnull));

/* May a root be there? Not a home or above one, not where credentials are kept, nothing of the kernel. `known`: a row
 * names the place; else it is no folder either that many programs share. */
bool toolchain_allowed(const struct probe *probe, const char *root, bool known) __attribute__((nonnull));

#endif
