/* settle.h: after a run, what else would run code on the host is found and put aside: the parts of fs-settle. */
#ifndef PINFOLD_SETTLE_SETTLE_H
#define PINFOLD_SETTLE_SETTLE_H

#include "plan/plan.h"
#include "settle/record.h"
#include "settle/settlement.h"

struct settle {
    struct arena *arena; /* not the box's: init would have to be made anew to be shown what comes into that */
    const struct plan *plan;
    struct run run;
    struct record record;
};

/* Could a run of this plan be settled, as far as can be seen without making anything? 126, or 125, when not. */
int settle_possible(const struct plan *plan, struct error *err) __attribute__((nonnull, warn_unused_result));

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

#endif
