/* probe.h: looks at the host. The parts that cost nothing are asked; the rest is found out by the launch itself, which
 * is its own probe. */
#ifndef PINFOLD_LINUX_PROBE_H
#define PINFOLD_LINUX_PROBE_H

#include "base/error.h"
#include "plan/probe.h"
#include "policy/policy.h"

/* Fill *probe for a run with this policy. -1: 126 where the process itself can't be trusted (setuid), no memory. */
int probe_host(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Once id-mapped mounts were seen to be missing: which files under /etc must be covered. */
int probe_private_places(struct arena *arena, struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* After `step`, which makes several namespaces, failed with `error`: try each alone and note those that are missing; if
 * none is, the step is. */
void probe_namespaces(struct probe *probe, enum step step, int error) __attribute__((nonnull));

/* What must not change in writable roots (probe_protect.c). -1: memory, or *err says what could not be looked at. */
int probe_protect(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Its parts: inherited descriptors (probe_descriptors.c), sockets of the host (probe_sockets.c), what must not be read
 * (probe_secrets.c): 125 for what --deny names and can't be held; toolchains of the home (probe_toolchains.c). */
int probe_descriptors(struct arena *arena, const struct policy *policy, struct probe *probe)
    __attribute__((nonnull, warn_unused_result));
int probe_toolchains(struct arena *arena, const struct policy *policy, struct probe *probe)
    __attribute__((nonnull, warn_unused_result));
int probe_sockets(struct arena *arena, struct probe *probe) __attribute__((nonnull, warn_unused_result));
int probe_secrets(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

#endif
