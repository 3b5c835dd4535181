/* guarantee.h: the promises and the steps that keep them, from guarantees.def and steps.def. */
#ifndef PINFOLD_PLAN_GUARANTEE_H
#define PINFOLD_PLAN_GUARANTEE_H

#include <stdint.h>

enum guarantee {
#define GUARANTEE(id, name, sentence, proof) GUARANTEE_##id,
#include "guarantees.def"
#undef GUARANTEE
    GUARANTEE_COUNT
};

enum step {
#define STEP(id, name, gives, what, mend) STEP_##id,
#include "plan/steps.def"
#undef STEP
    STEP_COUNT
};

/* Sets of guarantees are bits. */
#define G(id) (UINT32_C(1) << GUARANTEE_##id)
#define G_ALL ((UINT32_C(1) << GUARANTEE_COUNT) - 1)
#define G_BOX (UINT32_C(1) << 31) /* in a step's set: every guarantee, and no waiver helps */
/* These two can't be waived: nothing is given up with them that a user could want. */
#define G_NEVER_WAIVED (G(ENVIRONMENT) | G(DESCRIPTORS))

struct guarantee_text {
    const char *name, *sentence, *proof;
};
extern const struct guarantee_text guarantee_text[GUARANTEE_COUNT];

struct step_text {
    const char *name, *what, *mend;
    uint32_t gives; /* the guarantees that need this step */
};
extern const struct step_text step_text[STEP_COUNT];

/* The guarantee of this name, or -1. */
int guarantee_find(const char *name) __attribute__((nonnull));

#endif
