/* session.h: names of sessions: what their boxes write to the home, /tmp and /var/tmp is kept for the next. Pure.
 *
 * A session belongs to one workspace, by its canonical path. It is the folder STATE/sessions/ID.HASH, with HASH of the
 * workspace; in it are a file that names the workspace, and the folders that its boxes may change. */
#ifndef PINFOLD_PLAN_SESSION_H
#define PINFOLD_PLAN_SESSION_H

#include "base/arena.h"

#include <stdbool.h>

#define SESSION_STATE ".local/state/pinfold" /* in the home of the account */
#define SESSION_STORE "sessions"             /* in it */

/* The folders that are kept. */
enum { SESSION_HOME, SESSION_TMP, SESSION_VAR_TMP, SESSION_FOLDERS };
extern const struct session_folder {
    const char *name; /* in the session's folder */
    unsigned mode;
} session_folder[SESSION_FOLDERS];

enum { SESSION_ID_MAX = 64, SESSION_HASH = 32, SESSION_NAME_ROOM = SESSION_ID_MAX + 1 + SESSION_HASH + 1 };

/* A letter or digit, then up to 63 of these, '.', '_', '-'. */
bool session_id_valid(const char *id) __attribute__((nonnull));

/* What somebody may have meant who typed one that isn't valid; false: nobody knows. */
bool session_id_near(const char *id, char out[SESSION_ID_MAX + 1]) __attribute__((nonnull));

/* The name of its folder. */
void session_name(const char *id, const char *workspace, char out[SESSION_NAME_ROOM]) __attribute__((nonnull));

/* Is it such a name? Then *size is how much of it is the id. */
bool session_name_valid(const char *name, size_t *size) __attribute__((nonnull));

/* The path of one of its folders; `folder` < SESSION_FOLDERS, or SESSION_FOLDERS for the one that they are in. NULL
 * when out of memory. */
const char *session_path(struct arena *arena, const char *state, const char *id, const char *workspace, int folder)
    __attribute__((nonnull, warn_unused_result));

#endif
