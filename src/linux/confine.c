/* confine.c (touching: capabilities, prctl, setrlimit). See confine.h. */
#include "linux/confine.h"

#include "base/fd.h"
#include "linux/landlock.h"
#include "linux/seccomp.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { CAP_SETPCAP_ = 8, CAPABILITIES_MAX = 64 };

int confine_bounding(void) {
    uint64_t effective, permitted, inheritable;
    if (sys_capabilities_get(&effective, &permitted, &inheritable))
        return -1;
    if (effective >> CAP_SETPCAP_ & 1) {
        int capability = 0;
        while (capability < CAPABILITIES_MAX && !prctl(PR_CAPBSET_DROP, capability, 0, 0, 0))
            capability++;
        if (!capability || (capability < CAPABILITIES_MAX && errno != EINVAL)) /* EINVAL: past the last one */
            return -1;
        if (prctl(PR_SET_SECUREBITS, CONFINED_SECUREBITS, 0, 0, 0))
            return -1;
    }
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int confine_capabilities(void) {
    return confine_bounding() ? -1 : sys_capabilities_clear();
}

int confine_capabilities_empty(void) {
    uint64_t effective, permitted, inheritable;
    if (sys_capabilities_get(&effective, &permitted, &inheritable))
        return -1;
    errno = EPERM;
    if (effective | permitted | inheritable)
        return -1;
    return 0; /* an ambient capability is always a permitted one too */
}

int confine_bounding_empty(void) {
    for (int i = 0, bounding = 0; i < CAPABILITIES_MAX && bounding >= 0; i++) {
        bounding = prctl(PR_CAPBSET_READ, i, 0, 0, 0); /* -1: past the last one */
        if (bounding > 0 || (bounding < 0 && (!i || errno != EINVAL))) {
            errno = EPERM;
            return -1;
        }
    }
    return 0;
}

int confine_no_new_privs(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int confine_core_closed(void) {
    struct rlimit now;
    char pattern = 0;
    autoclose int fd = openat(AT_FDCWD, "/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : fd_read_all(fd, &pattern, 1);
    if (got < 0 || getrlimit(RLIMIT_CORE, &now))
        return -1;
    bool byte = now.rlim_cur == 1 && now.rlim_max == 1, none = !now.rlim_cur && !now.rlim_max;
    errno = EPERM;
    if (pattern == '@') /* a socket (6.16): asks for no limit */
        return -1;
    return byte || (none && pattern != '|') ? 0 : -1;
}

int confine_core(void) {
    const struct rlimit byte = {1, 1};
    struct rlimit now;
    if (getrlimit(RLIMIT_CORE, &now))
        return -1;
    return now.rlim_max ? setrlimit(RLIMIT_CORE, &byte) : 0; /* a hard limit of 0 can't be raised */
}

struct confinement confinement_of(const struct plan *plan) {
    return (struct confinement){plan->taken[STEP_LANDLOCK], plan->taken[STEP_SECCOMP], plan->probe->landlock_abi};
}

struct confined confine_to_descriptors(const struct confinement *confinement) {
    static struct seccomp_program program;
    const struct seccomp_ids nobody = {0};
    if (confine_core())
        return (struct confined){STEP_LIMITS, errno};
    if (confine_capabilities() || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
        return (struct confined){STEP_CAPABILITIES, errno};
    if (confine_no_new_privs())
        return (struct confined){STEP_NO_NEW_PRIVS, errno};
    if (confinement->landlock && landlock_close(confinement->landlock_abi))
        return (struct confined){STEP_LANDLOCK, errno};
    if (seccomp_compile(&seccomp_relay, &nobody, &program))
        return (struct confined){STEP_SECCOMP, E2BIG};
    if (confinement->seccomp && sys_seccomp_filter(program.code, program.count))
        return (struct confined){STEP_SECCOMP, errno};
    return (struct confined){STEP_COUNT, 0};
}
