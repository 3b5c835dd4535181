/* mounts.h: carries out the mounts of a plan, in a mount namespace that is ours alone. */
#ifndef PINFOLD_LINUX_MOUNTS_H
#define PINFOLD_LINUX_MOUNTS_H

#include "base/error.h"
#include "plan/plan.h"

/* A step that failed: what a launch reports. */
struct failure {
    enum step step;
    int error;         /* errno */
    char detail[1000]; /* on what, or empty */
};
int failure_set(struct failure *failure, enum step step, int error, const char *detail) __attribute__((nonnull));

/* Where something is: below `folder`, an O_PATH or ordinary descriptor, or AT_FDCWD; "" is the folder itself. A path
 * that is given here lies in a place that nobody else can change, and is free of links. */
struct spot {
    int folder;
    const char *path;
};

/* The two mount interfaces of the kernel. Each function returns 0 (or a descriptor), or -1 with errno set. */
struct mount_api {
    /* Attach a new tmpfs over the old root; returns a descriptor of its root. */
    int (*root)(void);
    /* Bind what is at `source`, with everything below when recursive, onto `target`. */
    int (*tree)(struct spot source, struct spot target, const struct mount *mount, bool recursive);
    /* Attach one prepared, detached tree. */
    int (*attach)(int tree, struct spot target);
    /* A new overlay with these options; a name without a value is a flag. */
    int (*overlay)(struct spot target, const char *const options[][2], bool writable);
    /* A new file system of this type, without programs and devices. */
    int (*filesystem)(const char *type, struct spot target, const char *const options[][2]);
    /* A new tmpfs. */
    int (*scratch)(struct spot target, const char *const options[][2]);
    /* Make the mount whose root `target` is read-only, without those below it. */
    int (*readonly)(int target);
};
extern const struct mount_api mount_api_new; /* open_tree, fsmount (5.2), mount_setattr (5.12) */
extern const struct mount_api mount_api_old; /* mount(2): drop when 5.12 is the floor */

/* A file system being built. */
struct build {
    int life; /* closed when pinfold has gone */
    const struct mount_api *api;
    int root;  /* of the box */
    int empty; /* O_PATH: the folder under the mount point of /proc, in which nothing is or can be made */
};

/* Bind what the mount says onto `target`; `prepared`: its detached tree, or -1. */
int mounts_bind(const struct build *build, const struct mount *mount, struct spot target, int prepared)
    __attribute__((nonnull, warn_unused_result));

/* Prepared trees of a root caller, made by the supervisor in its own mount namespace: prepared[i] is a detached tree
 * for mount i, or -1. */
int mounts_prepare(const struct plan *plan, int userns, int *prepared, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));

/* Build the box's file system and make it the root. When the other end of the pipe `life` is closed, this process ends
 * before the next mount. */
int mounts_build(const struct plan *plan, const int *prepared, int life, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));

#endif
