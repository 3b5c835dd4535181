/* inquiry.h: what becomes of paths when a command in the box uses them. The kernel is asked, inside and outside; what
 * its answers mean is judged here. */
#ifndef PINFOLD_PLAN_INQUIRY_H
#define PINFOLD_PLAN_INQUIRY_H

#include "plan/plan.h"

#include <limits.h>

/* What the kernel says of a path, on one side of the wall. */
struct look {
    int error;           /* errno that a process gets there; 0: it works */
    char path[PATH_MAX]; /* what it leads to there, canonical: the file itself, or the name that would be made; "":
                            unknown */
    mode_t mode;         /* of what is there; 0: nothing is */
    dev_t dev;
    ino_t ino;
};

enum verdict {
    VERDICT_DENIED,  /* the box, or the file's own mode and owner, keeps the command from it */
    VERDICT_ABSENT,  /* there is no such file, in the box or outside */
    VERDICT_PRIVATE, /* it works, on something of the box's own: the host's file of this name isn't touched */
    VERDICT_ALLOWED, /* it works, on the host's own file */
};

struct question {
    const char *path;
    bool write; /* change or create it; else read or list it */
    struct look inside, outside;
    enum verdict verdict;
    const char *why; /* NULL for VERDICT_ALLOWED */
    struct {
        const char *option, *value;
    } grant; /* the smallest that would allow it; NULL: none would */
};

/* Of one launch; it lies where the processes of the box see it. */
struct inquiry {
    size_t count;
    struct question *questions;
};

/* After both looks. 0, or -1 when out of memory. */
int inquiry_judge(struct arena *arena, const struct plan *plan, struct inquiry *inquiry)
    __attribute__((nonnull, warn_unused_result));

const char *verdict_name(enum verdict verdict);

#endif
