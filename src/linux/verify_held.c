/* verify_held.c (touching: forbidden acts that harm nothing): below the roots of the box, what must not be seen isn't,
 * and what must not change doesn't. See verify.h. */
#include "linux/verify_check.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/layers.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Does it stand in what a session keeps? There another box of the session can move folders, also for a moment, and with
 * them what is mounted in them. */
static bool is_in_session(const struct plan *plan, const struct mount *mount) {
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (plan->mounts.at[i].session && &plan->mounts.at[i] != mount &&
            path_is_under(mount->target, plan->mounts.at[i].target))
            return true;
    return false;
}

/* Is this open folder or file the top of the tree? */
static bool is_tree(const struct mount *tree, int fd) {
    struct statfs system;
    struct stat status;
    if (tree->view || tree->discard)
        return !fstatfs(fd, &system) && system.f_type == OVERLAYFS_SUPER_MAGIC;
    return !fstat(fd, &status) && status.st_dev == tree->dev && status.st_ino == tree->ino;
}

/* stat of the place that mount `index` covers. Of one that stands in what a session keeps, by way of the tree that it
 * is in, whose inner folders no other box can move; ESTALE when that tree isn't where it was to be. */
static int stat_covered(const struct plan *plan, size_t index, struct stat *status) {
    const struct mount *cover = &plan->mounts.at[index], *tree = NULL;
    for (size_t i = 0; i < index; i++) /* the deeper comes later */
        if (plan->mounts.at[i].kind == MOUNT_TREE && path_is_under(cover->target, plan->mounts.at[i].target))
            tree = &plan->mounts.at[i];
    if (!tree || tree->session || !is_in_session(plan, tree))
        return stat(cover->target, status);
    autoclose int fd = openat(AT_FDCWD, tree->target, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || !is_tree(tree, fd)) {
        errno = ESTALE;
        return -1;
    }
    return fstatat(fd, cover->target + strlen(tree->target) + 1, status, 0);
}

int verify_covers(const struct check *check) {
    for (size_t i = 0; i < check->plan->mounts.count; i++) {
        const struct mount *mount = &check->plan->mounts.at[i];
        struct stat status;
        if (mount->step == STEP_SOCKETS &&
            must_be(check, GUARANTEE_UNIX_SOCKET, mount->target,
                    stat_covered(check->plan, i, &status) ? errno == EACCES : !S_ISSOCK(status.st_mode)))
            return -1;
    }
    return 0;
}

/* The place of all sessions: nothing of it is to be seen. */
int verify_sessions(const struct check *check) {
    struct stat root, status;
    if (must_be(check, GUARANTEE_FS_READ, "/", !stat("/", &root)))
        return -1;
    for (size_t i = 0; i < check->plan->mounts.count; i++) {
        const struct mount *mount = &check->plan->mounts.at[i];
        if (mount->kind == MOUNT_EMPTY && mount->folder && mount->optional && mount->step == STEP_MOUNTS &&
            must_be(check, GUARANTEE_FS_READ, mount->target,
                    stat_covered(check->plan, i, &status) ? errno == ENOENT || errno == EACCES || errno == ENOTDIR
                                                          : status.st_dev == root.st_dev))
            return -1;
    }
    return 0;
}

/* Each tree stands where it was to be, and so does each folder that is kept. */
int verify_places(const struct check *check) {
    const struct plan *plan = check->plan;
    for (size_t i = 0; plan->policy->session && i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (mount->kind != MOUNT_TREE || mount->device)
            continue;
        autoclose int fd = openat(AT_FDCWD, mount->target, O_PATH | O_CLOEXEC | O_NOFOLLOW);
        bool there = fd < 0 ? errno == EACCES && !is_in_session(plan, mount) /* for nobody here */
                            : is_tree(mount, fd);
        if (must_be(check, GUARANTEE_FS_WRITE, mount->target, there))
            return -1;
    }
    return 0;
}

/* What is there outside can't be opened, or an empty folder is in its place. */
static int verify_secret(const struct check *check, const struct secret *secret, enum secret_state state) {
    struct stat status;
    int folder = state == SECRET_COVERED ? O_DIRECTORY : 0;
    autoclose int fd =
        openat(AT_FDCWD, secret->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | folder);
    if (fd < 0 && (errno == EACCES || errno == ENOTDIR))
        return 0; /* nor can anything below it be opened */
    if (state == SECRET_HIDDEN || fd < 0)
        return must_fail(check, GUARANTEE_FS_SECRET, secret->path, fd, ENOENT);
    /* a cover, or a folder that was made on the way to something else */
    return must_be(check, GUARANTEE_FS_SECRET, secret->path,
                   !fstat(fd, &status) && (status.st_dev != secret->dev || status.st_ino != secret->ino));
}

/* What isn't there outside can't be tried: then the overlay that keeps it absent must be there. */
int verify_secrets(const struct check *check) {
    const struct plan *plan = check->plan;
    for (size_t i = 0; layer_on(STEP_SECRETS) && i < plan->secrets.count; i++)
        if (plan->probe->secrets.at[i].mode && plan->secrets.at[i] != SECRET_OPEN &&
            verify_secret(check, &plan->probe->secrets.at[i], plan->secrets.at[i]))
            return -1;
    for (size_t i = 0; layer_on(STEP_SECRETS) && i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        struct statfs system;
        if (mount->hidden.count && must_be(check, GUARANTEE_FS_SECRET, mount->target,
                                           !statfs(mount->target, &system) && system.f_type == OVERLAYFS_SUPER_MAGIC))
            return -1;
    }
    return 0;
}

/* What is protected, by what answers before permission is looked at. */
static int verify_held(const struct check *check, const struct mount *mount) {
    char path[4096];
    struct stat status;
    if (lstat(mount->target, &status)) /* out of the command's reach */
        return must_be(check, GUARANTEE_FS_PROTECT, mount->target, errno == EACCES);
    if (must_be(check, GUARANTEE_FS_PROTECT, mount->target,
                status.st_dev == mount->dev && status.st_ino == mount->ino) ||
        must_fail(check, GUARANTEE_FS_PROTECT, mount->target, chmod(mount->target, status.st_mode & 07777), EROFS))
        return -1;
    if (!mount->folder || snprintf(path, sizeof path, "%s/.pinfold-verify", mount->target) >= (int)sizeof path ||
        (access(mount->target, X_OK) && errno == EACCES))
        return 0;
    return must_fail(check, GUARANTEE_FS_PROTECT, path, mkdir(path, 0700), EROFS);
}

/* May this caller, by owner and mode, move what lies in the folder that `path` is in? In a sticky one it depends. */
static bool may_move(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[4096];
    struct stat status;
    if (snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path) >= (int)sizeof folder)
        return true;
    return !access(folder, W_OK) && !stat(folder, &status) && !(status.st_mode & S_ISVTX);
}

/* A folder that is not pinned holds something protected, so it isn't empty, and this fails with ENOTEMPTY. For a link
 * there is no such act that would do no harm. */
static int verify_pinned(const struct check *check, const struct pinned *pin) {
    if (pin->link)
        return 0;
    int result = rmdir(pin->path);
    int error = errno;
    bool closed = result && (error == EACCES || error == EPERM) && !may_move(pin->path);
    errno = error;
    return closed ? 0 : must_fail(check, GUARANTEE_FS_PROTECT, pin->path, result, EBUSY);
}

int verify_protected(const struct check *check) {
    const struct plan *plan = check->plan;
    if (!plan->taken[STEP_PROTECT] || !layer_on(STEP_PROTECT) || !layer_on(STEP_MOUNTS_READONLY))
        return 0;
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (plan->mounts.at[i].kind == MOUNT_HOLD && verify_held(check, &plan->mounts.at[i]))
            return -1;
    for (size_t i = 0; i < plan->pins.count; i++)
        if (verify_pinned(check, &plan->pins.at[i]))
            return -1;
    return 0;
}
