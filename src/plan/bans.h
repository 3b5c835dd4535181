/* bans.h: what the operator's policy forbids by path (the key "never"), and what no command may change: the policy
 * itself. Pure; policy_merge has seen to the bans that need no path. */
#ifndef PINFOLD_PLAN_BANS_H
#define PINFOLD_PLAN_BANS_H

#include "plan/probe.h"
#include "policy/policy.h"

/* 125 when a later layer than the ban's, or the workspace, would open what is banned, something below it or something
 * above it; and when a writable root holds a file that says what a box may do, or a link that leads to one. */
int bans_check(const struct policy *policy, const struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The ban on reading this place, whatever layer asks for it; NULL: none. */
const struct ban *bans_on_reading(const struct policy *policy, const struct probe *probe, const struct place *place)
    __attribute__((nonnull));

#endif
