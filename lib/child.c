/* child.c (touching: posix_spawn, pidfds): starting the program and seeing its end.
 *
 * Should: give the child exactly the descriptors of the launch; find out the end of the very process that was started,
 * whoever waits for it. Must not: use a process id when it can have become another's; run code in a copy of the host
 * (posix_spawn shares its memory until exec, so a large host costs no more). */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Copies of all that the child gets, above every number that it has there, so that no dup2 hits one that is still
 * needed. */
static int copy_sources(const struct launch *launch, int *copies, struct pinfold_error *err) {
    for (size_t i = 0; i < launch->maps; i++) {
        if (launch->map[i].from < 0)
            continue;
        copies[i] = fcntl(launch->map[i].from, F_DUPFD_CLOEXEC, launch->next);
        if (copies[i] < 0 && errno == EBADF)
            return pinfold_fail(err, STATUS_WRONG, "descriptor %d is not open", launch->map[i].from);
        if (copies[i] < 0)
            return pinfold_fail_system(err, "copy a descriptor", errno);
    }
    return 0;
}

static bool is_given(const struct launch *launch, int number) {
    for (size_t i = 0; i < launch->maps; i++)
        if (launch->map[i].to == number)
            return true;
    return false;
}

static int add_actions(const struct launch *launch, const int *copies, posix_spawn_file_actions_t *actions) {
    int failed = launch->folder >= 0 ? posix_spawn_file_actions_addfchdir_np(actions, launch->folder) : 0;
    for (size_t i = 0; i < launch->maps && !failed; i++)
        failed = copies[i] >= 0 ? posix_spawn_file_actions_adddup2(actions, copies[i], launch->map[i].to)
                                : posix_spawn_file_actions_addopen(actions, launch->map[i].to, "/dev/null", O_RDWR, 0);
    for (int number = 3; number < launch->next && !failed; number++)
        if (!is_given(launch, number))
            failed = posix_spawn_file_actions_addclose(actions, number);
    return failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, launch->next);
}

/* No signal blocked or ignored, as from a shell; a session of its own: what a terminal sends to the host's group is the
 * host's to pass on. */
static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    return failed ? failed
                  : posix_spawnattr_setflags(attributes,
                                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
}

/* The program is executed by its descriptor: what was checked, whatever stands at its path now. */
static int spawn(struct launch *launch, const int *copies, pid_t *pid) {
    char path[48] = "/proc/self/fd/";
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    if (!(failed = posix_spawnattr_init(&attributes))) {
        strcat(path, launch->text[0]);
        failed = add_actions(launch, copies, &actions);
        if (!failed)
            failed = set_attributes(&attributes);
        if (!failed)
            failed = posix_spawn(pid, path, &actions, &attributes, (char *const *)launch->words,
                                 launch->environment ? launch->environment : environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* A pidfd of the child. Somebody may have waited for it already, and its number may be another's: asked of the pidfd
 * itself whether it is our child; if not, ours has ended. */
static int watch(pid_t pid) {
    siginfo_t info;
    int fd = pinfold_above((int)syscall(SYS_pidfd_open, pid, 0));
    if (fd < 0 && errno != ESRCH)
        return -1;
    if (fd >= 0 && !waitid((idtype_t)P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG | WNOWAIT))
        return fd;
    pinfold_shut(&fd);
    return pinfold_above(eventfd(1, EFD_CLOEXEC));
}

int pinfold_launch_spawn(struct launch *launch, int *ended, struct pinfold_error *err) {
    int copies[MAPS];
    pid_t pid = 0;
    for (size_t i = 0; i < MAPS; i++)
        copies[i] = -1;
    int result = copy_sources(launch, copies, err);
    if (!result) {
        int failed = spawn(launch, copies, &pid);
        if (failed == E2BIG)
            result = pinfold_fail(err, STATUS_WRONG, "the arguments and variables are too large for a process");
        else if (failed)
            result = pinfold_fail_system(err, launch->pinfold->path, failed);
    }
    for (size_t i = 0; i < launch->maps; i++)
        pinfold_shut(&copies[i]);
    if (result)
        return -1;
    pinfold_shut(&launch->tie[1]); /* now its other end is the child's alone */
    *ended = watch(pid);
    if (*ended >= 0)
        return 0;
    int saved = errno;
    pinfold_shut(&launch->tie[0]); /* a box that we can't watch ends */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return pinfold_fail_system(err, "watch a process", saved);
}

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int pinfold_child_wait(int ended, int timeout_ms) {
    struct pollfd wait = {ended, POLLIN, 0};
    long long until = milliseconds() + timeout_ms;
    for (;;) {
        long long left = until - milliseconds();
        int got = poll(&wait, 1, timeout_ms < 0 ? -1 : left < 0 ? 0 : (int)left);
        if (got >= 0)
            return got;
        if (errno != EINTR && errno != EAGAIN)
            return -1;
    }
}

void pinfold_child_reap(int ended) {
    siginfo_t info;
    while (waitid((idtype_t)P_PIDFD, (id_t)ended, &info, WEXITED) && errno == EINTR)
        continue;
}

void pinfold_child_kill(int ended) {
    (void)syscall(SYS_pidfd_send_signal, ended, SIGKILL, NULL, 0);
}
