/* compile.h: from what is granted and what the host has to what a launch will do. */
#ifndef PINFOLD_LINUX_COMPILE_H
#define PINFOLD_LINUX_COMPILE_H

#include "plan/plan.h"

/* The native plan. `caller` is the caller's environment. 0, or -1: 125 for a policy that can't be, 126 for no memory.
 * Whether the plan keeps its promises is plan_check's question. */
int compile_native(struct arena *arena, const struct policy *policy, const struct probe *probe, char *const *caller,
                   struct plan *plan, struct error *err) __attribute__((nonnull, warn_unused_result));

int mount_add(struct arena *arena, mount_list *mounts, struct mount mount) __attribute__((nonnull, warn_unused_result));

/* A tree of the host, at its own path. */
struct mount mount_tree(const struct place *place, bool writable, const char *why) __attribute__((nonnull));

/* Parts of it, each in the file of its name. */
int compile_base(struct arena *arena, const struct plan *plan, mount_list *mounts)
    __attribute__((nonnull, warn_unused_result));
int compile_toolchains(struct arena *arena, const struct plan *plan, mount_list *mounts)
    __attribute__((nonnull, warn_unused_result));
/* The variables that place a toolchain's cache where the box has nothing: they name a place in its home. */
int compile_caches(struct arena *arena, struct plan *plan) __attribute__((nonnull, warn_unused_result));
int compile_mounts(struct arena *arena, struct plan *plan, struct error *err)
    __attribute__((nonnull, warn_unused_result));
/* Which mounts hide or cover the secrets among them. 125 and 126 for those that can't be held, unless fs-secret is
 * waived. */
int compile_secrets(struct arena *arena, struct plan *plan, mount_list *mounts, struct error *err)
    __attribute__((nonnull, warn_unused_result));
/* What is held, as mounts; which folders are pinned, once all mounts are there. compile_protect_check: 125 for a path
 * that can't be protected. */
int compile_protect_check(const struct plan *plan, struct error *err) __attribute__((nonnull, warn_unused_result));
int compile_holds(struct arena *arena, const struct plan *plan, mount_list *mounts)
    __attribute__((nonnull, warn_unused_result));
int compile_pins(struct arena *arena, struct plan *plan) __attribute__((nonnull, warn_unused_result));
int compile_channels(struct arena *arena, struct plan *plan, struct error *err)
    __attribute__((nonnull, warn_unused_result));

#endif
