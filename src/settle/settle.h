/* settle.h: after a run, what else would run code on the host is found and put aside: the parts of fs-settle. */
#ifndef PINFOLD_SETTLE_SETTLE_H
#define PINFOLD_SETTLE_SETTLE_H

#include "plan/plan.h"
#include "settle/overlap.h"
#include "settle/record.h"
#include "settle/settlement.h"

#include <limits.h>

struct settle {
    struct arena *arena; /* not the box's: init would have to be made anew to be shown what comes into that */
    const struct plan *plan;
    struct run run;
    struct record record;
    run_list others; /* that go on in the same folders */
};

/* Before a run: settle what pinfolds that were killed have left in folders of this account. What is put aside is in
 * *found; the plan must be made anew then. 126 when that fails, unless fs-settle is waived. */
int settle_open(struct settle *settle, struct arena *arena, const struct plan *plan, struct settlement *found,
                struct error *err) __attribute__((nonnull, warn_unused_result));

/* Keep the record of the run that is about to start. 126. */
int settle_begin(struct settle *settle, struct error *err) __attribute__((nonnull, warn_unused_result));

/* The box has ended, and everything in it: look through the folders that it could change. 125: not to the end; what
 * wasn't found may be there, and the next run of this account tries again. */
int settle_end(struct settle *settle, struct settlement *found, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Nothing was started. */
void settle_abandon(struct settle *settle) __attribute__((nonnull));

/* For who only wants to know whether a run could be settled: what settle_open and settle_begin make, without a look at
 * other runs; and the end of it, with the folders that had to be made. */
struct settle_trial {
    struct settle settle;
    int absent; /* how many folders weren't there, from `path` on upwards */
    char path[PATH_MAX];
};
int settle_try(struct settle_trial *trial, struct arena *arena, const struct plan *plan, struct error *err)
    __attribute__((nonnull, warn_unused_result));
void settle_try_end(struct settle_trial *trial) __attribute__((nonnull));

#endif
