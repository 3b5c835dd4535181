/* confine.h: the inner half's parts that every confined process of pinfold takes: no rights to gain, none to use. */
#ifndef PINFOLD_LINUX_CONFINE_H
#define PINFOLD_LINUX_CONFINE_H

#include "plan/plan.h"

#include <linux/securebits.h>
#include <stdint.h>

/* What the box's processes have: root is nobody special, and none of it can be changed. */
enum {
    CONFINED_SECUREBITS = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                          SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                          SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
};

/* Empty all capability sets (effective, permitted, inheritable, ambient, bounding) and lock securebits. The bounding
 * set and the securebits can only be changed by one who has CAP_SETPCAP; without it they stay, and no_new_privs makes
 * them harmless. -1 with errno set. */
int confine_capabilities(void) __attribute__((warn_unused_result));

/* All of that but effective, permitted and inheritable, which may be needed for a while. */
int confine_bounding(void) __attribute__((warn_unused_result));

/* Are they all empty? Read back. */
int confine_capabilities_empty(void) __attribute__((warn_unused_result));
int confine_bounding_empty(void) __attribute__((warn_unused_result));

int confine_no_new_privs(void) __attribute__((warn_unused_result));

/* No core dump, neither a file nor one that the kernel hands to a program of the host (core_pattern with | or @): that
 * one ignores a limit of 0 and is left out only at a limit of exactly 1 byte (core(5)); one behind a socket (@) is
 * never left out. A caller whose hard limit is 0 already can't have 1; that is EPERM where such a program is set. */
int confine_core(void) __attribute__((warn_unused_result));

/* Is it so? 0, or -1 with EPERM. */
int confine_core_closed(void) __attribute__((warn_unused_result));

/* A process of pinfold that reads what a command wrote, and has nothing but open descriptors. */
struct confinement {
    bool landlock, seccomp; /* is it there? */
    int landlock_abi;
};
struct confined {
    uint32_t step; /* that failed; STEP_COUNT: confined */
    int32_t error;
};

struct confinement confinement_of(const struct plan *plan) __attribute__((nonnull));

/* No right, no file, no port, and about a dozen calls: those of the relay. */
struct confined confine_to_descriptors(const struct confinement *confinement)
    __attribute__((nonnull, warn_unused_result));

#endif
