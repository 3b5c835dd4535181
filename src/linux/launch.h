/* launch.h: making a box and starting its command. */
#ifndef PINFOLD_LINUX_LAUNCH_H
#define PINFOLD_LINUX_LAUNCH_H

#include "linux/channels.h"
#include "linux/mounts.h"
#include "linux/prepared.h"
#include "supervise/tie.h"

/* What a running box is to its supervisor. All descriptors are close-on-exec; -1: none. */
struct launch {
    struct prepared *prepared;        /* NULL: nothing was begun */
    const struct arena *arena;        /* the run's */
    const struct arena_block *memory; /* of it: the newest block that init has too */
    uint64_t namespaces;              /* as CLONE_NEW*, that init is in or makes */
    pid_t init;
    int pidfd;   /* of init: readable when it and so everything in the box has ended */
    int control; /* box/message.h */
    int life;    /* write end of the life pipe: nobody else has it */
    pid_t relay;
    int relay_link;        /* supervise/relay.h */
    uint32_t untried;      /* guarantees that verify had nothing to try on */
    struct timespec since; /* when it was begun, by the clock of files */
    bool begun;            /* of a launch that failed: its command may have been executed before it was ended */
    int signals;           /* supervise/signals.c; not the launch's to close */
    struct tie *tie;       /* the box's */
    sigset_t mask;         /* the caller's signal mask, which the command gets back */
};

/* A head start: clone a launch's init before there is a plan. It knows nothing, holds nothing of the caller, makes its
 * network namespace and waits; everything that is allocated in `arena` from now on can be shown to it. NULL: it could
 * not be had, which launch_start will find out and tell. Give it to launch_start, or end it with launch_kill. */
struct launch *launch_begin(struct arena *arena) __attribute__((nonnull, warn_unused_result));

/* Make the box up to the moment before the command's exec, with everything verified. `plan` and all it leads to lie in
 * `arena`. `launch` is begun, or all zero but for what the caller set: signals, tie, mask. 0: the command is being
 * executed. -1: *failure says which step failed (errno EINTR: a signal came on `signals`, or something on a tie);
 * nothing of the box is left. Unless launch->begun, nothing of the command was executed. */
int launch_start(struct arena *arena, const struct plan *plan, struct launch *launch, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));

/* The same box, as far as that moment, for nobody: there is no command in it, and none could be started. What would be
 * the command's process answers `inquiry` (in `arena`; NULL: none) first. 0: everything held; launch->untried is set.
 * -1 as above. Nothing is left of the box in either case. */
int launch_rehearse(struct arena *arena, const struct plan *plan, struct inquiry *inquiry, struct launch *launch,
                    struct failure *failure) __attribute__((nonnull(1, 2, 4, 5), warn_unused_result));

/* End everything in the box now, wait for it, and close what the launch holds. */
void launch_kill(struct launch *launch) __attribute__((nonnull));

#endif
