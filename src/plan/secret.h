/* secret.h: a path that must not be read in the box, as data. */
#ifndef PINFOLD_PLAN_SECRET_H
#define PINFOLD_PLAN_SECRET_H

#include "base/arena.h"

#include <stdbool.h>
#include <sys/types.h>

/* One of the names that it has here. */
struct secret {
    const char *path;   /* canonical */
    const char *origin; /* where it was asked for; NULL: built in */
    mode_t mode;        /* 0: nothing is there */
    nlink_t links;
    dev_t dev;
    ino_t ino;
    bool closed; /* its mode closes it to the box, unless root is kept */
};
typedef LIST(struct secret) secret_list;

/* How it is held. */
enum secret_state {
    SECRET_AWAY,    /* no root of the box shows it */
    SECRET_HIDDEN,  /* kept absent by an overlay, whatever the host does there */
    SECRET_COVERED, /* a folder, with an empty one over it */
    SECRET_OPEN,    /* it isn't, or only as long as the host leaves it alone: fs-secret is not provided */
};

#endif
