/* store.c (touching: folders of the account's home). See store.h. */
#include "linux/store.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/owner.h"
#include "linux/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

int store_cannot(const char *what, int error, struct error *err) {
    char shown[1024];
    error_set(err, EXIT_REFUSED, "refused, nothing was started: what pinfold keeps, %s: %s",
              path_show(what, shown, sizeof shown), error_name(error));
    errno = error; /* for doctor */
    return -1;
}

int store_state(struct arena *arena, const char *home, const char **state, text_list *links, struct error *err) {
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

/* Can something be made in it? -1: who knows. */
static int is_open(const char *path, struct error *err) {
    if (!access(path, W_OK))
        return 1;
    return resolve_absent(errno) || errno == EROFS ? 0 : store_cannot(path, errno, err);
}

int store_keep(struct arena *arena, const char *home, const char *state, const char **keep, struct error *err) {
    static const char *const temporary[] = {"/var/tmp", "/tmp", "/dev/shm"};
    const char *tried[] = {state, home};
    const uid_t caller = getuid();
    int open = 0;
    if (caller != geteuid()) /* a filter around pinfold: its records would be looked for elsewhere */
        return store_cannot("the caller's uid", EPERM, err);
    *keep = state;
    for (int i = 0; i < 2 && tried[i] && !open; i++)
        open = is_open(tried[i], err);
    for (size_t i = 0; i < sizeof temporary / sizeof temporary[0] && !open; i++) {
        struct place place;
        open = is_open(temporary[i], err);
        if (open < 0)
            break;
        if (resolve(arena, "/", temporary[i], &place, NULL) ||
            !(*keep = arena_printf(arena, "%s/pinfold-%lu", place.path, (unsigned long)caller)))
            return error_memory(err);
    }
    return open < 0 ? -1 : 0; /* in none: who opens it finds out */
}

/* The home and what is above it: in a user namespace that doesn't know their owners, who decides about the home in any
 * case; a sticky folder of the caller's, in which nobody else can move what is theirs. */
static bool is_above_us(const struct stat *status) {
    bool unknown = owner_unknown(status->st_uid), sticky = status->st_mode & S_ISVTX;
    return (unknown || status->st_uid == getuid()) && (sticky || !(status->st_mode & 022));
}

/* The overflow id is the caller's own as well: only an owner may set a mode. */
static bool is_ours_by_act(int fd, const struct stat *status) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return status->st_uid == getuid() && owner_unknown(status->st_uid) && !(status->st_mode & 022) &&
           !chmod(path, status->st_mode & 07777);
}

static int check_ours(const char *path, int fd, bool above, struct error *err) {
    char shown[1024];
    struct error why;
    struct stat status;
    if (fstat(fd, &status))
        return store_cannot(path, errno, err);
    if (!owner_check(path, &status, &why) || (above && is_above_us(&status)) || is_ours_by_act(fd, &status))
        return 0;
    path_show(path, shown, sizeof shown);
    return error_set(
        err, EXIT_USAGE,
        "%s (owner uid %lu, mode %04o) can be changed by others, and with it what pinfold keeps; it must be "
        "root's or your own and closed to others: chown it, or type chmod go-w '%s'",
        shown, (unsigned long)status.st_uid, (unsigned)status.st_mode & 07777, shown);
}

/* One step down: *at becomes the folder `name` in it. 1: it isn't there. */
static int step(int *at, const char *name, bool make) {
    int next = openat(*at, name, FOLDER);
    if (next < 0 && errno == ENOENT && make) {
        bool made = !mkdirat(*at, name, 0700);
        if (!made && errno != EEXIST)
            return errno == ENOENT || errno == EACCES || errno == EROFS ? 1 : -1;
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

int store_open(const char *state, const char *folder, bool make, struct error *err) {
    char path[PATH_MAX], name[NAME_MAX + 1];
    if (snprintf(path, sizeof path, "%s/%s", state, folder) >= (int)sizeof path)
        return store_cannot(state, ENAMETOOLONG, err);
    bool homeless = strncmp(strrchr(state, '/'), "/pinfold-", 9) == 0; /* store_keep made the path */
    int left = parts_of(path) - 1, made = homeless ? 2 : parts_of(SESSION_STATE) + 1;
    autoclose int at = open("/", FOLDER);
    if (at < 0)
        return store_cannot("/", errno, err);
    for (char *start = path + 1, *end; left > 0; start = end + 1, left--) {
        size_t size = strcspn(start, "/");
        bool last = left == 1;
        end = start + size;
        memcpy(name, start, size < sizeof name ? size : 0);
        name[size < sizeof name ? size : 0] = '\0';
        *end = '\0';
        int failed = step(&at, name, make && left <= made);
        if (failed > 0) {
            err->status = 0;
            return -1;
        }
        if (failed)
            return store_cannot(path, errno, err);
        if (check_ours(path, at, left > made, err))
            return -1;
        if (!last)
            *end = '/';
    }
    int store = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return store < 0 ? store_cannot(path, errno, err) : store;
}

bool store_is_named(int folder, const char *name, int fd) {
    struct stat one, other;
    return !fstat(fd, &one) && !fstatat(folder, name, &other, AT_SYMLINK_NOFOLLOW) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}
