/* store.h: where pinfold keeps things for an account: sessions, records of runs, what was put aside. */
#ifndef PINFOLD_LINUX_STORE_H
#define PINFOLD_LINUX_STORE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

/* *state: the folder of all of it, canonical, there or not; NULL without a home. `links` gets the symlinks on the way,
 * which no box may change. */
int store_state(struct arena *arena, const char *home, const char **state, text_list *links, struct error *err)
    __attribute__((nonnull(1, 3, 4, 5), warn_unused_result));

/* *keep: that folder, or where there is no home in which it could be, one in
 * /var/tmp, /tmp or /dev/shm. */
int store_keep(struct arena *arena, const char *home, const char *state, const char **keep, struct error *err)
    __attribute__((nonnull(1, 4, 5), warn_unused_result));

/* A folder in it, for reading. Every folder above it, and it, must be root's or the caller's and closed to others; no
 * link is followed. `make`: the last ones are made where they are missing. -1: with err->status 0 when it isn't there
 * or can't be made there: no home, or one that can't be written to. */
int store_open(const char *state, const char *folder, bool make, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Is what is open still the one of this name in a folder? */
bool store_is_named(int folder, const char *name, int fd) __attribute__((nonnull));

int store_cannot(const char *what, int error, struct error *err) __attribute__((nonnull));

#endif
