/* environment.h: which variables of the caller exist inside. An allow-list: what is not on it is dropped by name. */
#ifndef PINFOLD_POLICY_ENVIRONMENT_H
#define PINFOLD_POLICY_ENVIRONMENT_H

#include "base/arena.h"
#include "policy/policy.h"

struct environment {
    text_list kept;    /* NAME=VALUE, the last one NULL (not counted) */
    text_list dropped; /* names, in the caller's order */
};

/* Is a variable of this name passed without being asked for? */
bool environment_allows(const char *name, size_t size) __attribute__((nonnull));

/* Did the operator ask for it with --env? */
bool environment_asked_for(const struct policy *policy, const char *name, size_t size) __attribute__((nonnull));

/* Set NAME=VALUE in `environment`, replacing an older value. 0, or -1 when out of memory. */
int environment_set(struct arena *arena, struct environment *environment, const char *name, const char *value)
    __attribute__((nonnull, warn_unused_result));

/* Filter the caller's variables and add the policy's. */
int environment_build(struct arena *arena, const struct policy *policy, char *const *caller,
                      struct environment *environment, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
