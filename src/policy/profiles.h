/* profiles.h: which layers a profile's name stands for. Pure. */
#ifndef PINFOLD_POLICY_PROFILES_H
#define PINFOLD_POLICY_PROFILES_H

#include "policy/policy.h"

typedef LIST(struct profile) profile_list;
typedef LIST(const struct policy *) policy_chain;

/* The profiles that are built in. 126 when out of memory, 125 when one of them can't be read (a test sees to that). */
int profiles_builtin(struct arena *arena, profile_list *profiles, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Add the profiles that a file defines. 125 when the name of one is taken. */
int profiles_add(struct arena *arena, profile_list *profiles, const struct policy *file, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The profile `name` and what it extends, the furthest first: they are merged in that order. 125, at `origin` or where
 * an "extends" stands, for a name that there is not and for a circle. */
int profiles_chain(struct arena *arena, const profile_list *profiles, const char *name, const char *origin,
                   policy_chain *chain, struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
