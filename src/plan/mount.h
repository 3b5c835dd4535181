/* mount.h: one mount of a box, as data. */
#ifndef PINFOLD_PLAN_MOUNT_H
#define PINFOLD_PLAN_MOUNT_H

#include "base/arena.h"
#include "plan/guarantee.h"

#include <stdbool.h>
#include <sys/types.h>

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
    MOUNT_HOLD,     /* a protected path: likewise, if it is the object that was seen */
};

struct mount {
    enum mount_kind kind;
    const char *target; /* canonical path in the box */
    const char *source; /* MOUNT_TREE: path on the host; MOUNT_LINK: what it says */
    enum rights rights;
    bool writable;   /* else read-only */
    bool folder;     /* else a file is mounted on a file */
    bool create;     /* the target is in a folder of the box's own: make it */
    bool optional;   /* leave out when the target isn't there (entries of /proc) */
    bool has_mounts; /* MOUNT_TREE: something is mounted below the source */
    bool view;       /* below a writable folder, whose Landlock rule reaches down, or of a toolchain: shown through an
                      * overlay, which has FIFOs and sockets of its own, but not what is mounted below */
    bool discard; /* MOUNT_TREE: seen through an overlay, writable; what is changed stays in the box and ends with it */
    bool session; /* MOUNT_TREE: a folder that a session keeps; stands where a scratch folder would */
    bool in_session; /* it stands in one: its place is made there before the launch, by descriptors */
    bool device;     /* device nodes work here */
    bool owned;      /* a root caller's ids are mapped to the box's here; the system's own files stay root's */
    unsigned mode;   /* MOUNT_SCRATCH */
    dev_t dev;       /* MOUNT_TREE, MOUNT_HOLD: what the source was seen to be */
    ino_t ino;
    text_list hidden; /* MOUNT_TREE: paths below it, in order, that an overlay keeps absent, there or not */
    bool replaced;    /* MOUNT_HOLD, after a run: another object is there now, which was not held */
    const char *why;  /* for explain */
    enum step step;   /* the step that it belongs to */
};

/* A folder on the way to a protected path, or a symlink that is one: can't be renamed or removed, and nothing else
 * changes, since what is mounted on it is mounted in another view of its tree, which no path leads to. */
struct pinned {
    const char *path; /* of the host, and in the box */
    const struct mount *tree;
    bool link, replaced; /* as for a mount */
    dev_t dev;           /* of a link */
    ino_t ino;
};

/* A root caller's: the supervisor makes it ready, since only there its owners can be mapped. */
static inline bool mount_is_mapped(const struct mount *mount) {
    return mount->kind == MOUNT_TREE && mount->owned;
}

typedef LIST(struct mount) mount_list;

/* The mount that shows a path: of a list in order the last one at it or above it. NULL: the box's own root. */
struct mount *mount_over(const mount_list *mounts, const char *path) __attribute__((nonnull));

#endif
