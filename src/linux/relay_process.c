/* relay_process.c (touching): the relay's process, from fork to the confined loop.
 *
 * Should: hold the caller's descriptors 0 to 2 (and granted ones) and our ends of the box's pipes, and nothing else;
 * say that it is confined before the box is allowed to go on. Must not: outlive the supervisor; know any path. */
#include "base/fd.h"
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/landlock.h"
#include "linux/launch.h"
#include "linux/layers.h"
#include "linux/seccomp.h"
#include "linux/sys.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Signals of the terminal and of the caller are the supervisor's to handle; those of job control stop the relay too. */
static int take_signals(bool terminal) {
    sigset_t all, window;
    sigfillset(&all);
    sigdelset(&all, SIGTSTP);
    sigdelset(&all, SIGTTIN);
    sigdelset(&all, SIGTTOU);
    sigdelset(&all, SIGCONT);
    sigemptyset(&window);
    sigaddset(&window, SIGWINCH);
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || sigprocmask(SIG_SETMASK, &all, NULL))
        return -2;
    return terminal ? signalfd(-1, &window, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
}

/* What the relay says once: which step of its confinement failed and how, or that all was taken. */
struct answer {
    uint32_t step; /* STEP_COUNT: confined */
    int32_t error;
};

/* What it knows of the run. */
struct knowledge {
    bool terminal, landlock, seccomp;
    int landlock_abi;
};

static struct answer confine(const struct knowledge *knowledge) {
    static struct seccomp_program program;
    const struct seccomp_ids nobody = {0};
    if (confine_core())
        return (struct answer){STEP_LIMITS, errno};
    if (confine_capabilities() || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
        return (struct answer){STEP_CAPABILITIES, errno};
    if (confine_no_new_privs())
        return (struct answer){STEP_NO_NEW_PRIVS, errno};
    if (knowledge->landlock && landlock_close(knowledge->landlock_abi))
        return (struct answer){STEP_LANDLOCK, errno};
    if (seccomp_compile(&seccomp_relay, &nobody, &program))
        return (struct answer){STEP_SECCOMP, E2BIG};
    if (knowledge->seccomp && sys_seccomp_filter(program.code, program.count))
        return (struct answer){STEP_SECCOMP, errno};
    return (struct answer){STEP_COUNT, 0};
}

static _Noreturn void relay_main(const struct knowledge *knowledge, const struct channels *channels, int link,
                                 pid_t supervisor) {
    int keep[3 * RELAY_STREAMS + 2];
    size_t count = 0;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != supervisor)
        _exit(1);
    for (size_t i = 0; i < channels->streams; i++) {
        keep[count++] = channels->stream[i].host;
        keep[count++] = channels->stream[i].box;
        keep[count++] = channels->stream[i].unread;
    }
    keep[count++] = link;
    struct answer answer = {STEP_RELAY, EIO};
    struct relay *relay = NULL;
    int window = -2;
    if (fds_keep(keep, count))
        answer = (struct answer){STEP_DESCRIPTORS, errno};
    else if ((window = take_signals(knowledge->terminal)) == -2 || (knowledge->terminal && window < 0) ||
             !(relay = relay_open(channels->stream, channels->streams)))
        answer.error = errno;
    else
        answer = confine(knowledge);
    if (fd_write_all(link, &answer, sizeof answer) || answer.step != STEP_COUNT)
        _exit(1);
    char go; /* not a byte of the caller's is read before it is certain that there is a command to read it */
    if (fd_read_all(link, &go, 1) != 1)
        _exit(1);
    _exit(relay_run(relay, link, window) ? 1 : 0);
}

int relay_start(const struct plan *plan, const struct channels *channels, struct launch *launch,
                struct failure *failure) {
    int pair[2];
    pid_t supervisor = getpid();
    const struct knowledge knowledge = {.terminal = plan->terminal,
                                        .landlock = plan->taken[STEP_LANDLOCK],
                                        .seccomp = plan->taken[STEP_SECCOMP],
                                        .landlock_abi = plan->probe->landlock_abi};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return failure_set(failure, STEP_RELAY, errno, "");
    pid_t pid = fork();
    if (!pid) {
        struct arena shared =
            *launch->arena; /* with the supervisor: it must not be within reach of bytes from the box */
        if (arena_free(&shared))
            _exit(1);
        relay_main(&knowledge, channels, pair[1], supervisor);
    }
    int saved = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return failure_set(failure, STEP_RELAY, saved, "");
    }
    launch->relay = pid;
    launch->relay_link = pair[0];
    return 0;
}

int relay_go(const struct launch *launch) {
    return launch->relay_link < 0 || send(launch->relay_link, "", 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

int relay_confirm(const struct launch *launch, struct failure *failure) {
    struct answer answer;
    if (launch->relay_link < 0)
        return 0;
    if (fd_read_all(launch->relay_link, &answer, sizeof answer) != (ssize_t)sizeof answer)
        return failure_set(failure, STEP_RELAY, EPIPE, "");
    if (answer.step == STEP_COUNT)
        return 0;
    return failure_set(failure, answer.step < STEP_COUNT ? (enum step)answer.step : STEP_RELAY, answer.error, "relay");
}
