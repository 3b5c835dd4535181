/* supervise.h: from the command's exec to the end of everything in its box. */
#ifndef PINFOLD_SUPERVISE_SUPERVISE_H
#define PINFOLD_SUPERVISE_SUPERVISE_H

#include "box/box.h"

#include <signal.h>

/* Take the signals that pinfold passes on or acts on, but those that the caller ignores or blocks: they are blocked,
 * and read from the descriptor returned. *before gets the old mask. -1 with errno set. */
int signals_take(sigset_t *before) __attribute__((nonnull, warn_unused_result));

/* Supervise box->launch to its end and fill box->result. */
void supervise_run(struct box *box) __attribute__((nonnull));

#endif
