/* session.h: sessions on the disk: found, made, locked, listed, removed. See plan/session.h for what they are.
 *
 * Each run of a session holds a shared lock on its folder until the box has ended. Who removes one takes the lock alone
 * and renames it aside before anything in it is touched, so a new run never meets half of an old session. What is made
 * gets its name when it is whole. A death at any moment leaves a whole session or a remainder: a folder that is called
 * ".new-..." or ".old-..." and locked by nobody. */
#ifndef PINFOLD_LINUX_SESSION_H
#define PINFOLD_LINUX_SESSION_H

#include "plan/plan.h"

enum { SESSION_DAYS = 7 }; /* without a run, until it is stale */

/* One that a run uses. All zero: none. */
struct session {
    bool entered;
    int store; /* the folder of all sessions */
    int fd;    /* this one's, locked */
    int used;  /* the file whose time says when it was last used */
};

/* After the plan is made: open the session, made where it isn't there, and lock it; put into plan and probe what its
 * folders are; make the places in them that the plan mounts on; remove some of what is stale. 125 when its folders
 * could be others' or something else stands in a place, 126 when a call fails. */
int session_enter(struct session *session, struct plan *plan, struct probe *probe, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The box has ended, or there will be none. */
void session_leave(struct session *session) __attribute__((nonnull));

#endif
