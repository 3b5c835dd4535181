/* launch.c (touching): the supervisor's side of a launch.
 *
 * Should: give the life pipe's write end to nobody; be dumpable only while the id maps are written, when nothing that
 * it doesn't trust runs; end what it began when any step fails. Must not: go on after a failure. */
#include "linux/launch.h"

#include "base/fd.h"
#include "box/message.h"
#include "linux/seccomp.h"
#include "linux/layers.h"
#include "linux/sys.h"
#include "linux/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* How a launch ends when everything holds. Which of the two it is, is said by the function that was called and by
 * nothing else: no policy, plan or variable leads from one to the other. The supervisor takes no other end for it. */
struct ending {
    launch_finish finish;
    enum message_type told;
};
static const struct ending execution = {command_execute, MESSAGE_READY};
static const struct ending rehearsal = {command_rehearsed, MESSAGE_REHEARSED};

/* All but the network namespace, the dear one, which init makes while the supervisor goes on. */
static uint64_t clone_flags(const struct plan *plan) {
    static const struct {
        enum step step;
        uint64_t flag;
    } all[] = {{STEP_IPC_NAMESPACE, CLONE_NEWIPC}, {STEP_CGROUP_NAMESPACE, CLONE_NEWCGROUP}};
    uint64_t flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (plan->taken[all[i].step] && layer_on(all[i].step))
            flags |= all[i].flag;
    return flags;
}

static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

void launch_kill(struct launch *launch) {
    if (launch->init > 0) {
        (void)kill(launch->init, SIGKILL); /* our child, not waited for: the number is its own */
        (void)wait_for(launch->init);
    }
    fd_close(&launch->relay_link); /* end of file: the relay stops at once */
    if (launch->relay > 0) {
        (void)kill(launch->relay, SIGKILL);
        (void)wait_for(launch->relay);
    }
    launch->init = launch->relay = -1;
    fd_close(&launch->pidfd);
    fd_close(&launch->control);
    fd_close(&launch->life);
}

/* Clone the box's init. The child never returns from here. */
static int clone_init(const struct plan *plan, struct launch *launch, struct init_arguments *init, int life,
                      int control, struct failure *failure) {
    struct clone_arguments arguments = {
        .flags = clone_flags(plan) | CLONE_PIDFD, .exit_signal = SIGCHLD, .pidfd = (uint64_t)(uintptr_t)&launch->pidfd};
    init->life = life;
    init->control = control;
    /* an undumpable process can't write its own id maps, nor can its parent: /proc/PID is root's then */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
        return failure_set(failure, STEP_ID_MAPS, errno, "");
    launch->init = sys_clone3_or_clone(&arguments);
    int saved = errno;
    if (launch->init == 0)
        init_run(init);
    int mapped = launch->init < 0 ? -1 : userns_map(plan, launch->init);
    int map_error = errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
        return failure_set(failure, STEP_ID_MAPS, errno, "");
    if (launch->init < 0)
        return failure_set(failure, STEP_USER_NAMESPACE, saved, "clone");
    /* a root caller inside somebody's user namespace doesn't have the ids to map to */
    return mapped ? failure_set(failure, plan->root_mapped ? STEP_IDMAPPED_MOUNTS : STEP_ID_MAPS, map_error, "id maps")
                  : 0;
}

/* Has a signal come, or a tie ended? Asked before go: once the command may begin, poll can see both too late. */
static bool is_called_off(const struct launch *launch) {
    struct pollfd wait[1 + TIES] = {{launch->signals, POLLIN, 0}};
    return poll(wait, 1 + tie_watch(launch->tie, wait + 1), 0) != 0;
}

/* Tell init to go on, with the prepared mounts of a root caller. */
static int send_go(const struct plan *plan, struct launch *launch, struct failure *failure) {
    if (is_called_off(launch))
        return failure_set(failure, STEP_LIFE, EINTR, "");
    int *prepared = calloc(2 * plan->mounts.count + 1, sizeof *prepared);
    size_t count = 0, sent = 0;
    int result = 0;
    if (!prepared)
        return failure_set(failure, STEP_MOUNTS, ENOMEM, "");
    int *ready = prepared + plan->mounts.count;
    for (size_t i = 0; i < plan->mounts.count; i++)
        prepared[i] = -1;
    if (plan->root_mapped) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/ns/user", (int)launch->init);
        autoclose int userns = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
        result = userns < 0 ? failure_set(failure, STEP_IDMAPPED_MOUNTS, errno, path)
                            : mounts_prepare(plan, userns, prepared, failure);
    }
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (prepared[i] >= 0)
            ready[count++] = prepared[i];
    do {
        size_t part = count - sent < MESSAGE_DESCRIPTORS ? count - sent : MESSAGE_DESCRIPTORS;
        struct message message = {.type = MESSAGE_GO, .more = sent + part < count};
        if (!result && message_send(launch->control, &message, ready + sent, part))
            result = failure_set(failure, STEP_LIFE, errno, "control channel");
        sent += part;
    } while (!result && sent < count);
    for (size_t i = 0; i < count; i++)
        close(ready[i]);
    free(prepared);
    return result;
}

/* The pty is there: start the relay, which can be confined only now, and let init go on. */
static int take_terminal(const struct plan *plan, struct launch *launch, struct channels *channels, int master,
                         struct failure *failure) {
    struct message go = {.type = MESSAGE_GO};
    if (master < 0 || launch->relay_link >= 0)
        return failure_set(failure, STEP_RELAY, EPROTO, "terminal");
    if (channels_terminal(plan, channels, master, failure) || relay_start(plan, channels, launch, failure) ||
        relay_confirm(launch, failure))
        return -1;
    channels_close(channels);
    return message_send(launch->control, &go, NULL, 0) ? failure_set(failure, STEP_RELAY, errno, "terminal") : 0;
}

static int failure_told(const struct message *message, struct failure *failure) {
    return failure_set(failure, message->step >= 0 && message->step < STEP_COUNT ? (enum step)message->step : STEP_LIFE,
                       message->value, message->detail);
}

/* When init fails before go, it says so and ends; whatever is then seen to fail here fails because it has ended. */
static int failed_before_go(const struct launch *launch, struct failure *failure) {
    struct message message;
    int none[1];
    size_t count = 0;
    struct pollfd wait = {launch->control, POLLIN, 0};
    if (poll(&wait, 1, 0) == 1 && message_receive(launch->control, &message, none, &count) == 1 &&
        message.type == MESSAGE_FAILED)
        return failure_told(&message, failure);
    return -1;
}

/* Read messages until everything holds or something failed. */
static int wait_end(const struct plan *plan, const struct ending *ending, struct launch *launch,
                    struct channels *channels, struct failure *failure) {
    for (;;) {
        struct message message;
        int master = -1;
        size_t count = 1;
        struct pollfd wait[2 + TIES] = {{launch->control, POLLIN, 0}, {launch->signals, POLLIN, 0}};
        int events = poll(wait, 2 + tie_watch(launch->tie, wait + 2), -1);
        /* a signal or a tie's word alone: there is nobody yet who could be given it */
        if (events < 0 || !wait[0].revents)
            return failure_set(failure, STEP_LIFE, EINTR, "");
        int got = message_receive(launch->control, &message, &master, &count);
        if (got <= 0)
            return failure_set(failure, STEP_LIFE, got ? errno : EPIPE, "the box ended before it was ready");
        if (message.type == (uint32_t)ending->told)
            return 0;
        switch (message.type) {
        case MESSAGE_FAILED:
            return failure_told(&message, failure);
        case MESSAGE_TERMINAL:
            if (take_terminal(plan, launch, channels, count ? master : -1, failure))
                return -1;
            break;
        default:
            return failure_set(failure, STEP_LIFE, EPROTO, "control channel");
        }
    }
}

static int prepare(const struct plan *plan, struct prepared *prepared, struct failure *failure) {
    const struct seccomp_ids ids = {!plan->root_mapped, plan->probe->outer_root, plan->probe->uid, plan->probe->gid};
    if (witness_open(plan, &prepared->witness))
        return failure_set(failure, STEP_VERIFY, errno, "witnesses of the outside");
    if (plan->taken[STEP_SECCOMP] && seccomp_compile(&seccomp_command, &ids, &prepared->filter))
        return failure_set(failure, STEP_SECCOMP, E2BIG, "");
    return 0;
}

static int start(const struct plan *plan, const struct ending *ending, struct launch *launch, struct prepared *prepared,
                 struct channels *channels, struct failure *failure) {
    int life[2] = {-1, -1}, control[2] = {-1, -1};
    if (channels_open(plan, channels, failure))
        return -1;
    if (plan->relay && !plan->terminal && relay_start(plan, channels, launch, failure))
        return -1;
    if (pipe2(life, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control)) {
        fd_close(&life[0]), fd_close(&life[1]);
        return failure_set(failure, STEP_LIFE, errno, "");
    }
    launch->life = life[1];
    launch->control = control[0];
    struct init_arguments init = {
        .plan = plan, .prepared = prepared, .channels = channels, .mask = &launch->mask, .finish = ending->finish};
    int cloned = clone_init(plan, launch, &init, life[0], control[1], failure);
    close(life[0]);
    close(control[1]);
    if (cloned || prepare(plan, prepared, failure) || relay_confirm(launch, failure) ||
        channels_give(plan, channels, failure) || send_go(plan, launch, failure))
        return failed_before_go(launch, failure);
    if (!plan->terminal)
        channels_close(channels); /* the relay and init have theirs */
    return wait_end(plan, ending, launch, channels, failure);
}

static int attempt(const struct plan *plan, const struct ending *ending, const sigset_t *mask, int signals,
                   struct tie *tie, struct launch *launch, struct failure *failure) {
    struct prepared *prepared = mmap(NULL, sizeof *prepared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct channels channels = {0};
    *launch = (struct launch){.init = -1,
                              .pidfd = -1,
                              .control = -1,
                              .life = -1,
                              .relay = -1,
                              .relay_link = -1,
                              .signals = signals,
                              .tie = tie,
                              .mask = *mask};
    if (prepared == MAP_FAILED)
        return failure_set(failure, STEP_LIFE, errno, "memory");
    prepared->witness.socket = prepared->witness.listener = -1;
    int result = start(plan, ending, launch, prepared, &channels, failure);
    launch->untried = (prepared->witness.hidden ? 0 : G(FS_READ)) | (prepared->witness.port ? 0 : G(NET_LOCAL));
    witness_close(&prepared->witness);
    channels_close(&channels);
    if (result)
        launch_kill(launch);
    launch->begun = result && atomic_load(&prepared->begun); /* looked at when nobody is left to set it */
    munmap(prepared, sizeof *prepared);
    return result;
}

int launch_start(const struct plan *plan, const sigset_t *mask, int signals, struct tie *tie, struct launch *launch,
                 struct failure *failure) {
    return attempt(plan, &execution, mask, signals, tie, launch, failure);
}

int launch_rehearse(const struct plan *plan, const sigset_t *mask, int signals, uint32_t *untried,
                    struct failure *failure) {
    struct launch launch;
    struct tie none = {0};
    if (attempt(plan, &rehearsal, mask, signals, &none, &launch, failure))
        return -1;
    *untried = launch.untried;
    launch_kill(&launch);
    return 0;
}
