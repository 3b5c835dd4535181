/* box.h: one run from policy to result, whatever the backend. */
#ifndef PINFOLD_BOX_BOX_H
#define PINFOLD_BOX_BOX_H

#include "box/result.h"
#include "plan/inquiry.h"
#include "settle/settlement.h"
#include "supervise/tie.h"

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
    struct settlement settlement, inherited; /* what this run left; what one left whose pinfold was killed */
    struct setback setback;
    struct inquiry *inquiry; /* what a rehearsal is to answer, or NULL */
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

/* After box_plan, with box->inquiry set: start as box_start would, but for nobody, and have the questions answered in
 * the box; then outside of it, and judged. -1: there would be no box (or no memory), *err says why. */
int box_ask(struct box *box, char *const *caller, struct error *err) __attribute__((nonnull, warn_unused_result));

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

#endif
