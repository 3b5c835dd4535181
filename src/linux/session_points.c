/* session_points.c (touching: folders that a session keeps). What a plan mounts below a kept home or /tmp needs a place
 * there: an empty folder or file, which stays, as no run can know whether another uses it. See session.h.
 *
 * Should: go step by step from an open folder. Must not: follow a link, or take anything else that an earlier box has
 * left there for a folder: it could lead the mount, and what is made for it, to another place of the host. */
#include "linux/session_store.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { STEP_FLAGS = O_PATH | O_NOFOLLOW | O_CLOEXEC };

/* The kept folder that a mount stands in. */
static const struct mount *folder_of(const struct plan *plan, const struct mount *mount) {
    const struct mount *found = NULL;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *one = &plan->mounts.at[i];
        if (one->session && one != mount && path_is_under(mount->target, one->target))
            found = one; /* the deeper comes later */
    }
    return found;
}

static int make_file(int at, const char *name) {
    autoclose int fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : fchmod(fd, 0644);
}

/* Whatever the umask; by an open folder, since its name may be another's by now. */
static int make_folder(int at, const char *name) {
    char path[40];
    if (mkdirat(at, name, 0755))
        return -1;
    autoclose int fd = openat(at, name, STEP_FLAGS | O_DIRECTORY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fd < 0 ? -1 : chmod(path, 0755);
}

/* The thing `name` in `at`, made where it isn't there: a folder, or anything that a file can be mounted on. ENOTDIR or
 * EISDIR when it is something else, ELOOP for a link; EACCES for a folder that the command couldn't pass. */
static int take(int at, const char *name, bool folder, bool last) {
    struct stat status;
    autoclose int fd = openat(at, name, STEP_FLAGS);
    if (fd < 0 && errno == ENOENT) {
        if ((folder ? make_folder(at, name) : make_file(at, name)) && errno != EEXIST)
            return -1;
        fd = openat(at, name, STEP_FLAGS);
    }
    if (fd < 0 || fstat(fd, &status))
        return -1;
    errno = S_ISLNK(status.st_mode) ? ELOOP : folder ? ENOTDIR : EISDIR;
    if (S_ISLNK(status.st_mode) || S_ISDIR(status.st_mode) != folder)
        return -1;
    errno = EACCES;
    return last || status.st_mode & S_IXUSR ? fd_take(&fd) : -1;
}

static int make_place(int top, const char *path, bool folder) {
    autoclose int at = openat(top, ".", STEP_FLAGS | O_DIRECTORY);
    while (at >= 0) {
        char name[NAME_MAX + 1];
        int part = path_part(&path, name);
        errno = ENAMETOOLONG;
        if (part <= 0)
            return part;
        int next = take(at, name, *path || folder, !*path);
        fd_close(&at);
        at = next;
    }
    return -1;
}

static int refuse(const struct plan *plan, const struct mount *mount, int error, struct error *err) {
    char shown[1024];
    path_show(mount->target, shown, sizeof shown);
    if (error != ELOOP && error != ENOTDIR && error != EISDIR && error != EACCES)
        return session_cannot(shown, error, err);
    return error_set(
        err, EXIT_USAGE,
        "session %s: %s is to stand in what it keeps, where an earlier run has left %s; type pinfold end %s, "
        "or use another id",
        plan->policy->session, shown,
        error == ELOOP     ? "a symlink on the way"
        : error == ENOTDIR ? "something that is no folder"
        : error == EISDIR  ? "a folder"
                           : "a folder without permissions",
        plan->policy->session);
}

int session_points(const struct session *session, const struct plan *plan, struct error *err) {
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        const struct mount *top = mount->in_session ? folder_of(plan, mount) : NULL;
        if (!top)
            continue;
        autoclose int fd = lookup_open(session->fd, strrchr(top->source, '/') + 1);
        if (fd < 0 || make_place(fd, mount->target + strlen(top->target), mount->folder))
            return refuse(plan, mount, errno, err);
    }
    return 0;
}
