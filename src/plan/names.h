/* names.h: one folder can have many names on a host, by bind mounts and file systems that are mounted twice. Pure: the
 * table of mounts is given. */
#ifndef PINFOLD_PLAN_NAMES_H
#define PINFOLD_PLAN_NAMES_H

#include "plan/probe.h"

/* Is what `path` names, there or not, at `top` or below it by any name? Both are canonical. A name that another mount
 * hides counts too. Other hard links of a file are not looked for. */
bool names_show(const shown_list *mounts, const char *top, const char *path) __attribute__((nonnull));

/* Add every name of `path` that the mounts give it, the one that it was given included, hidden or not. -1 when out of
 * memory. */
int names_list(struct arena *arena, const shown_list *mounts, const char *path, text_list *names)
    __attribute__((nonnull, warn_unused_result));

/* Add the other names of what `path` names. 0, or -1 when out of memory. */
int names_other(struct arena *arena, const shown_list *mounts, const char *path, text_list *names)
    __attribute__((nonnull, warn_unused_result));

/* Does another mount show it, something below it or something above it; or is something mounted below it? */
bool names_shared(const shown_list *mounts, const char *path) __attribute__((nonnull));

/* Add the mount points, elsewhere than below `path`, that show a part of the folder `path`. -1 when out of memory. */
int names_parts(struct arena *arena, const shown_list *mounts, const char *path, text_list *points)
    __attribute__((nonnull, warn_unused_result));

/* Is one of them at or below the other, by any name? */
bool names_meet(const shown_list *mounts, const char *a, const char *b) __attribute__((nonnull));

#endif
