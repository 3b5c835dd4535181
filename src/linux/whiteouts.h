/* whiteouts.h: the layer of an overlay that keeps names absent. */
#ifndef PINFOLD_LINUX_WHITEOUTS_H
#define PINFOLD_LINUX_WHITEOUTS_H

#include "base/arena.h"

/* In the empty folder `top`: a whiteout for each of these paths below `lower`, which may be there or not; where a
 * folder on the way isn't there, for that. Folders on the way are made as they are in `lower`, since the box sees their
 * modes. -1 with errno set. */
int whiteouts_make(int top, int lower, const text_list *paths) __attribute__((nonnull, warn_unused_result));

#endif
