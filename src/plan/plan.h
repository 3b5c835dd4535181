/* plan.h: everything a launch will do, as data. Printed by explain, carried out by a backend, told by the receipt. */
#ifndef PINFOLD_PLAN_PLAN_H
#define PINFOLD_PLAN_PLAN_H

#include "plan/probe.h"
#include "policy/environment.h"
#include "policy/policy.h"

/* What may be done with files below a mount, for Landlock; the mount itself is read-only unless it says writable. */
enum rights {
    RIGHTS_NONE,
    RIGHTS_READ,   /* read, list, execute */
    RIGHTS_WRITE,  /* everything but devices */
    RIGHTS_PROC,   /* read, list, write to files */
    RIGHTS_DEVICE, /* read, write, ioctl of a character device */
    RIGHTS_RANDOM, /* read only, and no ioctl: /dev/random, /dev/urandom */
    RIGHTS_SOCKET, /* connect */
};

enum mount_kind {
    MOUNT_TREE,     /* bind a folder or file of the host, with what is mounted below it */
    MOUNT_SCRATCH,  /* an empty writable folder of the box's own */
    MOUNT_PROC,     /* a new /proc */
    MOUNT_PTS,      /* a new devpts */
    MOUNT_QUEUES,   /* the POSIX message queues of the box's own ipc namespace */
    MOUNT_LINK,     /* a symlink in a folder of the box's own */
    MOUNT_EMPTY,    /* an empty folder or /dev/null over something that must not be seen */
    MOUNT_READONLY, /* the same thing again, read-only */
};

struct mount {
    enum mount_kind kind;
    const char *target;   /* canonical path in the box */
    const char *source;   /* MOUNT_TREE: path on the host; MOUNT_LINK: what it says */
    enum rights rights;
    bool writable;        /* else read-only */
    bool folder;          /* else a file is mounted on a file */
    bool create;          /* the target is in a folder of the box's own: make it */
    bool optional;        /* leave out when the target isn't there (entries of /proc) */
    bool below_writable;  /* Landlock's rules reach down: shown through an overlay, which has FIFOs and sockets of its own */
    bool device;          /* device nodes work here */
    bool owned;           /* a root caller's ids are mapped to the box's here; the system's own files stay root's */
    unsigned mode;        /* MOUNT_SCRATCH */
    dev_t dev;            /* MOUNT_TREE: what the source was seen to be */
    ino_t ino;
    const char *why;      /* for explain */
    enum step step;       /* the step that it belongs to */
};

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

struct plan {
    const char *backend;
    const struct policy *policy;
    const struct probe *probe;
    uint32_t provided;         /* set of guarantees */
    uint32_t untried;          /* after a launch: this host has nothing to try these on, so state was compared instead */
    bool taken[STEP_COUNT];    /* the steps of this plan */
    bool root_kept;            /* a root caller whose kernel uid stays 0 */
    bool root_mapped;          /* a root caller who runs as an unprivileged host uid */
    bool terminal;             /* some channel is a tty */
    bool relay;                /* some channel is relayed */
    unsigned id_base, id_count; /* outside ids: inside id n is id_base + n (root_mapped), else the caller's own */
    LIST(struct mount) mounts; /* in order */
    LIST(struct channel) channels;
    struct environment environment;
    const char *home;          /* path of the scratch home, or of a granted one */
    const char *workspace, *current;
    const char *notice;        /* one line for stderr when something must be said, or NULL */
};

/* Does the plan give every guarantee that isn't waived? If not: 126, with the cause and the remedy. */
int plan_check(const struct plan *plan, struct error *err) __attribute__((nonnull, warn_unused_result));

/* "full" or "waived": what approval grading reads. */
const char *plan_confined(const struct plan *plan) __attribute__((nonnull));

#endif
