/* session_store.c (touching: folders of the account's home). See session.h. */
#include "linux/session_store.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/owner.h"
#include "linux/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

int session_cannot(const char *what, int error, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: the session's %s: %s",
                     path_show(what, shown, sizeof shown), error_name(error));
}

int session_state(struct arena *arena, const char *home, const char **state, text_list *links, struct error *err) {
    struct place place;
    link_list found = {0};
    const char *path = home ? arena_printf(arena, "%s/" SESSION_STATE, home) : NULL;
    *state = NULL;
    if (!home)
        return 0;
    if (!path || resolve(arena, "/", path, &place, &found))
        return error_memory(err);
    if (place.error && !resolve_absent(place.error))
        return error_set(err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked at (%s)", path,
                         error_name(place.error));
    for (size_t i = 0; i < found.count; i++)
        if (text_add(arena, links, found.at[i].path))
            return error_memory(err);
    *state = place.path;
    return 0;
}

static int check_ours(const char *path, int fd, struct error *err) {
    char shown[1024];
    struct error why;
    struct stat status;
    if (fstat(fd, &status))
        return session_cannot(path, errno, err);
    if (!owner_check(path, &status, &why))
        return 0;
    path_show(path, shown, sizeof shown);
    return error_set(
        err, EXIT_USAGE,
        "%s (owner uid %lu, mode %04o) can be changed by others, and with it what sessions keep; it must be "
        "root's or your own and closed to others: chown it, or type chmod go-w '%s'",
        shown, (unsigned long)status.st_uid, (unsigned)status.st_mode & 07777, shown);
}

/* One step down: *at becomes the folder `name` in it. 1: it isn't there. */
static int step(int *at, const char *name, bool make) {
    int next = openat(*at, name, FOLDER);
    if (next < 0 && errno == ENOENT && make) {
        bool made = !mkdirat(*at, name, 0700);
        if (!made && errno != EEXIST)
            return -1;
        /* whatever the umask; nobody else can put another thing there, since the folder above is closed to others */
        if (made && fchmodat(*at, name, 0700, 0))
            return -1;
        next = openat(*at, name, FOLDER);
    }
    if (next < 0)
        return errno == ENOENT && !make ? 1 : -1;
    close(*at);
    *at = next;
    return 0;
}

/* How many of the last parts of the path may be made. */
static int parts_of(const char *text) {
    int count = 1;
    for (; *text; text++)
        count += *text == '/';
    return count;
}

int session_store(const char *state, bool make, struct error *err) {
    char path[PATH_MAX], name[NAME_MAX + 1];
    if (snprintf(path, sizeof path, "%s/" SESSION_STORE, state) >= (int)sizeof path)
        return session_cannot(state, ENAMETOOLONG, err);
    int left = parts_of(path) - 1, made = parts_of(SESSION_STATE) + 1;
    autoclose int at = open("/", FOLDER);
    if (at < 0)
        return session_cannot("/", errno, err);
    for (char *start = path + 1, *end; left > 0; start = end + 1, left--) {
        size_t size = strcspn(start, "/");
        bool last = left == 1;
        end = start + size;
        memcpy(name, start, size < sizeof name ? size : 0);
        name[size < sizeof name ? size : 0] = '\0';
        *end = '\0';
        int failed = step(&at, name, make && left <= made);
        if (failed > 0 && make) {
            char shown[1024];
            return error_set(err, EXIT_USAGE,
                             "sessions are kept in the home of the account, and %s is not there; make it, or leave out "
                             "the session",
                             path_show(path, shown, sizeof shown));
        }
        if (failed > 0) {
            err->status = 0;
            return -1;
        }
        if (failed)
            return session_cannot(path, errno, err);
        if (check_ours(path, at, err))
            return -1;
        if (!last)
            *end = '/';
    }
    int store = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return store < 0 ? session_cannot(path, errno, err) : store;
}

int session_open(int store, const char *name) {
    autoclose int place = lookup_open(store, name);
    return place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool session_is_named(int store, const char *name, int fd) {
    struct stat one, other;
    return !fstat(fd, &one) && !fstatat(store, name, &other, AT_SYMLINK_NOFOLLOW) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}
