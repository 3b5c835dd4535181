/* receipt.h: the record of one run: what held, what was given up, how it ended. */
#ifndef PINFOLD_BOX_RECEIPT_H
#define PINFOLD_BOX_RECEIPT_H

#include "box/box.h"

/* Open the place that policy->receipt names: FILE (created, or emptied at the end) or fd:N. 125 when it can't be, or
 * when the command could write to it. *fd is -1 when no receipt is wanted. */
int receipt_open(const struct policy *policy, int *fd, struct error *err) __attribute__((nonnull, warn_unused_result));

/* Write the receipt of a finished or refused run. `err` has the text of a refusal or status 0. -1: it could not be
 * written whole; errno is set. */
int receipt_write(int fd, const struct box *box, const struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
