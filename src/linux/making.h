/* making.h: folders of --write that aren't there, and are to be (--create): looked for, made, removed again.
 *
 * Nothing is made before a whole plan with them has been accepted, and nothing but what is missing. */
#ifndef PINFOLD_LINUX_MAKING_H
#define PINFOLD_LINUX_MAKING_H

#include "plan/plan.h"

/* What a run has made, the upper ones first. */
struct made {
    const char *path;
    dev_t dev;
    ino_t ino;
};
typedef LIST(struct made) made_list;

/* A place for which there is nothing, and which was asked for as `asked`, relative to `folder`: what it would be made
 * in, so that it can be planned with. With a ".." behind a name that isn't there it stays absent. -1: memory. */
int making_find(struct arena *arena, const char *folder, const char *asked, struct place *place)
    __attribute__((nonnull, warn_unused_result));

/* Make them, and put into plan and probe what they are. 0; 1: what was seen is no longer so (another run makes them,
 * too), and the plan must be made anew; -1: 125 where the caller may not, 126 when a call fails. */
int making_carry_out(struct arena *arena, made_list *made, struct plan *plan, struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Nothing was started: remove those that are still empty. */
void making_undo(const made_list *made) __attribute__((nonnull));

#endif
