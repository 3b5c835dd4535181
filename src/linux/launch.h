/* launch.h: making a box and starting its command. */
#ifndef PINFOLD_LINUX_LAUNCH_H
#define PINFOLD_LINUX_LAUNCH_H

#include "linux/mounts.h"
#include "linux/seccomp.h"
#include "linux/witness.h"
#include "supervise/relay.h"

#include <signal.h>
#include <termios.h>

/* What a running box is to its supervisor. All descriptors are close-on-exec; -1: none. */
struct launch {
    pid_t init;
    int pidfd;   /* of init: readable when it and so everything in the box has ended */
    int control; /* box/message.h */
    int life;    /* write end of the life pipe: nobody else has it */
    pid_t relay;
    int relay_link;   /* supervise/relay.h */
    uint32_t untried; /* guarantees that verify had nothing to try on */
    int signals;      /* supervise/signals.c; not the launch's to close */
    sigset_t mask;    /* the caller's signal mask, which the command gets back */
};

/* The relay's side of the channels, as the supervisor makes them before the box. */
struct channels {
    int box[RELAY_STREAMS]; /* for each channel of the plan: the box's end, or -1 */
    struct relay_stream stream[RELAY_STREAMS];
    size_t streams;
    struct termios terminal; /* what the box's pty starts with, when the plan has one */
    bool raw;                /* the caller's terminal is read and written: it is to be in raw mode during the run */
};

/* What the supervisor makes ready while init makes its network namespace: memory that both have. */
struct prepared {
    struct witness witness;
    struct seccomp_program filter; /* the command's */
};

/* What init gets by being a copy of the supervisor. */
struct init_arguments {
    const struct plan *plan;
    const struct prepared *prepared; /* there with the go message */
    const struct channels *channels;
    const sigset_t *mask;
    int control, life; /* the box's ends */
};

/* Make the box up to the moment before the command's exec, with everything verified. 0: the command is being executed.
 * -1: *failure says which step failed (errno EINTR: a signal came on `signals`); nothing of the box is left. */
int launch_start(const struct plan *plan, const sigset_t *mask, int signals, struct launch *launch,
                 struct failure *failure) __attribute__((nonnull, warn_unused_result));

/* End everything in the box now, wait for it, and close what the launch holds. */
void launch_kill(struct launch *launch) __attribute__((nonnull));

/* Start the relay for these streams, and later wait until it says that it is confined (relay_process.c). */
int relay_confirm(const struct launch *launch, struct failure *failure) __attribute__((nonnull, warn_unused_result));
/* The command is certain to run: move bytes. */
int relay_go(const struct launch *launch) __attribute__((nonnull, warn_unused_result));
int relay_start(const struct plan *plan, const struct channels *channels, struct launch *launch,
                struct failure *failure) __attribute__((nonnull, warn_unused_result));

/* pid 1 of the box: never returns (init.c). */
_Noreturn void init_run(const struct init_arguments *arguments) __attribute__((nonnull));

/* The command's process, from fork to exec: never returns (command.c). `terminal`: slave of the box's pty or -1. */
_Noreturn void command_run(const struct init_arguments *arguments, int terminal) __attribute__((nonnull));

/* The channels of a plan: pipes now, the pty when init has made it (channels.c). */
int channels_open(const struct plan *plan, struct channels *channels, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));
int channels_terminal(const struct plan *plan, struct channels *channels, int master, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));
int channels_give(const struct plan *plan, const struct channels *channels, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));
void channels_close(struct channels *channels) __attribute__((nonnull));

/* In a process of the box: tell the supervisor that a step failed, and end. */
_Noreturn void launch_fail(int control, const struct failure *failure) __attribute__((nonnull));

#endif
