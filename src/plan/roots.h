/* roots.h: which folders may be granted, and which never. */
#ifndef PINFOLD_PLAN_ROOTS_H
#define PINFOLD_PLAN_ROOTS_H

#include "plan/probe.h"
#include "policy/policy.h"

/* Refuse (125, with what to type instead) a workspace or grant that would open more than its name says: `/`, the home,
 * an ancestor of pinfold itself, system folders for writing, /proc and /dev; a path that isn't there; and what may be
 * changed above a workspace that may not. */
int roots_check(const struct policy *policy, const struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Is it one of the folders that every box has of the system, or below one? */
bool roots_is_system(const char *path) __attribute__((nonnull));

/* A device that every box has of its own: granted, it adds nothing. */
bool roots_is_own_device(const char *path) __attribute__((nonnull));

/* The system roots: granted read-only to every box that finds them. NULL-terminated. */
extern const char *const roots_system[];

#endif
