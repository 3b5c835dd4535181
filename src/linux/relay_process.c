/* relay_process.c (touching): the relay's process, from fork to the confined loop.
 *
 * Should: hold the caller's descriptors 0 to 2 (and granted ones) and our ends of the box's pipes, and nothing else;
 * say that it is confined before the box is allowed to go on. Must not: outlive the supervisor; know any path. */
#include "base/fd.h"
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/launch.h"

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

/* What it knows of the run. */
struct knowledge {
    bool terminal;
    struct confinement confinement;
};

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
    struct confined answer = {STEP_RELAY, EIO};
    struct relay *relay = NULL;
    int window = -2;
    if (fds_keep(keep, count))
        answer = (struct confined){STEP_DESCRIPTORS, errno};
    else if ((window = take_signals(knowledge->terminal)) == -2 || (knowledge->terminal && window < 0) ||
             !(relay = relay_open(channels->stream, channels->streams)))
        answer.error = errno;
    else
        answer = confine_to_descriptors(&knowledge->confinement);
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
    const struct knowledge knowledge = {plan->terminal, confinement_of(plan)};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return failure_set(failure, STEP_RELAY, errno, "");
    pid_t pid = fork();
    if (!pid) {
        close(launch->life); /* first of all: as long as it is held here, init can't see that the supervisor has gone */
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
    struct confined answer;
    if (launch->relay_link < 0)
        return 0;
    if (fd_read_all(launch->relay_link, &answer, sizeof answer) != (ssize_t)sizeof answer)
        return failure_set(failure, STEP_RELAY, EPIPE, "");
    if (answer.step == STEP_COUNT)
        return 0;
    return failure_set(failure, answer.step < STEP_COUNT ? (enum step)answer.step : STEP_RELAY, answer.error, "relay");
}
