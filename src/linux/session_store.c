/* session_store.c (touching: the folder of all sessions, and those in it). See session_store.h. */
#include "linux/session_store.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

int session_cannot(const char *what, int error, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: the session's %s: %s",
                     path_show(what, shown, sizeof shown), error_name(error));
}

int session_store(const char *state, bool make, struct error *err) {
    int store = store_open(state, SESSION_STORE, make, err);
    return store >= 0 || err->status || !make
               ? store
               : error_set(
                     err, EXIT_USAGE,
                     "sessions are kept in %s, and the home that this is in is not there, or can't be written to; "
                     "make it, or leave out the session",
                     state);
}

int session_open(int store, const char *name) {
    autoclose int place = lookup_open(store, name);
    return place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
