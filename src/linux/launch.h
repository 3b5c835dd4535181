/* launch.h: making a box and starting its command. */
#ifndef PINFOLD_LINUX_LAUNCH_H
#define PINFOLD_LINUX_LAUNCH_H

#include "linux/channels.h"
#include "linux/mounts.h"
#include "linux/seccomp.h"
#include "linux/witness.h"
#include "supervise/tie.h"

#include <signal.h>
#include <stdatomic.h>

/* What a running box is to its supervisor. All descriptors are close-on-exec; -1: none. */
struct launch {
    pid_t init;
    int pidfd;   /* of init: readable when it and so everything in the box has ended */
    int control; /* box/message.h */
    int life;    /* write end of the life pipe: nobody else has it */
    pid_t relay;
    int relay_link;   /* supervise/relay.h */
    uint32_t untried; /* guarantees that verify had nothing to try on */
    bool begun;       /* of a launch that failed: its command may have been executed before it was ended */
    int signals;      /* supervise/signals.c; not the launch's to close */
    struct tie *tie;  /* the box's */
    sigset_t mask;    /* the caller's signal mask, which the command gets back */
};

/* What the supervisor makes ready while init makes its network namespace: memory that both have. */
struct prepared {
    struct witness witness;
    struct seccomp_program filter; /* the command's */
    atomic_bool begun;             /* set by the command right before it says that it is ready */
};

/* What the command's process does when everything holds: command_execute or command_rehearsed, never both in a launch.
 */
struct init_arguments;
typedef void (*launch_finish)(const struct init_arguments *arguments, int control);

/* What init gets by being a copy of the supervisor. */
struct init_arguments {
    const struct plan *plan;
    struct prepared *prepared; /* there with the go message */
    const struct channels *channels;
    const sigset_t *mask;
    int control, life; /* the box's ends */
    launch_finish finish;
};

/* Make the box up to the moment before the command's exec, with everything verified. 0: the command is being executed.
 * -1: *failure says which step failed (errno EINTR: a signal came on `signals`, or something on a tie); nothing of the
 * box is left. Unless launch->begun, nothing of the command was executed. */
int launch_start(const struct plan *plan, const sigset_t *mask, int signals, struct tie *tie, struct launch *launch,
                 struct failure *failure) __attribute__((nonnull, warn_unused_result));

/* The same box, as far as that moment, for nobody: there is no command in it, and none could be started. 0: everything
 * held; `untried` as in struct launch. -1 as above. Nothing is left of the box in either case. */
int launch_rehearse(const struct plan *plan, const sigset_t *mask, int signals, uint32_t *untried,
                    struct failure *failure) __attribute__((nonnull, warn_unused_result));

/* End everything in the box now, wait for it, and close what the launch holds. */
void launch_kill(struct launch *launch) __attribute__((nonnull));

/* pid 1 of the box: never returns (init.c). */
_Noreturn void init_run(const struct init_arguments *arguments) __attribute__((nonnull));

/* The command's process, from fork to `finish`: never returns (command.c). `terminal`: slave of the box's pty or -1. */
_Noreturn void command_run(const struct init_arguments *arguments, int terminal) __attribute__((nonnull));

/* The two ends of it: say that the command begins and execute it, or say that all holds and end. */
_Noreturn void command_execute(const struct init_arguments *arguments, int control) __attribute__((nonnull));
_Noreturn void command_rehearsed(const struct init_arguments *arguments, int control) __attribute__((nonnull));

/* In a process of the box: tell the supervisor that a step failed, and end. */
_Noreturn void launch_fail(int control, const struct failure *failure) __attribute__((nonnull));

#endif
