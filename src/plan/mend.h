/* mend.h: the one thing to do about a step that is missing, for the host that it is missing on. Pure. */
#ifndef PINFOLD_PLAN_MEND_H
#define PINFOLD_PLAN_MEND_H

#include "plan/facts.h"
#include "plan/guarantee.h"

enum mend_kind {
    MEND_ROOT,      /* a command for root, in this very place (where a limit is a namespace's own, inside of it) */
    MEND_SHELL,     /* a command for the caller's own shell */
    MEND_CONTAINER, /* an option of what starts the container */
    MEND_BOOT,      /* a parameter of the kernel's command line, or another kernel */
    MEND_ADVICE,    /* where or how to run pinfold instead */
};

struct mend {
    enum mend_kind kind;
    const char *text;
};

/* What mends the absence of `step`, which failed with `error` on `detail` ("" or what it was about). 0, or -1 when out
 * of memory. */
int mend_find(struct arena *arena, const struct facts *facts, enum step step, int error, const char *detail,
              struct mend *mend) __attribute__((nonnull, warn_unused_result));

const char *mend_kind_name(enum mend_kind kind);

#endif
