/* supervise.c (touching: signals, timers, ties, the control channel).
 *
 * Should: pass signals on; end the box when its time is over; see every process of it gone before saying so; restore
 * the caller's terminal. Must not: read what the command writes (the relay does), wait longer than grace for a command
 * that was told to end. */
#include "supervise/supervise.h"

#include "base/fd.h"
#include "box/message.h"
#include "linux/launch.h"
#include "supervise/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

enum phase {
    PHASE_RUNNING,
    PHASE_STOPPING, /* told to end; killed when grace is over */
    PHASE_ENDED,    /* init has gone, and everything with it; the relay may still have output to deliver */
    PHASE_DONE,
};

struct watch {
    struct box *box;
    struct launch *launch;
    enum phase phase;
    uint64_t started, deadline, kill_at; /* milliseconds of the monotonic clock; 0: none */
    bool timed_out;
    int told; /* the signal that told pinfold to end, or 0 */
    bool ended;
    int status; /* wait status of the command, when ended */
    int signals;
    bool stuck; /* init takes no messages */
    bool cut;   /* the relay was not waited for to its end: it may have had output in its hands */
};

static uint64_t now_in(uint64_t parts) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * parts + (uint64_t)now.tv_nsec / (1000000000 / parts);
}

static void send_signal(struct watch *watch, int number, bool all) {
    struct message message = {.type = MESSAGE_SIGNAL, .value = number, .step = all};
    struct pollfd room = {watch->launch->control, POLLOUT, 0};
    /* a storm of them fills the queue; init empties it at once, unless it is stopped from outside: that is found out
     * once, and waited for no more */
    for (int tries = watch->stuck ? 2 : 0; tries < 3; tries++) {
        watch->stuck = message_send(room.fd, &message, NULL, 0) && errno == EAGAIN;
        if (!watch->stuck)
            return; /* or init has gone */
        if (tries < 2)
            (void)poll(&room, 1, 100);
    }
}

/* Never with a number that isn't our child's: kill(-1) is everybody. */
static void end_init(const struct watch *watch) {
    if (watch->launch->init > 0)
        (void)kill(watch->launch->init, SIGKILL);
}

/* Without its relay the box is deaf and mute. */
static void end_deaf(const struct watch *watch) {
    watch->box->result.deaf = true;
    end_init(watch);
}

static void stop(struct watch *watch) {
    if (watch->phase == PHASE_RUNNING)
        watch->phase = PHASE_STOPPING;
    if (!watch->kill_at)
        watch->kill_at = now_in(1000) + watch->box->policy.grace.value;
}

static void obey(struct watch *watch, int number, bool all) {
    if (watch->phase == PHASE_ENDED) {
        /* only the output is still being delivered: whoever wants that to stop gets it */
        watch->kill_at = now_in(1000);
        return;
    }
    if (number == SIGKILL)
        end_init(watch);
    else
        send_signal(watch, number, all);
    if (number == SIGTERM || number == SIGHUP || number == SIGKILL) {
        watch->told = number;
        stop(watch);
    }
}

static void take_signal(struct watch *watch) {
    struct signalfd_siginfo info;
    if (read(watch->signals, &info, sizeof info) == sizeof info)
        obey(watch, (int)info.ssi_signo, false);
}

/* The end of a tie is as good as SIGTERM: whoever ran the box may have gone. */
static void take_tie(struct watch *watch, size_t index, short revents) {
    struct order orders[ORDERS];
    size_t count;
    if (tie_take(watch->launch->tie, index, revents, orders, &count))
        obey(watch, SIGTERM, false);
    /* SIGKILL waits for no other: those need room in the queue of an init that may be stopped */
    for (size_t i = 0; i < count; i++)
        if (orders[i].signal == SIGKILL)
            obey(watch, SIGKILL, true);
    for (size_t i = 0; i < count; i++)
        if (orders[i].signal != SIGKILL)
            obey(watch, orders[i].signal, orders[i].all);
}

static void take_message(struct watch *watch) {
    struct message message;
    int none[1];
    size_t count = 0;
    if (message_receive(watch->launch->control, &message, none, &count) != 1) {
        fd_close(&watch->launch->control);
        return;
    }
    if (message.type == MESSAGE_ENDED) {
        watch->ended = true;
        watch->status = message.value;
    } else if (message.type == MESSAGE_EXEC_FAILED) {
        watch->box->result.exec_error = message.value ? message.value : ENOEXEC;
    }
}

/* Init has ended: so has everything that was in the box. */
static void take_end(struct watch *watch) {
    struct result *result = &watch->box->result;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    while (wait4(watch->launch->init, NULL, 0, &usage) < 0 && errno == EINTR)
        continue;
    watch->launch->init = -1;
    fd_close(&watch->launch->pidfd);
    while (watch->launch->control >= 0 && !watch->ended) /* what it said last */
        take_message(watch);
    result->wall = now_in(1000000) - watch->started;
    result->processor = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    result->peak = (uint64_t)usage.ru_maxrss;
    watch->phase = watch->launch->relay_link >= 0 ? PHASE_ENDED : PHASE_DONE;
    /* output that nobody takes is waited for, as the command itself would have; not so when time is over */
    watch->kill_at = watch->timed_out || watch->told ? now_in(1000) + watch->box->policy.grace.value : 0;
    /* a relay that has gone already has left its report to be read */
    if (watch->launch->relay_link >= 0)
        (void)send(watch->launch->relay_link, "", 1, MSG_NOSIGNAL);
}

/* The relay has said how much it moved, or has gone. */
static void take_report(struct watch *watch) {
    struct relay_report *report = &watch->box->result.relay;
    ssize_t got = fd_read_all(watch->launch->relay_link, report, sizeof *report);
    fd_close(&watch->launch->relay_link);
    if (got != sizeof *report)
        end_deaf(watch);
    if (watch->phase == PHASE_ENDED)
        watch->phase = PHASE_DONE;
}

static int time_left(const struct watch *watch) {
    uint64_t at = watch->kill_at;
    if (watch->deadline && !watch->timed_out && (!at || watch->deadline < at))
        at = watch->deadline;
    uint64_t now = now_in(1000);
    if (!at)
        return -1;
    uint64_t left = at > now ? at - now : 0;
    return left > 1000000 ? 1000000 : (int)left;
}

static void take_time(struct watch *watch) {
    uint64_t now = now_in(1000);
    if (watch->deadline && !watch->timed_out && now >= watch->deadline) {
        watch->timed_out = true;
        if (watch->phase == PHASE_ENDED) {
            watch->kill_at = now; /* the command is over, and nobody takes its output */
        } else {
            send_signal(watch, SIGTERM, true);
            stop(watch);
        }
    }
    if (!watch->kill_at || now < watch->kill_at)
        return;
    watch->kill_at = 0;
    if (watch->phase == PHASE_STOPPING)
        end_init(watch);
    else if (watch->phase == PHASE_ENDED)
        watch->phase = PHASE_DONE;
}

static void loop(struct watch *watch) {
    while (watch->phase != PHASE_DONE) {
        /* not the control channel: whatever is said there is followed by init's end, and read then, in one waking */
        struct pollfd wait[3 + TIES] = {
            {watch->signals, POLLIN, 0}, {watch->launch->pidfd, POLLIN, 0}, {watch->launch->relay_link, POLLIN, 0}};
        size_t ties = tie_watch(watch->launch->tie, wait + 3);
        if (poll(wait, 3 + ties, time_left(watch)) < 0 && errno != EINTR)
            return;
        if (wait[0].revents)
            take_signal(watch);
        for (size_t i = 0; i < ties; i++)
            take_tie(watch, i, wait[3 + i].revents);
        if (wait[1].revents)
            take_end(watch);
        else if (wait[2].revents)
            take_report(watch);
        take_time(watch);
    }
}

static void judge(struct watch *watch) {
    struct result *result = &watch->box->result;
    bool signalled = watch->ended && WIFSIGNALED(watch->status);
    result->outcome = OUTCOME_KILLED;
    result->status = 128 + SIGKILL;
    if (watch->timed_out) {
        result->outcome = OUTCOME_TIMEOUT;
        result->status = EXIT_TIMEOUT;
    } else if (result->exec_error) {
        bool absent = result->exec_error == ENOENT;
        result->outcome = absent ? OUTCOME_NOT_FOUND : OUTCOME_NOT_EXECUTABLE;
        result->status = absent ? EXIT_NOT_FOUND : EXIT_REFUSED;
    } else if (watch->ended) {
        result->outcome = signalled ? OUTCOME_SIGNALLED : OUTCOME_EXITED;
        result->status = signalled ? 128 + WTERMSIG(watch->status) : WEXITSTATUS(watch->status);
    } else if (watch->told) {
        result->outcome = OUTCOME_TERMINATED;
        result->status = 128 + watch->told;
    }
    for (size_t i = 0; i < RELAY_STREAMS && !result->lost; i++)
        result->lost = result->relay.stream[i].error;
    if ((result->deaf || watch->cut) && watch->ended && !result->lost)
        result->lost = EIO;
    if (result->lost && !result->status)
        result->status = EXIT_USAGE; /* what was to be written isn't: that is no success */
}

/* The relay has the caller's pipes and files; held here as well, their other ends wouldn't see the end when the command
 * closes them. Not 2, which messages go to, nor terminals, whose mode is to be restored. */
static void give_up_relayed(const struct plan *plan) {
    autoclose int null = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
    for (size_t i = 0; null >= 0 && i < plan->channels.count; i++) {
        const struct channel *channel = &plan->channels.at[i];
        if (channel->kind == CHANNEL_RELAY && channel->number != 2)
            (void)dup2(null, channel->number);
    }
}

/* The terminal that the command reads and writes, or -1. */
static int terminal_of(const struct plan *plan) {
    bool written = false;
    int number = -1;
    for (size_t i = 0; i < plan->channels.count; i++) {
        const struct channel *channel = &plan->channels.at[i];
        if (channel->kind == CHANNEL_TTY && channel->inward)
            number = channel->number;
        written |= channel->kind == CHANNEL_TTY && !channel->inward;
    }
    return written ? number : -1;
}

void supervise_run(struct box *box) {
    struct watch watch = {
        .box = box, .launch = box->launch, .started = now_in(1000000), .signals = box->launch->signals};
    struct termios saved;
    watch.deadline = box->policy.timeout.value ? now_in(1000) + box->policy.timeout.value : 0;
    int terminal = terminal_of(&box->plan);
    bool raw = terminal >= 0 && !terminal_raw(terminal, &saved);
    /* raw before the first byte is read: what was typed ahead is the command's, with its ^C and ^D */
    if (relay_go(watch.launch))
        end_deaf(&watch);
    if (box->plan.relay)
        give_up_relayed(&box->plan);
    loop(&watch);
    watch.cut = watch.launch->relay_link >= 0;
    launch_kill(box->launch);
    if (raw)
        (void)terminal_restore(terminal, &saved);
    judge(&watch);
}
