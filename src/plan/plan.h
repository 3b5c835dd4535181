/* plan.h: everything a launch will do, as data. Printed by explain, carried out by a backend, told by the receipt. */
#ifndef PINFOLD_PLAN_PLAN_H
#define PINFOLD_PLAN_PLAN_H

#include "plan/mount.h"
#include "plan/probe.h"
#include "policy/environment.h"
#include "policy/policy.h"

enum channel_kind {
    CHANNEL_NULL,  /* the box's own /dev/null */
    CHANNEL_RELAY, /* a pipe of the box's own, relayed */
    CHANNEL_TTY,   /* the box's own pty, relayed */
    CHANNEL_PASS,  /* the descriptor itself */
};

struct channel {
    int number; /* inside, and outside */
    enum channel_kind kind;
    bool inward; /* CHANNEL_RELAY: from the caller into the box */
    int same_as; /* index of an earlier channel with the same object, or -1 */
    struct descriptor descriptor;
};

/* Is there a descriptor of it outside that the box is given? */
bool channel_has_end(const struct channel *channel) __attribute__((nonnull));

struct plan {
    const char *backend;
    const struct policy *policy;
    const struct probe *probe;
    uint32_t provided;       /* set of guarantees */
    uint32_t untried;        /* after a launch: this host has nothing to try these on, so state was compared instead */
    uint32_t broken;         /* after a run: these were promised, and can't be said to be kept */
    bool needed[STEP_COUNT]; /* the steps that a run like this needs */
    bool taken[STEP_COUNT];  /* those of them that are taken: none that the host lacks */
    bool root_kept;          /* a root caller whose kernel uid stays 0 */
    bool root_mapped;        /* a root caller who runs as an unprivileged host uid */
    bool terminal;           /* some channel is a tty */
    bool relay;              /* some channel is relayed */
    unsigned id_base, id_count;      /* outside ids: inside id n is id_base + n (root_mapped), else the caller's own */
    mount_list mounts;               /* in order */
    LIST(enum secret_state) secrets; /* one for each of probe->secrets, which are in order then */
    LIST(struct pinned) pins;        /* of one tree together, the deeper first */
    LIST(struct channel) channels;
    struct environment environment;
    const char *home; /* path of the scratch home, or of a granted one */
    const char *workspace, *current;
    const char *notice; /* one line for stderr when something must be said, or NULL */
};

/* Is one of its secrets in this state? */
bool plan_holds(const struct plan *plan, enum secret_state state) __attribute__((nonnull));

/* Is one of its secrets there on the host, so that the box can be seen to keep it? */
bool plan_has_secret(const struct plan *plan) __attribute__((nonnull));

/* The secret that a path names or lies in, and that the box hides or covers; NULL: none. */
const struct secret *plan_denies(const struct plan *plan, const char *path) __attribute__((nonnull));

/* Does the plan give every guarantee that isn't waived? If not: 126, with every cause and its
 * remedy; or, where there can be no box at all, with that one. */
int plan_check(const struct plan *plan, struct error *err) __attribute__((nonnull, warn_unused_result));

/* The step whose absence plan_check names first; -1: none is known to be missing. */
int plan_cause(const struct plan *plan) __attribute__((nonnull));

/* "full" or "waived", after a run also "broken": what approval grading reads. */
const char *plan_confined(const struct plan *plan) __attribute__((nonnull));

#endif
