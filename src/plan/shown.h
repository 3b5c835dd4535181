/* shown.h: one line of the host's table of mounts, as data. */
#ifndef PINFOLD_PLAN_SHOWN_H
#define PINFOLD_PLAN_SHOWN_H

#include "base/arena.h"

/* A mount of the host: which part of which file system is shown where. */
struct shown {
    const char *device, *root, *point;
};
typedef LIST(struct shown) shown_list;

#endif
