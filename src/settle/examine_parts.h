/* examine_parts.h: what the parts of an examination share: examine.c, and a file for each kind of thing. */
#ifndef PINFOLD_SETTLE_EXAMINE_PARTS_H
#define PINFOLD_SETTLE_EXAMINE_PARTS_H

#include "settle/examine.h"

/* Each returns 0 or -1 with *err, unless it says something else. `path` is that of `name` in the open folder `at`. */

/* Did the kernel hold it in place all the time? */
bool examine_is_held(const struct examine *examine, const char *path) __attribute__((nonnull));

/* Is it as it was, since it was held and no other name of it could be written to? */
bool examine_is_fixed(const struct examine *examine, const char *path, const struct stat *status)
    __attribute__((nonnull));

/* 1: something is there, *status is its; 0: nothing. */
int examine_look(const struct examine *examine, int at, const char *name, const char *path, struct stat *status)
    __attribute__((nonnull, warn_unused_result));

/* 1: it was changed since the run began, or came then; 0: it wasn't. Noted, when recording. */
int examine_changed(struct examine *examine, int at, const char *name, const char *path, const struct stat *status)
    __attribute__((nonnull, warn_unused_result));

/* Was the object made since then? true also where nobody knows. */
bool examine_is_new(const struct examine *examine, int at, const char *name) __attribute__((nonnull));

/* The bytes of a regular file, not more than JUDGE_TEXT_MAX, good until the next call. 1; 0: it is gone, too large or
 * no such file. */
int examine_read(struct examine *examine, int at, const char *name, const char *path, const char **text, size_t *size)
    __attribute__((nonnull, warn_unused_result));

int examine_put_aside(struct examine *examine, int at, const char *name, const char *path, const char *why,
                      enum settled_fate fate) __attribute__((nonnull, warn_unused_result));
int examine_report(struct examine *examine, const char *path, const char *why)
    __attribute__((nonnull, warn_unused_result));
int examine_failed(const struct examine *examine, const char *path, int error)
    __attribute__((nonnull, warn_unused_result));

/* For a scan: is it held; does a folder that was closed to its owner stay open for now? At the end, all of them are
 * closed again. */
bool examine_skip(void *examine, const char *path) __attribute__((nonnull));
int examine_closed(void *examine, const char *path, const struct stat *status)
    __attribute__((nonnull, warn_unused_result));
void examine_close(const struct examine *examine) __attribute__((nonnull));

/* examine_git.c: a folder that holds `.git`, or is a git directory itself. */
int examine_git(void *examine, const struct scanned *scanned) __attribute__((nonnull, warn_unused_result));

/* examine_names.c: one thing in a folder, and what is in it. Configuration at the top of a root or a repository.
 * `whole`: what isn't held came during the run. What the configuration of the repository names. Odd things anywhere. */
int examine_inside(struct examine *examine, int at, const char *name, const char *path, const char *why, int depth)
    __attribute__((nonnull, warn_unused_result));
int examine_top(struct examine *examine, const char *path, bool whole, bool root)
    __attribute__((nonnull, warn_unused_result));
int examine_named(struct examine *examine, const char *path, bool whole) __attribute__((nonnull, warn_unused_result));
int examine_oddity(void *examine, const struct scanned *scanned, const char *name, unsigned char type)
    __attribute__((nonnull, warn_unused_result));

#endif
