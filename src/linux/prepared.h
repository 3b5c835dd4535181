/* prepared.h: what the processes of a launch have in common until the command's exec: memory that all of them see. */
#ifndef PINFOLD_LINUX_PREPARED_H
#define PINFOLD_LINUX_PREPARED_H

#include "linux/look.h"
#include "linux/mounts.h"
#include "linux/witness.h"
#include "supervise/relay.h"

#include <signal.h>
#include <stdatomic.h>
#include <termios.h>

/* Each process goes on at its own pace and waits for the others where it needs them (stage.c). */
enum supervisor_stage {
    SUPERVISOR_GOING = 1, /* the go message is sent */
    SUPERVISOR_RELEASED,  /* nothing outside is left to be confined: the command may begin */
};
enum init_stage {
    INIT_BEGUN = 1, /* it has its namespaces and waits for the plan */
    INIT_ROOTED,    /* the box's root is the only one, and init has no capability */
};

/* What the command's process does when everything holds: command_execute or command_rehearsed, never both in a launch.
 */
struct part;
typedef void (*launch_finish)(const struct part *part, int control);

struct prepared {
    const struct plan *plan; /* this and what follows: from the go message on */
    launch_finish finish;
    struct inquiry *inquiry; /* of a rehearsal: what it is to answer, or NULL */
    sigset_t mask;           /* the caller's signal mask, which the command gets back */
    struct termios terminal; /* what the box's pty starts with, when the plan has one */
    struct witness witness;
    int *trees;                   /* for each mount of the plan: init's descriptor of its prepared tree, or -1 */
    atomic_uint supervisor, init; /* stages */
    atomic_bool begun;            /* set by the command right before it says that it is ready */
};

/* What init, and then the command's process, has of its own. */
struct part {
    struct prepared *prepared;
    struct arena memory;    /* in which that lies */
    int namespaces;         /* CLONE_NEW*, those that init makes */
    int control, life;      /* the box's ends */
    int box[RELAY_STREAMS]; /* for each channel of the plan: the descriptor that the command gets, or -1 */
};

/* pid 1 of the box: never returns (init.c). */
_Noreturn void init_run(struct part *part) __attribute__((nonnull));

/* The command's process, from fork to `finish`: never returns (command.c). `terminal`: slave of the box's pty or -1. */
_Noreturn void command_run(const struct part *part, int terminal) __attribute__((nonnull));

/* The two ends of it: say that the command begins and execute it, or say that all holds and end. */
_Noreturn void command_execute(const struct part *part, int control) __attribute__((nonnull));
_Noreturn void command_rehearsed(const struct part *part, int control) __attribute__((nonnull));

/* In a process of the box: tell the supervisor that a step failed, and end. */
_Noreturn void launch_fail(int control, const struct failure *failure) __attribute__((nonnull));

#endif
