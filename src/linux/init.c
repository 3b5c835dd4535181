/* init.c (touching): pid 1 of the box.
 *
 * Should: do nothing before the go message; end, and so end everything in the box, when the life pipe or the control
 * channel ends; reap whatever is left to it. Must not: be dumpable, hold a descriptor of the caller, read a byte that
 * comes from the command. */
#include "base/fd.h"
#include "box/message.h"
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/launch.h"
#include "linux/layers.h"
#include "linux/netns.h"
#include "linux/title.h"
#include "linux/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
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

static _Noreturn void fail(const struct init_arguments *arguments, enum step step, const char *detail) {
    struct failure failure;
    failure_set(&failure, step, errno, detail);
    launch_fail(arguments->control, &failure);
}

static void keep_own_descriptors(const struct init_arguments *arguments) {
    const struct plan *plan = arguments->plan;
    int keep[2 * RELAY_STREAMS + 4];
    size_t count = 0;
    keep[count++] = arguments->control;
    keep[count++] = arguments->life;
    for (size_t i = 0; i < plan->channels.count; i++) {
        keep[count++] = arguments->channels->box[i];
        keep[count++] = plan->channels.at[i].kind == CHANNEL_PASS ? plan->channels.at[i].number : -1;
    }
    if (fds_keep(keep, count))
        fail(arguments, STEP_DESCRIPTORS, "");
}

/* Wait for the go message and take the prepared mounts that come with it. */
static void wait_go(const struct init_arguments *arguments, int *prepared) {
    const struct plan *plan = arguments->plan;
    size_t next = 0;
    struct message message = {.more = 1};
    for (size_t i = 0; i < plan->mounts.count; i++)
        prepared[i] = -1;
    while (message.more) {
        int received[MESSAGE_DESCRIPTORS];
        size_t count = MESSAGE_DESCRIPTORS;
        if (message_receive(arguments->control, &message, received, &count) != 1 || message.type != MESSAGE_GO)
            _exit(1); /* the supervisor has gone, or never meant it */
        for (size_t i = 0; i < count; i++) {
            while (next < plan->mounts.count &&
                   (plan->mounts.at[next].kind != MOUNT_TREE || !plan->mounts.at[next].owned))
                next++;
            if (next == plan->mounts.count)
                _exit(1);
            prepared[next++] = received[i];
        }
    }
}

/* A pty in the box's own devpts; the master goes to the supervisor. Returns the slave. */
static int make_terminal(const struct init_arguments *arguments) {
    int number = -1, unlock = 0, slave = -1;
    char path[32];
    autoclose int master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) || ioctl(master, TIOCGPTN, &number))
        fail(arguments, STEP_RELAY, "terminal");
    snprintf(path, sizeof path, "/dev/pts/%d", number);
    slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcsetattr(slave, TCSANOW, &arguments->channels->terminal))
        fail(arguments, STEP_RELAY, "terminal");
    struct message message = {.type = MESSAGE_TERMINAL};
    int sent = master, none[1];
    size_t count = 0;
    if (message_send(arguments->control, &message, &sent, 1))
        fail(arguments, STEP_RELAY, "terminal");
    /* the relay of this terminal is confined only now; go on when the supervisor says so */
    if (message_receive(arguments->control, &message, none, &count) != 1 || message.type != MESSAGE_GO)
        _exit(1);
    return slave;
}

static void build(const struct init_arguments *arguments) {
    const struct plan *plan = arguments->plan;
    bool net = plan->taken[STEP_NET_NAMESPACE] && layer_on(STEP_NET_NAMESPACE);
    /* while the supervisor writes the id maps and prepares mounts; told only after go, when somebody listens */
    int net_error = net && netns_make() ? errno : 0;
    int *prepared = calloc(plan->mounts.count + 1, sizeof *prepared);
    struct failure failure;
    if (!prepared)
        fail(arguments, STEP_MOUNTS, "");
    wait_go(arguments, prepared);
    errno = net_error;
    if (net_error)
        fail(arguments, STEP_NET_NAMESPACE, "unshare");
    if (userns_enter(plan))
        fail(arguments, STEP_ID_MAPS, "");
    /* after the last change of ids, which would clear them */
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
        fail(arguments, STEP_LIFE, "");
    /* a pinfold that died before this line sends no signal any more; the life pipe tells */
    struct pollfd life = {arguments->life, 0, 0};
    if (poll(&life, 1, 0) != 0)
        _exit(1);
    if (net && netns_loopback())
        fail(arguments, STEP_LOOPBACK, "");
    if (sethostname("localhost", strlen("localhost")))
        fail(arguments, STEP_HOSTNAME, "");
    if (mounts_build(plan, prepared, &failure))
        launch_fail(arguments->control, &failure);
    for (size_t i = 0; i < plan->mounts.count; i++)
        fd_close(&prepared[i]);
    free(prepared);
    if (chdir(plan->current))
        fail(arguments, STEP_MOUNTS, plan->current);
}

/* Messages of the supervisor, while the command runs. */
static void obey(const struct init_arguments *arguments, pid_t command) {
    struct message message;
    int none[1];
    size_t count = 0;
    if (message_receive(arguments->control, &message, none, &count) != 1)
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

static _Noreturn void supervise(const struct init_arguments *arguments, pid_t command, int children) {
    struct pollfd wait[] = {{arguments->life, 0, 0}, {arguments->control, POLLIN, 0}, {children, POLLIN, 0}};
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
            obey(arguments, command);
    }
    struct message message = {.type = MESSAGE_ENDED, .value = status};
    _exit(message_send(arguments->control, &message, NULL, 0) ? 1 : 0);
}

/* Arguments whose words are copies: the command's words and variables stand in pinfold's own argument area, which is
 * about to be overwritten. */
struct own_words {
    struct init_arguments arguments;
    struct plan plan;
    struct policy policy;
    struct arena arena;
};

static const char *copy_word(struct own_words *own, const char *word) {
    const char *copy = arena_copy(&own->arena, word);
    if (!copy)
        fail(&own->arguments, STEP_LIFE, "");
    return copy;
}

static const char **copy_list(struct own_words *own, const char *const *list, size_t count) {
    const char **copy = arena_alloc(&own->arena, (count + 1) * sizeof *copy);
    if (!copy)
        fail(&own->arguments, STEP_LIFE, "");
    for (size_t i = 0; i < count; i++)
        copy[i] = copy_word(own, list[i]);
    copy[count] = NULL;
    return copy;
}

static void copy_words(const struct init_arguments *arguments, struct own_words *own) {
    size_t words = 0;
    *own = (struct own_words){.arguments = *arguments, .plan = *arguments->plan, .policy = *arguments->plan->policy};
    own->arguments.plan = &own->plan;
    own->plan.policy = &own->policy;
    while (own->policy.command[words])
        words++;
    own->policy.command = (char *const *)copy_list(own, (const char *const *)own->policy.command, words);
    for (size_t i = 0; i < own->policy.environment.count; i++) /* init's copy of the list is its own */
        own->policy.environment.at[i].entry = copy_word(own, own->policy.environment.at[i].entry);
    own->plan.environment.kept.at = copy_list(own, own->plan.environment.kept.at, own->plan.environment.kept.count);
}

/* vfork, since copying an address space costs as much as a third of all that was done before: the command's process
 * runs in this memory until its exec, and this one stands still meanwhile. Should pinfold die then, PDEATHSIG ends us;
 * should the launch fail, the child ends by itself. The child never returns from here. */
static __attribute__((noinline)) pid_t start_command(const struct init_arguments *arguments, int terminal) {
    pid_t command = vfork();
    if (!command)
        command_run(arguments, terminal); /* NOLINT(clang-analyzer-unix.Vfork): see above */
    return command;
}

_Noreturn void init_run(const struct init_arguments *arguments) {
    sigset_t children;
    keep_own_descriptors(arguments);
    build(arguments);
    int terminal = arguments->plan->terminal ? make_terminal(arguments) : -1;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    int reaper = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (reaper < 0 || sigprocmask(SIG_BLOCK, &children, NULL))
        fail(arguments, STEP_LIFE, "");
    /* here and not in the command: what pid 1 doesn't have, no process of the box can have */
    if (layer_on(STEP_CAPABILITIES) && confine_capabilities())
        fail(arguments, STEP_CAPABILITIES, "");
    if (confine_no_new_privs())
        fail(arguments, STEP_NO_NEW_PRIVS, "");
    struct own_words own;
    copy_words(arguments, &own);
    title_set("pinfold: init"); /* before there is anybody to read what stood there */
    pid_t command = start_command(&own.arguments, terminal);
    if (command < 0)
        fail(arguments, STEP_LIFE, "vfork");
    /* the slave stays open here, so that a command that closes and re-opens its terminal finds it still working */
    int keep[] = {arguments->control, arguments->life, reaper, terminal};
    if (fds_keep(keep, 4))
        fail(arguments, STEP_DESCRIPTORS, "pid 1");
    supervise(arguments, command, reaper);
}
