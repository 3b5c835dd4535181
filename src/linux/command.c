/* command.c (touching): the command's process from fork to exec: the inner half. Session, keyring, capabilities and the
 * filter while init builds the root; then, in that root, descriptors, Landlock and verify. The capability bounding set,
 * securebits and no_new_privs come from pid 1.
 *
 * Should: reach exec only through verify. Must not: come back. */
#include "base/fd.h"
#include "box/message.h"
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/landlock.h"
#include "linux/layers.h"
#include "linux/prepared.h"
#include "linux/seccomp.h"
#include "linux/stage.h"
#include "linux/sys.h"
#include "linux/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static _Noreturn void fail(int control, enum step step, const char *detail) {
    struct failure failure;
    failure_set(&failure, step, errno, detail);
    launch_fail(control, &failure);
}

/* Where the descriptor for a channel is now. */
static int source_of(const struct part *part, size_t i, int terminal) {
    const struct channel *channel = &part->prepared->plan->channels.at[i];
    switch (channel->kind) {
    case CHANNEL_RELAY:
        return part->box[channel->same_as < 0 ? i : (size_t)channel->same_as];
    case CHANNEL_PASS:
        return part->box[i];
    case CHANNEL_TTY:
        return terminal;
    default:
        return openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
    }
}

/* Give each channel its number and close all others. Returns the control channel's new number; `numbers` gets the open
 * ones, *count of them. */
static int take_descriptors(const struct part *part, int terminal, int *numbers, size_t *count) {
    const struct plan *plan = part->prepared->plan;
    int above = 3, moved[RELAY_STREAMS];
    for (size_t i = 0; i < plan->channels.count; i++)
        if (plan->channels.at[i].number >= above)
            above = plan->channels.at[i].number + 1;
    int control = fcntl(part->control, F_DUPFD_CLOEXEC, above);
    if (control < 0) {
        errno = errno == EINVAL ? EMFILE : errno; /* EINVAL: a granted number is at the limit itself */
        fail(part->control, STEP_DESCRIPTORS, "");
    }
    for (size_t i = 0; i < plan->channels.count; i++) {
        moved[i] = fcntl(source_of(part, i, terminal), F_DUPFD_CLOEXEC, above);
        if (moved[i] < 0)
            fail(control, STEP_DESCRIPTORS, "");
    }
    *count = 0;
    for (size_t i = 0; i < plan->channels.count; i++) {
        if (dup2(moved[i], plan->channels.at[i].number) < 0)
            fail(control, STEP_DESCRIPTORS, "");
        numbers[(*count)++] = plan->channels.at[i].number;
    }
    numbers[(*count)++] = control;
    int keep[RELAY_STREAMS + 1];
    memcpy(keep, numbers, *count * sizeof *numbers);
    if (layer_on(STEP_DESCRIPTORS) && fds_keep(keep, *count))
        fail(control, STEP_DESCRIPTORS, "");
    return control;
}

static void take_session(int control, int terminal) {
    if (!layer_on(STEP_SESSION))
        return;
    if (setsid() < 0 || (terminal >= 0 && ioctl(terminal, TIOCSCTTY, 0)))
        fail(control, STEP_SESSION, "");
}

/* A keyring of its own, under the filter that closes keyctl: the old one would stay possessed. */
static void take_keyring(const struct part *part, int control) {
    if (!part->prepared->plan->taken[STEP_KEYRING] || !layer_on(STEP_KEYRING))
        return;
    if (sys_keyctl_join_session() < 0)
        fail(control, STEP_KEYRING, "");
    if (sys_keyctl_session_id() == part->prepared->witness.session_keyring) {
        errno = EEXIST;
        fail(control, STEP_KEYRING, "still the caller's");
    }
}

/* The limit itself is pinfold's own, from its first lines on; the filter keeps it from being lowered to 0. */
static void check_core(const struct part *part, int control) {
    if (part->prepared->plan->taken[STEP_LIMITS] && confine_core_closed())
        fail(control, STEP_LIMITS, "the hard limit is 0 and the host hands core dumps to a program");
}

static void wait_stage(atomic_uint *at, unsigned stage, int control) {
    if (stage_wait(at, stage))
        fail(control, STEP_LIFE, "futex");
}

static void take_filter(const struct part *part, int control) {
    static struct seccomp_program filter;
    const struct plan *plan = part->prepared->plan;
    const struct seccomp_ids ids = {!plan->root_mapped, plan->probe->outer_root, plan->probe->uid, plan->probe->gid};
    if (!plan->taken[STEP_SECCOMP] || !layer_on(STEP_SECCOMP))
        return;
    errno = E2BIG;
    if (seccomp_compile(&seccomp_command, &ids, &filter) || sys_seccomp_filter(filter.code, filter.count))
        fail(control, STEP_SECCOMP, "");
}

static void take_rules(const struct part *part, int control) {
    const struct plan *plan = part->prepared->plan;
    if (plan->taken[STEP_LANDLOCK] && layer_on(STEP_LANDLOCK) && landlock_apply(plan))
        fail(control, STEP_LANDLOCK, "");
}

/* The arguments with which sh runs a script that has no interpreter line; NULL when out of memory. */
static char **script_arguments(char *path, char *const *command) {
    size_t count = 0;
    while (command[count])
        count++;
    char **script = calloc(count + 2, sizeof *script);
    if (script) {
        script[0] = (char *)"/bin/sh";
        script[1] = path;
        for (size_t i = 1; i < count; i++)
            script[i + 1] = command[i];
    }
    return script;
}

/* Execute the file at `path`; returns only when it can't be, with errno. */
static int execute_at(char *path, char *const *command, char *const *environment) {
    const char *file = path;
    char **script = NULL;
    for (;;) {
        execve(file, script ? script : command, environment); /* the one exec of the user's command */
        int error = errno;
        if (error != ENOEXEC || script || !(script = script_arguments(path, command))) {
            free(script);
            return error;
        }
        file = script[0];
    }
}

/* Execute the command as a shell finds it: by PATH unless it has a slash. Returns only when it can't be, with the errno
 * that tells most: what was found and can't be executed before what wasn't found. */
static int execute(char *const *command, char *const *environment) {
    const char *name = command[0], *search = "";
    char path[PATH_MAX];
    int best = ENOENT;
    for (char *const *entry = environment; *entry; entry++)
        if (strncmp(*entry, "PATH=", 5) == 0)
            search = *entry + 5;
    if (strchr(name, '/'))
        return snprintf(path, sizeof path, "%s", name) < (int)sizeof path ? execute_at(path, command, environment)
                                                                          : ENAMETOOLONG;
    for (const char *at = search; *name; at++) {
        size_t size = strcspn(at, ":");
        if (snprintf(path, sizeof path, "%.*s%s%s", (int)size, at, size ? "/" : "", name) < (int)sizeof path) {
            int error = execute_at(path, command, environment);
            if (error != ENOENT && error != ENOTDIR && (best == ENOENT || best == EACCES))
                best = error;
        }
        at += size;
        if (!*at)
            break;
    }
    return best;
}

_Noreturn void command_execute(const struct part *part, int control) {
    const struct plan *plan = part->prepared->plan;
    struct message message = {.type = MESSAGE_READY};
    atomic_store(&part->prepared->begun, true);
    if (message_send(control, &message, NULL, 0))
        _exit(1);
    message = (struct message){.type = MESSAGE_EXEC_FAILED};
    message.value = execute(plan->policy->command, (char *const *)plan->environment.kept.at);
    message_tell(control, &message);
    _exit(message.value == ENOENT ? EXIT_NOT_FOUND : EXIT_REFUSED);
}

_Noreturn void command_rehearsed(const struct part *part, int control) {
    const struct message message = {.type = MESSAGE_REHEARSED};
    if (part->prepared->inquiry) /* behind every wall that a command would be behind */
        look_inside(part->prepared->inquiry);
    message_tell(control, &message); /* if it can't be said, end of file says that it failed */
    _exit(0);
}

_Noreturn void command_run(const struct part *part, int terminal) {
    struct prepared *prepared = part->prepared;
    int numbers[RELAY_STREAMS + 1];
    size_t count;
    struct failure failure;
    /* while init builds the root */
    take_session(part->control, terminal);
    check_core(part, part->control);
    take_keyring(part, part->control);
    take_filter(part, part->control);
    if (verify_process(prepared->plan, &prepared->witness, &failure))
        launch_fail(part->control, &failure);
    /* in it */
    wait_stage(&prepared->init, INIT_ROOTED, part->control);
    if (chdir(prepared->plan->current))
        fail(part->control, STEP_MOUNTS, prepared->plan->current);
    /* only now: the caller may be in a folder that it can't enter again */
    if (layer_on(STEP_CAPABILITIES) && sys_capabilities_clear())
        fail(part->control, STEP_CAPABILITIES, "");
    int control = take_descriptors(part, terminal, numbers, &count);
    take_rules(part, control);
    if (verify_files(prepared->plan, &prepared->witness, numbers, count, &failure))
        launch_fail(control, &failure);
    wait_stage(&prepared->supervisor, SUPERVISOR_RELEASED, control);
    if (sigprocmask(SIG_SETMASK, &prepared->mask, NULL))
        fail(control, STEP_VERIFY, "signal mask");
    prepared->finish(part, control);
    _exit(1); /* neither comes back */
}
