/* before.h: what must be known of a run before it begins, so that it can be settled. */
#ifndef PINFOLD_SETTLE_BEFORE_H
#define PINFOLD_SETTLE_BEFORE_H

#include "plan/plan.h"
#include "settle/examine.h"

/* The folders that the command may change. -1: memory. */
int before_roots(struct arena *arena, const struct plan *plan, struct run *run)
    __attribute__((nonnull, warn_unused_result));

/* What is held, which git directories are there, and whether times will tell what changed. -1 with errno. */
int before_note(struct arena *arena, const struct plan *plan, struct run *run)
    __attribute__((nonnull, warn_unused_result));

/* The texts of configurations that may be changed, so that they can be put back. -1 with the error of `examine`. */
int before_texts(struct examine *examine, struct run *run) __attribute__((nonnull, warn_unused_result));

#endif
