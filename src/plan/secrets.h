/* secrets.h: does the policy itself contradict what must not be read? Pure. */
#ifndef PINFOLD_PLAN_SECRETS_H
#define PINFOLD_PLAN_SECRETS_H

#include "plan/probe.h"
#include "policy/policy.h"

/* 125 where a root of the box is a secret or lies in one, and where one has a second hard link on a file system that
 * the box sees, which could show it. What fs-secret is waived for is let through, but not a --deny above a root. */
int secrets_check(const struct policy *policy, const struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* "built in", or where it was asked for. */
const char *secret_origin(const struct secret *secret) __attribute__((nonnull));

#endif
