/* backend.h: what a way of making boxes must be able to do. */
#ifndef PINFOLD_BOX_BACKEND_H
#define PINFOLD_BOX_BACKEND_H

#include "box/box.h"

struct backend {
    const char *name;
    /* Optional head starts: what of a box can be made before there is a plan; and the end of what was. Neither says
     * whether it could be: launch does. */
    void (*begin)(struct box *box);
    void (*abandon)(struct box *box);
    /* What does this host have, and what do the policy's names mean on it? */
    int (*probe)(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err);
    /* Pure: what will be done. */
    int (*compile)(struct arena *arena, const struct policy *policy, const struct probe *probe, char *const *caller,
                   struct plan *plan, struct error *err);
    /* Start the command, or -1: nothing is left, and box->probe.missing says which step failed; the caller may compile
     * and try again when that step's guarantees were waived. */
    int (*launch)(struct box *box, struct error *err);
    /* Until everything in the box has ended. */
    void (*wait)(struct box *box);
    /* Launch for nobody: everything of a launch but the command. 0: all held and nothing is left; -1 as launch. */
    int (*rehearse)(struct box *box, struct error *err);
    /* Answer the questions of an inquiry outside of any box, as pinfold itself. */
    void (*look)(struct inquiry *inquiry);
};

extern const struct backend backend_native;

#endif
