/* place.h: what paths, links and mounts were seen to be on the host. */
#ifndef PINFOLD_PLAN_PLACE_H
#define PINFOLD_PLAN_PLACE_H

#include "base/arena.h"

#include <stdbool.h>
#include <sys/types.h>

/* What a folder that isn't there yet would be made in: the nearest folder above it that is there. */
struct making {
    const char *path;
    dev_t dev;
    ino_t ino;
    uid_t owner;
};

/* A path looked up on the host. */
struct place {
    const char *path; /* canonical, without symlinks; NULL when it could not be looked up */
    int error;        /* errno of the look-up, 0 when it was found */
    mode_t mode;
    dev_t dev;
    ino_t ino;
    bool has_mounts;             /* something is mounted below it (looked for in what is granted for reading) */
    const char *link;            /* a symlink on the way that a command in a box may have made; NULL: none */
    const struct making *making; /* there is nothing, and a folder is to be made; NULL: it is there, or won't be */
};

/* A symlink that was met on the way to a granted path, or a system folder that is one (/bin to usr/bin). */
struct link {
    const char *path, *target;
};
typedef LIST(struct link) link_list;

/* A mount of the host: which part of which file system is shown where. */
struct shown {
    const char *device, *root, *point;
};
typedef LIST(struct shown) shown_list;

/* Something of a toolchain of the home that the box is shown; see toolchains.h. */
enum piece_kind {
    PIECE_TREE, /* a folder or a file */
    PIECE_HIDE, /* in such a folder: may hold credentials */
    PIECE_LINK, /* a symlink, which opens nothing itself */
};
struct piece {
    enum piece_kind kind;
    struct place place;
    const char *target; /* PIECE_LINK: what it says */
    const char *why;    /* "toolchain NAME" */
};

/* A place that PATH or a toolchain leads to and that isn't shown. */
struct left_out {
    const char *path, *why;
};

#endif
