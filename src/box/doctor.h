/* doctor.h: tries here what `pinfold run` would do with this policy, to its end, and finds all that is missing. */
#ifndef PINFOLD_BOX_DOCTOR_H
#define PINFOLD_BOX_DOCTOR_H

#include "box/box.h"
#include "plan/diagnosis.h"

/* `box` is zeroed, its arena may be in use; `flags` is the command line's layer, with an empty command. No command is
 * run and nothing is left behind. May change the current folder. 0 with *diagnosis filled, all of it in the box's
 * arena; -1 when out of memory. */
int doctor_examine(struct box *box, const struct policy *flags, char *const *caller, struct diagnosis *diagnosis,
                   struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
