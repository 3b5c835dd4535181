/* random_policy.h: layers made of bytes, and what must be true of them once merged. Used by the fuzzer of the merge and
 * by its unit test. */
#ifndef PINFOLD_FUZZ_RANDOM_POLICY_H
#define PINFOLD_FUZZ_RANDOM_POLICY_H

#include "policy/policy.h"

struct bytes {
    const unsigned char *at;
    size_t left; /* none left reads as 0 */
};

/* A layer, in the arena. */
void random_layer(struct arena *arena, struct bytes *bytes, struct policy *layer);

/* Make layers until the bytes end, merge them as far as that goes, then narrow by the first. NULL, or what is wrong:
 * a ban that a later layer passed, something lost or added, a refusal without a reason, a narrowing that widened. */
const char *random_run(struct arena *arena, struct bytes *bytes);

/* What `after` allows that `before` didn't; NULL: nothing. */
const char *random_widened(const struct policy *before, const struct policy *after);

#endif
