/* own.h: descriptors that are pinfold's own: what ends the box, what tells how it ended, what says its policy. */
#ifndef PINFOLD_BOX_OWN_H
#define PINFOLD_BOX_OWN_H

#include "box/box.h"

/* After box_plan: 125 when the command could get at one of them, by a descriptor that it is given or by a name; or when
 * that can't be known. `report`: the descriptor of --report, or -1. */
int own_check(const struct box *box, int report, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
