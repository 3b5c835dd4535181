/* launch.c (touching): the supervisor's side of a launch.
 *
 * Should: give the life pipe's write end to nobody; be dumpable only while the id maps are written, when nothing that
 * it doesn't trust runs; end what it began when any step fails. Must not: go on after a failure. */
#include "linux/launch.h"

#include "base/fd.h"
#include "box/message.h"
#include "linux/layers.h"
#include "linux/stage.h"
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

/* Those of a box. init makes most of them itself, while the supervisor goes on. */
enum {
    EVERY_NAMESPACE =
        CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWCGROUP | CLONE_NEWNET
};

static uint64_t namespaces_of(const struct plan *plan) {
    static const struct {
        enum step step;
        uint64_t flag;
    } all[] = {{STEP_IPC_NAMESPACE, CLONE_NEWIPC},
               {STEP_CGROUP_NAMESPACE, CLONE_NEWCGROUP},
               {STEP_NET_NAMESPACE, CLONE_NEWNET}};
    uint64_t flags = EVERY_NAMESPACE;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!plan->taken[all[i].step])
            flags &= ~all[i].flag;
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
    if (!launch->prepared)
        return;
    /* end of file: init and the relay end, also where kill fails */
    fd_close(&launch->control);
    fd_close(&launch->life);
    fd_close(&launch->relay_link);
    if (launch->init > 0) {
        (void)kill(launch->init, SIGKILL); /* our child, not waited for: the number is its own */
        (void)wait_for(launch->init);
    }
    if (launch->relay > 0) {
        (void)kill(launch->relay, SIGKILL);
        (void)wait_for(launch->relay);
    }
    launch->init = launch->relay = -1;
    fd_close(&launch->pidfd);
}

/* Nothing of a launch is there. */
static void reset(struct launch *launch) {
    launch->init = launch->pidfd = launch->control = launch->life = launch->relay = launch->relay_link = -1;
    launch->prepared = NULL;
    launch->untried = 0;
    launch->begun = false;
}

/* Clone init. It must be born dumpable: its id maps can be written only then. */
static int clone_init(struct part *part, struct launch *launch, struct failure *failure) {
    struct clone_arguments arguments = {.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_PIDFD,
                                        .exit_signal = SIGCHLD,
                                        .pidfd = (uint64_t)(uintptr_t)&launch->pidfd};
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
        return failure_set(failure, STEP_ID_MAPS, errno, "");
    pid_t init = sys_clone3_or_clone(&arguments);
    int saved = errno;
    if (init == 0)
        init_run(part);
    launch->init = init; /* here only: the child has this memory too */
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) /* as before, at any rate */
        return failure_set(failure, STEP_ID_MAPS, errno, "");
    return launch->init < 0 ? failure_set(failure, STEP_USER_NAMESPACE, saved, "clone") : 0;
}

/* An init that waits for a plan. */
static int begin(struct arena *arena, uint64_t namespaces, struct launch *launch, struct failure *failure) {
    int life[2] = {-1, -1}, control[2] = {-1, -1};
    reset(launch);
    launch->namespaces = namespaces;
    launch->prepared = arena_alloc(arena, sizeof *launch->prepared);
    launch->arena = arena;
    launch->memory = arena->blocks;
    if (!launch->prepared)
        return failure_set(failure, STEP_LIFE, ENOMEM, "");
    if (pipe2(life, O_CLOEXEC) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control)) {
        fd_close(&life[0]), fd_close(&life[1]);
        return failure_set(failure, STEP_LIFE, errno, "");
    }
    launch->life = life[1];
    launch->control = control[0];
    struct part part = {.prepared = launch->prepared,
                        .memory = *arena,
                        .control = control[1],
                        .life = life[0],
                        .namespaces = (int)(namespaces & ~(uint64_t)(CLONE_NEWUSER | CLONE_NEWPID))};
    for (size_t i = 0; i < RELAY_STREAMS; i++)
        part.box[i] = -1;
    int failed = clone_init(&part, launch, failure);
    close(life[0]);
    close(control[1]);
    if (failed)
        launch_kill(launch);
    return failed;
}

struct launch *launch_begin(struct arena *arena) {
    struct failure failure;
    struct launch *launch = arena_alloc(arena, sizeof *launch);
    if (launch && begin(arena, EVERY_NAMESPACE, launch, &failure))
        return NULL;
    return launch;
}

/* One that was begun before there was a plan will do when it has all that the plan needs. */
static int begin_for(struct arena *arena, const struct plan *plan, struct launch *launch, struct failure *failure) {
    uint64_t namespaces = namespaces_of(plan);
    if (launch->prepared && launch->init > 0 && launch->namespaces == namespaces && launch->memory == arena->blocks)
        return 0;
    if (launch->prepared)
        launch_kill(launch);
    return begin(arena, namespaces, launch, failure);
}

/* A root caller inside somebody's user namespace doesn't have the ids to map to. */
static int write_maps(const struct plan *plan, const struct launch *launch, struct failure *failure) {
    return userns_map(plan, launch->init)
               ? failure_set(failure, plan->root_mapped ? STEP_IDMAPPED_MOUNTS : STEP_ID_MAPS, errno, "id maps")
               : 0;
}

/* The mounts of a root caller, -1 where there is none. */
static int prepare_mounts(const struct plan *plan, const struct launch *launch, int *trees, struct failure *failure) {
    char path[64];
    for (size_t i = 0; i < plan->mounts.count; i++)
        trees[i] = -1;
    if (!plan->root_mapped)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)launch->init);
    autoclose int userns = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    return userns < 0 ? failure_set(failure, STEP_IDMAPPED_MOUNTS, errno, path)
                      : mounts_prepare(plan, userns, trees, failure);
}

static int send_parts(const struct launch *launch, const int *descriptors, size_t count, struct failure *failure) {
    size_t sent = 0;
    do {
        size_t part = count - sent < MESSAGE_DESCRIPTORS ? count - sent : MESSAGE_DESCRIPTORS;
        struct message message = {.type = MESSAGE_GO, .more = sent + part < count};
        if (message_send(launch->control, &message, descriptors + sent, part))
            return failure_set(failure, STEP_LIFE, errno, "control channel");
        sent += part;
    } while (sent < count);
    return 0;
}

/* Tell init to go on, with the plan, the command's descriptors and the prepared mounts. */
static int send_go(struct arena *arena, const struct plan *plan, const struct launch *launch,
                   const struct channels *channels, struct failure *failure) {
    size_t room = plan->mounts.count, count = 0;
    int *trees = arena_alloc(arena, (2 * room + RELAY_STREAMS) * sizeof *trees);
    if (!trees)
        return failure_set(failure, STEP_MOUNTS, ENOMEM, "");
    int *all = trees + room, failed = prepare_mounts(plan, launch, trees, failure);
    for (size_t i = 0; i < plan->channels.count; i++)
        if (channel_has_end(&plan->channels.at[i]))
            all[count++] = plan->channels.at[i].kind == CHANNEL_PASS ? plan->channels.at[i].number : channels->box[i];
    for (size_t i = 0; i < room; i++) {
        launch->prepared->trees[i] = -1;
        if (trees[i] >= 0)
            all[count++] = trees[i];
    }
    if (!failed)
        failed = send_parts(launch, all, count, failure);
    for (size_t i = 0; i < room; i++)
        fd_close(&trees[i]);
    return failed;
}

static int reach(const struct launch *launch, enum supervisor_stage stage, struct failure *failure) {
    return stage_reach(&launch->prepared->supervisor, stage) ? failure_set(failure, STEP_LIFE, errno, "futex") : 0;
}

/* Every process outside is confined. The command may begin, unless a signal came or a tie has ended: until now there
 * was nobody who could be given it. */
static int let_go(const struct launch *launch, struct channels *channels, struct failure *failure) {
    struct pollfd wait[1 + TIES] = {{launch->signals, POLLIN, 0}};
    channels_close(channels); /* the relay and init have theirs */
    if (poll(wait, 1 + tie_watch(launch->tie, wait + 1), 0) != 0)
        return failure_set(failure, STEP_LIFE, EINTR, "");
    return reach(launch, SUPERVISOR_RELEASED, failure);
}

/* The pty is there: start the relay, which can be confined only now, and let init go on. */
static int take_terminal(const struct plan *plan, struct launch *launch, struct channels *channels, int master,
                         struct failure *failure) {
    struct message go = {.type = MESSAGE_GO};
    if (master < 0 || launch->relay_link >= 0)
        return failure_set(failure, STEP_RELAY, EPROTO, "terminal");
    if (channels_terminal(plan, channels, master, failure) || relay_start(plan, channels, launch, failure) ||
        relay_confirm(launch, failure) || let_go(launch, channels, failure))
        return -1;
    return message_send(launch->control, &go, NULL, 0) ? failure_set(failure, STEP_RELAY, errno, "terminal") : 0;
}

static int failure_told(const struct message *message, struct failure *failure) {
    return failure_set(failure, message->step >= 0 && message->step < STEP_COUNT ? (enum step)message->step : STEP_LIFE,
                       message->value, message->detail);
}

/* When init fails before it waits for go, it says so and ends; whatever is then seen to fail here fails because it has
 * ended. */
static int failed_early(const struct launch *launch, struct failure *failure) {
    enum { TRIES = 200, MILLISECONDS = 10 };
    struct pollfd wait = {launch->control, POLLIN, 0};
    for (int tries = 0; tries < TRIES && atomic_load(&launch->prepared->init) < INIT_BEGUN; tries++) {
        struct message message;
        int none[1];
        size_t count = 0;
        if (poll(&wait, 1, MILLISECONDS) == 1)
            return message_receive(launch->control, &message, none, &count) == 1 && message.type == MESSAGE_FAILED
                       ? failure_told(&message, failure)
                       : -1;
    }
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

/* While init builds: the relay; that of a terminal comes later. */
static int release(const struct plan *plan, struct launch *launch, struct channels *channels, struct failure *failure) {
    if (plan->terminal)
        return 0;
    return (plan->relay && relay_start(plan, channels, launch, failure)) || relay_confirm(launch, failure)
               ? -1
               : let_go(launch, channels, failure);
}

static int start(struct arena *arena, const struct plan *plan, const struct ending *ending, struct launch *launch,
                 struct channels *channels, struct failure *failure) {
    struct prepared *prepared = launch->prepared;
    if (channels_open(plan, channels, failure))
        return -1;
    prepared->plan = plan;
    prepared->finish = ending->finish;
    prepared->mask = launch->mask;
    prepared->terminal = channels->terminal;
    if (witness_open(plan, &prepared->witness))
        return failure_set(failure, STEP_VERIFY, errno, "witnesses of the outside");
    if (write_maps(plan, launch, failure) || channels_give(plan, channels, failure) ||
        send_go(arena, plan, launch, channels, failure) || reach(launch, SUPERVISOR_GOING, failure) ||
        release(plan, launch, channels, failure))
        return failed_early(launch, failure);
    return wait_end(plan, ending, launch, channels, failure);
}

static int attempt(struct arena *arena, const struct plan *plan, const struct ending *ending, struct inquiry *inquiry,
                   struct launch *launch, struct failure *failure) {
    struct channels channels = {0};
    /* init's, so that it lies in what init is asked to have */
    int *trees = arena_alloc(arena, plan->mounts.count * sizeof *trees);
    if (!trees)
        return failure_set(failure, STEP_MOUNTS, ENOMEM, "");
    if (begin_for(arena, plan, launch, failure))
        return -1;
    struct prepared *prepared = launch->prepared;
    prepared->trees = trees;
    prepared->inquiry = inquiry;
    prepared->witness.socket = prepared->witness.listener = -1;
    int result = start(arena, plan, ending, launch, &channels, failure);
    launch->untried = (prepared->witness.hidden ? 0 : G(FS_READ)) | (prepared->witness.port ? 0 : G(NET_LOCAL)) |
                      (plan_has_secret(plan) ? 0 : G(FS_SECRET));
    witness_close(&prepared->witness);
    channels_close(&channels);
    if (result)
        launch_kill(launch);
    launch->begun = result && atomic_load(&prepared->begun); /* looked at when nobody is left to set it */
    return result;
}

int launch_start(struct arena *arena, const struct plan *plan, struct launch *launch, struct failure *failure) {
    return attempt(arena, plan, &execution, NULL, launch, failure);
}

int launch_rehearse(struct arena *arena, const struct plan *plan, struct inquiry *inquiry, struct launch *launch,
                    struct failure *failure) {
    if (attempt(arena, plan, &rehearsal, inquiry, launch, failure))
        return -1;
    launch_kill(launch);
    return 0;
}
