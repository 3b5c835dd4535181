/* examine.h: one look at what a run left, or, before it begins, at what is there: what the parts of it share. */
#ifndef PINFOLD_SETTLE_EXAMINE_H
#define PINFOLD_SETTLE_EXAMINE_H

#include "plan/probe.h"
#include "settle/judge.h"
#include "settle/quarantine.h"
#include "settle/run.h"
#include "settle/scan.h"
#include "settle/settlement.h"

#include <sys/stat.h>
struct examine {
    struct arena *arena;
    struct error *err;
    const struct policy *policy;
    const struct probe *probe;
    const struct run *run;
    struct run *recording; /* not NULL: nothing is judged or moved, what is there is noted in it */
    struct timespec since; /* what changed from then on, the command may have changed */
    struct settlement *out;
    struct quarantine quarantine;
    struct judge judge;
    size_t links;                         /* that were looked at */
    char *text;                           /* what was read last */
    const struct original **index;        /* of run->files, by path */
    LIST(struct repository) repositories; /* that were met */
};

/* Each returns 0 or -1 with *err, unless it says something else. `path` is that of `name` in the open folder `at`. */

/* Did the kernel hold it in place all the time? */
bool examine_is_held(const struct examine *examine, const char *path) __attribute__((nonnull));
/* Is it as it was, since it was held and no other name of it could be written to? */
bool examine_is_fixed(const struct examine *examine, const char *path, const struct stat *status)
    __attribute__((nonnull));
/* Make the index. The first of run->files with this path, in it; its end: none. */
int examine_sort(struct examine *examine) __attribute__((nonnull, warn_unused_result));
size_t examine_find(const struct examine *examine, const char *path) __attribute__((nonnull));

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
bool examine_skip(void *examine, const char *path) __attribute__((nonnull)); /* is it held? */
/* examine_roots.c: all below the roots of the run, and what is at their tops. Does one lie in another? */
int examine_roots(struct examine *examine) __attribute__((nonnull, warn_unused_result));
bool examine_in_another(const struct run *run, size_t index) __attribute__((nonnull));

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
