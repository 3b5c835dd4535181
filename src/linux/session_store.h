/* session_store.h: the folder of all sessions, and what can be done with one that is found in it. See session.h. */
#ifndef PINFOLD_LINUX_SESSION_STORE_H
#define PINFOLD_LINUX_SESSION_STORE_H

#include "linux/session.h"

#include <time.h>

/* session_store.c: the folder of all sessions. Every folder above it, and it, must be root's or the caller's and closed
 * to others; no link is followed. `make`: the last ones are made where they are missing. -1: with err->status 0 when it
 * isn't there. */
int session_store(const char *state, bool make, struct error *err) __attribute__((nonnull, warn_unused_result));
int session_cannot(const char *what, int error, struct error *err) __attribute__((nonnull));

/* A folder of the store, for reading; no link. */
int session_open(int store, const char *name) __attribute__((nonnull, warn_unused_result));

/* session_points.c: make the places below the kept folders that the plan mounts on. */
int session_points(const struct session *session, const struct plan *plan, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* session_remove.c: take the lock of one alone and rename it aside, to the name `aside`. -1 with
 * errno: EWOULDBLOCK when a run uses it, ENOENT when it isn't there. `before`: only one not used since then. */
enum { SESSION_ASIDE = 48 };
int session_set_aside(int store, const char *name, time_t before, char aside[SESSION_ASIDE])
    __attribute__((nonnull, warn_unused_result));

/* Remove a remainder, as long as *budget, the number of things that may be removed, lasts. 0: it is gone; 1: some of it
 * is left; -1 with errno. EWOULDBLOCK: somebody else is at it. */
int session_remove(int store, const char *name, long *budget) __attribute__((nonnull, warn_unused_result));
bool session_is_remainder(const char *name) __attribute__((nonnull));

/* session_list.c */
enum { SESSION_HOLDERS = 8 };
struct session_seen {
    const char *name; /* of its folder; the id is its first id_size bytes */
    size_t id_size;
    const char *workspace; /* NULL: it can't be told */
    time_t used;
    bool in_use;
    size_t holders; /* the runs that use it, as far as this host tells */
    int holder[SESSION_HOLDERS];
};
typedef LIST(struct session_seen) session_list;

/* All sessions of a store. -1 with errno. */
int session_list_all(struct arena *arena, int store, session_list *all) __attribute__((nonnull, warn_unused_result));

/* The processes that hold a lock on it. */
size_t session_holders(int fd, int holder[SESSION_HOLDERS]);

/* Remove what is left of removed ones, and those that were not used for SESSION_DAYS: some, so that no start takes
 * long. What fails stays for the next. */
void session_collect(int store);

/* Remove all remainders. -1 with errno of the first that can't be. */
int session_clear(int store) __attribute__((warn_unused_result));

#endif
