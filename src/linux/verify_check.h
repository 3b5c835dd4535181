/* verify_check.h: what the proofs of verify have in common. */
#ifndef PINFOLD_LINUX_VERIFY_CHECK_H
#define PINFOLD_LINUX_VERIFY_CHECK_H

#include "linux/verify.h"

struct check {
    const struct plan *plan;
    const struct witness *witness;
    struct failure *failure;
};

/* `result` is what an act that must be refused returned, errno with which errno it must be. */
int must_fail(const struct check *check, enum guarantee guarantee, const char *act, long result, int expected);
int must_be(const struct check *check, enum guarantee guarantee, const char *state, bool is);

/* verify_held.c: what below the roots of the box is kept from it, or from being changed. */
int verify_covers(const struct check *check);
int verify_sessions(const struct check *check);
int verify_places(const struct check *check);
int verify_secrets(const struct check *check);
int verify_protected(const struct check *check);

#endif
