/* init.c (touching): pid 1 of the box.
 *
 * Should: do nothing before the go message; end, and so end everything in the box, when the life pipe or the control
 * channel ends; reap whatever is left to it. Must not: be dumpable, hold a descriptor of the caller, read a byte that
 * comes from the command. */
#include "base/fd.h"
#include "box/message.h"
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/layers.h"
#include "linux/netns.h"
#include "linux/prepared.h"
#include "linux/stage.h"
#include "linux/sys.h"
#include "linux/title.h"
#include "linux/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

_Noreturn void launch_fail(int control, const struct failure *failure) {
    struct message message = {.type = MESSAGE_FAILED, .step = (int)failure->step, .value = failure->error};
    snprintf(message.detail, sizeof message.detail, "%s", failure->detail);
    message_tell(control, &message); /* if it can't be said, end of file says it */
    _exit(1);
}

/* No signal is ever its own: it is the supervisor's to end, and reads of children's ends from a descriptor. */
static int block_signals(void) {
    sigset_t every;
    sigfillset(&every);
    return sigprocmask(SIG_SETMASK, &every, NULL);
}

static _Noreturn void fail(const struct part *part, enum step step, const char *detail) {
    struct failure failure;
    failure_set(&failure, step, errno, detail);
    launch_fail(part->control, &failure);
}

/* Put one of the descriptors that come with the go message where it belongs. -1: there is one too many. */
static int take_descriptor(struct part *part, size_t number, int fd) {
    const struct plan *plan = part->prepared->plan;
    for (size_t i = 0; i < plan->channels.count; i++)
        if (channel_has_end(&plan->channels.at[i]) && !number--) {
            part->box[i] = fd;
            return 0;
        }
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (mount_is_mapped(&plan->mounts.at[i]) && !number--) {
            part->prepared->trees[i] = fd;
            return 0;
        }
    return -1;
}

/* Wait for the go message. From then on there is a plan. */
static void wait_go(struct part *part) {
    struct message message = {.more = 1};
    size_t taken = 0;
    stage_look(&part->prepared->supervisor, SUPERVISOR_GOING);
    while (message.more) {
        int received[MESSAGE_DESCRIPTORS];
        size_t count = MESSAGE_DESCRIPTORS;
        if (message_receive(part->control, &message, received, &count) != 1 || message.type != MESSAGE_GO)
            _exit(1); /* the supervisor has gone, or never meant it */
        for (size_t i = 0; i < count; i++)
            if (take_descriptor(part, taken++, received[i]))
                _exit(1);
    }
}

/* A pty in the box's own devpts; the master goes to the supervisor. Returns the slave. */
static int make_terminal(const struct part *part) {
    int number = -1, unlock = 0, slave = -1;
    char path[32];
    autoclose int master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) || ioctl(master, TIOCGPTN, &number))
        fail(part, STEP_RELAY, "terminal");
    snprintf(path, sizeof path, "/dev/pts/%d", number);
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcsetattr(slave, TCSANOW, &part->prepared->terminal))
        fail(part, STEP_RELAY, "terminal");
    struct message message = {.type = MESSAGE_TERMINAL};
    int sent = master, none[1];
    size_t count = 0;
    if (message_send(part->control, &message, &sent, 1))
        fail(part, STEP_RELAY, "terminal");
    /* the relay of this terminal is confined only now; go on when the supervisor says so */
    if (message_receive(part->control, &message, none, &count) != 1 || message.type != MESSAGE_GO)
        _exit(1);
    return slave;
}

static int namespace_on(int flags, enum step step, int flag) {
    return layer_on(step) ? flags : flags & ~flag;
}

/* The kernel ends this process, and so the box, when pinfold dies. A change of ids clears that. One that died before
 * this line sends no signal any more; the life pipe tells. */
static int tie_to_pinfold(const struct part *part) {
    struct pollfd life = {part->life, 0, 0};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
        return -1;
    if (poll(&life, 1, 0) != 0)
        _exit(1);
    return 0;
}

/* What needs no plan, while the supervisor makes one. */
static int begin(const struct part *part, struct failure *failure) {
    int flags = part->namespaces & ~CLONE_NEWNET, keep[] = {part->control, part->life};
    flags = namespace_on(flags, STEP_IPC_NAMESPACE, CLONE_NEWIPC);
    flags = namespace_on(flags, STEP_CGROUP_NAMESPACE, CLONE_NEWCGROUP);
    if (fds_keep(keep, 2)) /* first of all: as long as it has the life pipe's other end, it can't see that one's end */
        return failure_set(failure, STEP_DESCRIPTORS, errno, "");
    if (block_signals() || tie_to_pinfold(part))
        return failure_set(failure, STEP_LIFE, errno, "");
    if (unshare(flags))
        return failure_set(failure, STEP_MOUNT_NAMESPACE, errno, "unshare");
    if (part->namespaces & CLONE_NEWNET && layer_on(STEP_NET_NAMESPACE)) {
        if (netns_make()) /* the dear one: longer than all others together */
            return failure_set(failure, STEP_NET_NAMESPACE, errno, "unshare");
        if (netns_loopback())
            return failure_set(failure, STEP_LOOPBACK, errno, "");
    }
    /* here and not in the command: what pid 1 doesn't have, no process of the box can have */
    if (layer_on(STEP_CAPABILITIES) && confine_bounding())
        return failure_set(failure, STEP_CAPABILITIES, errno, "");
    return 0;
}

/* From here on it is as the plan's ids say, tied to pinfold's life, and can't gain any power. */
static void harden(const struct part *part) {
    if (userns_enter(part->prepared->plan))
        fail(part, STEP_ID_MAPS, "");
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || tie_to_pinfold(part))
        fail(part, STEP_LIFE, "");
    if (confine_no_new_privs())
        fail(part, STEP_NO_NEW_PRIVS, "");
}

static void build(const struct part *part) {
    const struct plan *plan = part->prepared->plan;
    struct failure failure;
    if (sethostname("localhost", strlen("localhost")))
        fail(part, STEP_HOSTNAME, "");
    if (mounts_build(plan, part->prepared->trees, part->life, &failure))
        launch_fail(part->control, &failure);
    for (size_t i = 0; i < plan->mounts.count; i++)
        fd_close(&part->prepared->trees[i]);
    if (chdir(plan->current))
        fail(part, STEP_MOUNTS, plan->current);
}

/* Messages of the supervisor, while the command runs. */
static void obey(const struct part *part, pid_t command) {
    struct message message;
    int none[1];
    size_t count = 0;
    if (message_receive(part->control, &message, none, &count) != 1)
        _exit(1);
    if (message.type != MESSAGE_SIGNAL || message.value <= 0)
        return;
    if (message.step) /* everything in the box */
        (void)kill(-1, message.value);
    else if (kill(-command, message.value)) /* its process group, or itself if it has left that */
        (void)kill(command, message.value);
}

/* Reap until the command itself ends; its wait status. */
static bool reap(pid_t command, int *status) {
    int one;
    pid_t pid;
    bool ended = false;
    do {
        pid = waitpid(-1, &one, WNOHANG);
        if (pid == command) {
            *status = one;
            ended = true;
        }
    } while (pid > 0 || (pid < 0 && errno == EINTR));
    if (pid < 0 && !ended)
        _exit(1); /* its end would never be seen */
    return ended;
}

static _Noreturn void supervise(const struct part *part, pid_t command, int children) {
    struct pollfd wait[] = {{part->life, 0, 0}, {part->control, POLLIN, 0}, {children, POLLIN, 0}};
    int status = 0;
    for (;;) {
        if (poll(wait, 3, -1) < 0 && errno != EINTR)
            _exit(1);
        if (wait[0].revents)
            _exit(1); /* pinfold has ended: the kernel now kills everything in this pid namespace */
        if (wait[2].revents) {
            struct signalfd_siginfo info;
            (void)!read(children, &info, sizeof info);
            if (reap(command, &status))
                break;
        }
        if (wait[1].revents)
            obey(part, command);
    }
    struct message message = {.type = MESSAGE_ENDED, .value = status};
    _exit(message_send(part->control, &message, NULL, 0) ? 1 : 0);
}

/* fork, so that the command's process goes through its own steps while this one builds the root. Both have every
 * namespace in common. The child never returns from here. */
static pid_t start_command(const struct part *part, int terminal) {
    pid_t command = fork();
    if (!command)
        command_run(part, terminal);
    if (command < 0)
        fail(part, STEP_LIFE, "fork");
    /* libc sets the mask back after a fork, to what it believes that it was */
    if (block_signals())
        fail(part, STEP_LIFE, "signals");
    return command;
}

static void reach(const struct part *part, enum init_stage stage) {
    if (stage_reach(&part->prepared->init, stage))
        fail(part, STEP_LIFE, "futex");
}

/* The root stands: give up all power and let the command's process go into it. */
static void hand_over(const struct part *part) {
    title_set("pinfold: init"); /* before there is anybody to read what stood there */
    if (layer_on(STEP_CAPABILITIES) && sys_capabilities_clear())
        fail(part, STEP_CAPABILITIES, "");
    reach(part, INIT_ROOTED);
}

_Noreturn void init_run(struct part *part) {
    sigset_t children;
    struct failure failure;
    pid_t command = -1;
    int terminal = -1;
    if (begin(part, &failure))
        launch_fail(part->control, &failure);
    reach(part, INIT_BEGUN);
    wait_go(part);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    int reaper = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (reaper < 0) /* every signal is blocked, from its first moment on */
        fail(part, STEP_LIFE, "");
    harden(part);
    if (!part->prepared->plan->terminal)
        command = start_command(part, terminal);
    build(part);
    if (part->prepared->plan->terminal) {
        terminal = make_terminal(part);
        command = start_command(part, terminal);
    }
    hand_over(part);
    if (arena_free(&part->memory)) /* of the plan it needs nothing any more */
        fail(part, STEP_LIFE, "munmap");
    part->prepared = NULL;
    /* the slave stays open here, so that a command that closes and re-opens its terminal finds it still working */
    int held[] = {part->control, part->life, reaper, terminal};
    if (fds_keep(held, 4))
        fail(part, STEP_DESCRIPTORS, "pid 1");
    supervise(part, command, reaper);
}
