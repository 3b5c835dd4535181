/* overlap.h: runs that go on in the same folders. What one of them may have left is no original for another: what it
 * leaves would stand in the other's record as what was there before. */
#ifndef PINFOLD_SETTLE_OVERLAP_H
#define PINFOLD_SETTLE_OVERLAP_H

#include "settle/run.h"

typedef LIST(struct run) run_list;

/* Take out of `own`, which is about to begin, what the others may have changed; texts are what they were when the first
 * of them began. */
void overlap_reduce(struct run *own, const run_list *others) __attribute__((nonnull));

#endif
