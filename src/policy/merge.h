/* merge.h: one policy out of layers. Pure.
 *
 * Layers come from the most to the least trusted: built in, /etc/pinfold/policy.json, the user's own, a profile,
 * --policy, the command line. Each may open more than those before it, unless one of them says "never". The file in the
 * workspace comes last and can only close. */
#ifndef PINFOLD_POLICY_MERGE_H
#define PINFOLD_POLICY_MERGE_H

#include "policy/policy.h"

/* The first layer: what pinfold has built in. */
void policy_floor(struct policy *policy) __attribute__((nonnull));

/* Add a layer to `into`. 125 when an earlier layer forbids something in it by name; bans on paths are kept with their
 * layer's number, for roots_check, since only canonical paths can be compared. */
int policy_merge(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Where the first thing in a layer was asked for that opens something, or says what others may; NULL: there is none. */
const char *policy_opening(const struct policy *layer) __attribute__((nonnull));

/* Let a layer close more: of every number and mode the stricter of both, what it denies and what it protects. 125 for
 * anything in it that would open. After it `into` allows nothing that it did not allow before. */
int policy_narrow(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err)
    __attribute__((nonnull, warn_unused_result));

#endif
