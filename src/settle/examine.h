/* examine.h: one look at what a run left, or, before it begins, at what is there. */
#ifndef PINFOLD_SETTLE_EXAMINE_H
#define PINFOLD_SETTLE_EXAMINE_H

#include "plan/probe.h"
#include "settle/judge.h"
#include "settle/quarantine.h"
#include "settle/run.h"
#include "settle/scan.h"
#include "settle/settlement.h"

#include <sys/stat.h>

/* A repository: what its configuration names, and configuration at its top, are looked at when every folder has been.
 */
struct later {
    const char *path;
    bool whole, top, held;
};

/* A folder that was closed to its owner, with its mode then. */
struct opened {
    const char *path;
    dev_t dev;
    ino_t ino;
    mode_t mode;
};

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
    LIST(struct repository) repositories; /* that were met */
    LIST(struct later) later;
    LIST(struct opened) opened;
};

/* 0, or -1 with *err. */
/* examine_roots.c: all below the roots of the run, and what is at their tops. */
int examine_roots(struct examine *examine) __attribute__((nonnull, warn_unused_result));

/* Does a root lie in another? */
bool examine_in_another(const struct run *run, size_t index) __attribute__((nonnull));

#endif
