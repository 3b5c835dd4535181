/* quarantine.h: what was put aside, so that it runs nothing, and can be looked at and taken back.
 *
 * STATE/quarantine has a folder for each run that had something put aside: in it, `items` tells of each thing its
 * number, path and reason, and the thing itself is called by its number. */
#ifndef PINFOLD_SETTLE_QUARANTINE_H
#define PINFOLD_SETTLE_QUARANTINE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

enum { QUARANTINE_NAME = 48 };

/* The place for one run. Begin with state set and folder -1. */
struct quarantine {
    const char *state;
    int folder; /* -1: not made yet */
    char name[QUARANTINE_NAME];
    unsigned items;
};

/* Put `name` in the open folder `at` aside; `path` is all of its path. *item: its number; 0: it isn't there any more.
 * -1: it could not be, and is where it was, or in part. */
int quarantine_put(struct quarantine *quarantine, int at, const char *name, const char *path, const char *why,
                   unsigned *item, struct error *err) __attribute__((nonnull, warn_unused_result));
void quarantine_close(struct quarantine *quarantine) __attribute__((nonnull));

/* One thing that is in it. */
struct kept {
    const char *run;
    unsigned item;
    const char *path, *why;
    mode_t mode; /* 0: it isn't there any more */
    off_t size;
};
typedef LIST(struct kept) kept_list;

/* All of it, by run and number. 125 when it can't be read. */
int quarantine_list(struct arena *arena, const char *state, kept_list *all, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* A descriptor of a run's folder; -1 with err->status 0 when there is none. */
int quarantine_open(const char *state, const char *run, struct error *err) __attribute__((nonnull, warn_unused_result));

/* Back to where it was, where nothing may be now. */
int quarantine_restore(const char *state, const struct kept *kept, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Remove it for good. */
int quarantine_remove(const char *state, const struct kept *kept, struct error *err)
    __attribute__((nonnull, warn_unused_result));

#endif
