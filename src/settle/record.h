/* record.h: the files of runs that are not settled yet. Each is locked by its pinfold while that lives. */
#ifndef PINFOLD_SETTLE_RECORD_H
#define PINFOLD_SETTLE_RECORD_H

#include "settle/run.h"

enum { RECORD_NAME = 48 };

struct record {
    int store; /* the folder of all */
    int file;  /* locked */
    char name[RECORD_NAME];
};

/* Every record but those that are being made. `live`: its run goes on. *settled: a dead one's file is removed when the
 * function returns 0. -1 with *err. */
struct record_visit {
    void *context;
    int (*run)(void *context, const struct run *run, bool live);
    int (*damaged)(void *context, const char *name); /* it can't be understood, as after a loss of power */
};
int record_each(struct arena *arena, int store, const struct record_visit *visit, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Keep the record of a run; *record has the store already. */
int record_make(struct arena *arena, struct record *record, const struct run *run, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The run is settled: `remove`; or it is left to the next pinfold. */
int record_end(struct record *record, bool remove) __attribute__((nonnull, warn_unused_result));

#endif
