/* guarantee.c (pure): the tables behind guarantee.h. */
#include "plan/guarantee.h"

#include <string.h>

const struct guarantee_text guarantee_text[GUARANTEE_COUNT] = {
#define GUARANTEE(id, name, sentence, proof) {name, sentence, proof},
#include "guarantees.def"
#undef GUARANTEE
};

const struct step_text step_text[STEP_COUNT] = {
#define STEP(id, name, gives, what, mend) {name, what, mend, gives},
#include "plan/steps.def"
#undef STEP
};

int guarantee_find(const char *name) {
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        if (strcmp(guarantee_text[i].name, name) == 0)
            return i;
    return -1;
}
