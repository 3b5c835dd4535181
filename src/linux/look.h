/* look.h: asking the kernel what becomes of a path, in the box by its command's process, outside by pinfold. */
#ifndef PINFOLD_LINUX_LOOK_H
#define PINFOLD_LINUX_LOOK_H

#include "plan/inquiry.h"

/* What happens here when `path` is read (listed), or with `write` changed or created. A file is opened for reading, to
 * be sure; nothing is opened for writing or made, since whoever watches the folder would see it: that is asked by
 * access(2). */
void look_at(const char *path, bool write, struct look *look) __attribute__((nonnull));

/* All questions, on this side. */
void look_inside(struct inquiry *inquiry) __attribute__((nonnull));
void look_outside(struct inquiry *inquiry) __attribute__((nonnull));

#endif
