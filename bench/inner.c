/* inner.c: times the inner half alone: inner ROUNDS RIGHTS:PATH... -- COMMAND
 *
 * Each round spawns the command twice: plainly, and by a child that first takes the inner half, with the functions that
 * a launch takes it with: session, descriptors, keyring, core limit, capabilities, no_new_privs, Landlock with the
 * rules given, seccomp. The filter is compiled once and before, since in a launch another process does it meanwhile.
 * Prints the two times of a round in microseconds, from before vfork until the command began, which it says itself on
 * descriptor 3 (true.c). */
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/landlock.h"
#include "linux/seccomp.h"
#include "linux/sys.h"
#include "rules.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct seccomp_program filter;

static _Noreturn void stop(const char *what) {
    perror(what);
    exit(1);
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int take_inner_half(const struct plan *plan) {
    int keep[] = {0, 1, 2, 3};
    return setsid() < 0 || fds_keep(keep, 4) || sys_keyctl_join_session() < 0 || confine_core() ||
           confine_capabilities() || confine_no_new_privs() || landlock_apply(plan) ||
           sys_seccomp_filter(filter.code, filter.count);
}

static double run(const struct plan *plan, char **command) {
    int said[2], status;
    int64_t began;
    char *none[] = {NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, said))
        stop("socketpair");
    int64_t start = nanoseconds();
    pid_t pid = vfork();
    if (!pid) {
        /* after vfork, as posix_spawn does it, so that both legs differ by nothing else */
        if (dup2(said[1], 3) != 3 || (plan && take_inner_half(plan))) // NOLINT(clang-analyzer-unix.Vfork)
            _exit(100);
        execve(command[0], command, none);
        _exit(101);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        stop("spawn");
    close(said[1]);
    if (status || read(said[0], &began, sizeof began) != sizeof began) {
        fprintf(stderr, "inner: the command did not run: status %d\n", WEXITSTATUS(status));
        exit(1);
    }
    close(said[0]);
    return (double)(began - start) / 1e3;
}

int main(int argc, char **argv) {
    const struct seccomp_ids ids = {true, getuid() == 0, getuid(), getgid()};
    struct plan plan = {0};
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    char **command = rules_take(argv + (argc > 1 ? 2 : argc), &plan);
    /* 3 must be taken, so that no end of the socket pair gets it and loses its close-on-exec */
    if (dup2(0, 3) != 3 || seccomp_compile(&seccomp_command, &ids, &filter))
        stop("inner");
    for (int round = 0; round < rounds; round++) {
        double plain = run(NULL, command);
        printf("%.1f %.1f\n", plain, run(&plan, command));
    }
    return fflush(stdout) ? 1 : 0;
}
