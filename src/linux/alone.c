/* alone.c (touching: a process of its own). See alone.h. */
#include "linux/alone.h"

#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/landlock.h"
#include "linux/seccomp.h"
#include "linux/sys.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    int errors[STEP_COUNT];
    struct seccomp_program filter;
};

static void try_all(const struct probe *probe, struct shared *shared) {
    const struct seccomp_ids ids = {true, probe->outer_root, probe->uid, probe->gid};
    int none[] = {-1};
    int *errors = shared->errors;
#define TRY(step, act) errors[step] = (act) ? errno : 0
    TRY(STEP_SESSION, setsid() < 0);
    TRY(STEP_DESCRIPTORS, fds_keep(none, 1));
    TRY(STEP_KEYRING, sys_keyctl_join_session() < 0);
    TRY(STEP_LIMITS, confine_core_closed());
    TRY(STEP_CAPABILITIES, confine_capabilities());
    TRY(STEP_NO_NEW_PRIVS, confine_no_new_privs());
    if (probe->landlock_abi > 0)
        TRY(STEP_LANDLOCK, landlock_close(probe->landlock_abi));
    /* last: it closes what the others need; E2BIG is what a launch says of a table that doesn't fit */
    if (seccomp_compile(&seccomp_command, &ids, &shared->filter))
        errors[STEP_SECCOMP] = E2BIG;
    else
        TRY(STEP_SECCOMP, sys_seccomp_filter(shared->filter.code, shared->filter.count));
#undef TRY
}

int alone_try(const struct probe *probe, int errors[STEP_COUNT]) {
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(errors, 0, STEP_COUNT * sizeof *errors);
    if (shared == MAP_FAILED)
        return -1;
    pid_t pid = fork();
    int saved = errno;
    if (!pid) {
        try_all(probe, shared);
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    memcpy(errors, shared->errors, sizeof shared->errors);
    munmap(shared, sizeof *shared);
    errno = saved;
    return pid < 0 ? -1 : 0;
}
