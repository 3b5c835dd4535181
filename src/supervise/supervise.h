/* supervise.h: from the command's exec to the end of everything in its box. */
#ifndef PINFOLD_SUPERVISE_SUPERVISE_H
#define PINFOLD_SUPERVISE_SUPERVISE_H

#include "box/box.h"

#include <signal.h>

/* Block the signals that pinfold passes on or acts on, but those that the caller ignores. *before gets the old mask. */
int signals_block(sigset_t *before) __attribute__((nonnull, warn_unused_result));

/* Supervise box->launch to its end and fill box->result. -1: *err, and everything was ended. */
int supervise_run(struct box *box, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
