/* diagnosis.h: what doctor found, as data; as JSON and in words. */
#ifndef PINFOLD_PLAN_DIAGNOSIS_H
#define PINFOLD_PLAN_DIAGNOSIS_H

#include "plan/facts.h"
#include "plan/mend.h"
#include "plan/plan.h"

#include <jansson.h>
#include <stdio.h>

enum { DOCTOR_VERSION = 1 };

enum finding {
    FINDING_UNKNOWN, /* the attempt did not get so far */
    FINDING_HELD,
    FINDING_MISSING,
    FINDING_UNUSED, /* a step that this launch doesn't need */
};

struct absence {
    enum step step;
    int error;          /* errno */
    const char *detail; /* on what, or "" */
    struct mend mend;
};

struct warning {
    const char *name, *text;
};

struct diagnosis {
    int status;          /* what `pinfold run` would exit with here before its command began; 0: it would begin */
    const char *verdict; /* one line */
    const char *instead; /* with status 125: how it was tried all the same, and what came of it; else NULL */
    int cause;           /* the step that run would name, or -1 */
    bool complete;       /* an attempt held to its end: nothing is unknown */
    const char *place;   /* the workspace it was tried with; NULL: none could be had */
    bool temporary;      /* that was made for it, and is gone */
    const struct policy *policy; /* it was tried with */
    const struct probe *probe;   /* NULL: no plan could be made */
    const struct plan *plan;     /* the last one; NULL like probe */
    struct facts facts;
    enum finding steps[STEP_COUNT], guarantees[GUARANTEE_COUNT];
    LIST(struct absence) absences; /* in the order of the steps */
    LIST(struct warning) warnings;
};

/* Pure: steps and guarantees from absences, plan and complete. */
void diagnosis_judge(struct diagnosis *diagnosis) __attribute__((nonnull));

/* Pure: what refuses nothing here but is good to know. 0, or -1 when out of memory. */
int warnings_find(struct arena *arena, struct diagnosis *diagnosis) __attribute__((nonnull, warn_unused_result));

/* What each Landlock ABI adds, and from which kernel on. The last one has abi 0. */
struct landlock_addition {
    int abi;
    bool used; /* by pinfold */
    const char *kernel, *adds;
};
extern const struct landlock_addition landlock_additions[];

/* A new object, or NULL when out of memory. */
json_t *diagnosis_json(const struct diagnosis *diagnosis) __attribute__((nonnull));

/* 0, or -1 when it could not be written. */
int diagnosis_text(const struct diagnosis *diagnosis, FILE *out) __attribute__((nonnull));

#endif
