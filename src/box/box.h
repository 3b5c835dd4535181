/* box.h: one run from policy to result, whatever the backend. */
#ifndef PINFOLD_BOX_BOX_H
#define PINFOLD_BOX_BOX_H

#include "plan/plan.h"
#include "supervise/relay.h"
#include "supervise/tie.h"

enum outcome {
    OUTCOME_REFUSED,        /* containment could not be proven: nothing was started */
    OUTCOME_USAGE,          /* the policy or the command line is wrong: nothing was started */
    OUTCOME_EXITED,         /* the command ended by itself */
    OUTCOME_SIGNALLED,      /* the command ended by a signal */
    OUTCOME_TIMEOUT,        /* --timeout */
    OUTCOME_TERMINATED,     /* pinfold was told to end and the command didn't within --grace */
    OUTCOME_NOT_FOUND,      /* no such command */
    OUTCOME_NOT_EXECUTABLE, /* it can't be executed */
    OUTCOME_KILLED,         /* the box was ended from outside */
};

struct result {
    enum outcome outcome;
    int status;               /* what pinfold exits with */
    int exec_error;           /* errno of exec, for the two that have one */
    bool deaf;                /* the box was ended because its relay had ended */
    int lost;                 /* errno with which reading or writing for the command broke off; 0: it didn't */
    uint64_t wall, processor; /* microseconds from the command's exec to the box's end; user and system time */
    uint64_t peak;            /* KiB: largest resident set of one process of the box */
    struct relay_report relay;
};

/* What ended the last launch that failed. */
struct setback {
    enum step step;
    int error;          /* errno */
    const char *detail; /* on what, or "" */
    bool final;         /* it refuses the run, whatever is waived, and isn't in probe.missing */
};

struct box { /* everything about one run; it lies in its own arena */
    struct arena arena;
    struct policy policy;
    struct tie tie;
    struct probe probe;
    struct plan plan;
    bool planned;          /* plan is complete, if not necessarily sufficient */
    struct launch *launch; /* the backend's own */
    struct result result;
    struct setback setback;
};

/* A zeroed box, or NULL with *err; begin what needs no plan (it knows and holds nothing); at the very end, end that. */
struct box *box_new(struct error *err) __attribute__((nonnull, warn_unused_result));
void box_begin(struct box *box) __attribute__((nonnull));
void box_abandon(struct box *box) __attribute__((nonnull));

/* Probe and compile, start nothing. 0, or -1 with 125 or 126. A plan that lacks guarantees is not an error here. */
int box_plan(struct box *box, char *const *caller, struct error *err) __attribute__((nonnull, warn_unused_result));

/* After box_plan: start, supervise to the end. 0 with box->result filled, or -1 (nothing was started, or what was is
 * ended) with *err and box->result.outcome. */
int box_start(struct box *box, char *const *caller, struct error *err) __attribute__((nonnull, warn_unused_result));

/* What box_rehearse found out. */
struct rehearsal {
    struct error refusal;            /* what box_start would have refused with; status 0: it would have started */
    int cause;                       /* the step that this names, or -1 */
    int errors[STEP_COUNT];          /* errno of each step that failed, 0: it wasn't seen to */
    const char *details[STEP_COUNT]; /* on what, or NULL */
};

/* After box_plan: launch as box_start would, but for nobody (see backend.h), and again without each step that fails as
 * if every guarantee was waived, so that all that fail are found. 0: a launch held to its end, without those. -1: none
 * did; *err says why. *rehearsal is filled in both cases. */
int box_rehearse(struct box *box, char *const *caller, struct rehearsal *rehearsal, struct error *err)
    __attribute__((nonnull, warn_unused_result));

const char *outcome_name(enum outcome outcome);

#endif
