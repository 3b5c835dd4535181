/* session.c (touching: one session's folder). See session.h. */
#include "linux/session_store.h"
#include "linux/store.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { TRIES = 1000, MILLISECOND = 1 };

static const char file_name[] = "workspace";

/* A folder of the caller's, in one that nobody else can write to. */
static int make_folder(int at, const char *name, unsigned mode) {
    return mkdirat(at, name, 0700) || fchmodat(at, name, mode, 0) ? -1 : 0;
}

static int fill(int fd, const char *workspace) {
    autoclose int file = openat(fd, file_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 || fchmod(file, 0600) || fd_write_all(file, workspace, strlen(workspace)))
        return -1;
    for (int i = 0; i < SESSION_FOLDERS; i++)
        if (make_folder(fd, session_folder[i].name, session_folder[i].mode))
            return -1;
    return 0;
}

/* Make it whole under another name, locked, so that nobody takes it for a remainder; then it gets its own. Another run
 * may do the same: the second rename fails, and what it made is a remainder. */
static int make(int store, const char *name, const char *workspace) {
    for (int try = 0; try < TRIES; try++) {
        char part[SESSION_ASIDE];
        snprintf(part, sizeof part, ".new-%d-%d", (int)getpid(), try);
        if (make_folder(store, part, 0700)) {
            if (errno == EEXIST || errno == ENOENT) /* another host's or container's, or removed as a remainder */
                continue;
            return -1;
        }
        autoclose int fd = session_open(store, part);
        if (fd < 0 && errno != ENOENT)
            return -1;
        if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) || !store_is_named(store, part, fd))
            continue;
        if (fill(fd, workspace))
            return -1;
        if (!renameat(store, part, store, name))
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY)
            return -1;
        fd_close(&fd);
        long budget = 16;
        (void)!session_remove(store, part, &budget); /* or whoever collects */
        return 0;
    }
    errno = EBUSY;
    return -1;
}

/* Its folder, made where it isn't there, with a shared lock. While somebody removes it, or looks whether it is used,
 * the lock can't be had: for a moment, or until the name is free. */
static int open_locked(int store, const char *name, const char *workspace) {
    for (int try = 0; try < TRIES; try++) {
        autoclose int fd = session_open(store, name);
        if (fd < 0 && (errno != ENOENT || make(store, name, workspace)))
            return -1;
        if (fd < 0)
            continue;
        if (flock(fd, LOCK_SH | LOCK_NB)) {
            if (errno != EWOULDBLOCK)
                return -1;
            (void)poll(NULL, 0, MILLISECOND);
            continue;
        }
        if (store_is_named(store, name, fd))
            return fd_take(&fd);
    }
    errno = EBUSY;
    return -1;
}

/* Is it the caller's alone, and this workspace's? */
static int check(struct session *session, const struct plan *plan, struct error *err) {
    char workspace[PATH_MAX];
    const char *id = plan->policy->session;
    struct stat status;
    if (fstat(session->fd, &status))
        return session_cannot("folder", errno, err);
    if (status.st_uid != plan->probe->uid || status.st_mode & 077)
        return error_set(err, EXIT_USAGE,
                         "session %s: its folder belongs to uid %lu and has mode %04o; it must be your own with mode "
                         "0700: type pinfold end %s, or use another id",
                         id, (unsigned long)status.st_uid, (unsigned)status.st_mode & 07777, id);
    session->used = openat(session->fd, file_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = session->used < 0 ? -1 : fd_read_all(session->used, workspace, sizeof workspace);
    if (size < 0 && errno != ENOENT)
        return session_cannot(file_name, errno, err);
    if (size < 0 || (size_t)size != strlen(plan->workspace) || memcmp(workspace, plan->workspace, (size_t)size) != 0)
        return error_set(
            err, EXIT_USAGE,
            "session %s: its folder is damaged, or another workspace's; type pinfold end %s, or use another id", id,
            id);
    return 0;
}

static int set_mode(int fd, unsigned mode) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return chmod(path, mode);
}

/* The folders that are mounted: the modes of their tops are the box's to change, and are put back. */
static int take_folder(const struct session *session, struct plan *plan, struct probe *probe, int folder,
                       struct error *err) {
    const struct session_folder *wanted = &session_folder[folder];
    struct stat status;
    autoclose int fd = lookup_open(session->fd, wanted->name);
    if (fd < 0 || fstat(fd, &status))
        return session_cannot(wanted->name, errno, err);
    if (!S_ISDIR(status.st_mode) || status.st_uid != plan->probe->uid)
        return error_set(err, EXIT_USAGE, "session %s: its folder is damaged (%s); type pinfold end %s",
                         plan->policy->session, wanted->name, plan->policy->session);
    if ((status.st_mode & 07777) != wanted->mode && set_mode(fd, wanted->mode))
        return session_cannot(wanted->name, errno, err);
    probe->session[folder] = (struct place){.mode = status.st_mode, .dev = status.st_dev, .ino = status.st_ino};
    for (size_t i = 0; i < plan->mounts.count; i++) {
        struct mount *mount = &plan->mounts.at[i];
        const char *name = mount->session ? strrchr(mount->source, '/') : NULL;
        if (name && strcmp(name + 1, wanted->name) == 0) {
            mount->dev = status.st_dev;
            mount->ino = status.st_ino;
        }
    }
    return 0;
}

static int enter(struct session *session, struct plan *plan, struct probe *probe, struct error *err) {
    char name[SESSION_NAME_ROOM];
    session_name(plan->policy->session, plan->workspace, name);
    session->store = session_store(plan->policy->state, true, err);
    if (session->store < 0)
        return -1;
    session->fd = open_locked(session->store, name, plan->workspace);
    if (session->fd < 0)
        return session_cannot("folder", errno, err);
    if (check(session, plan, err))
        return -1;
    for (int i = 0; i < SESSION_FOLDERS; i++)
        if (take_folder(session, plan, probe, i, err))
            return -1;
    if (session_points(session, plan, err))
        return -1;
    return futimens(session->used, NULL) ? session_cannot(file_name, errno, err) : 0;
}

int session_enter(struct session *session, struct plan *plan, struct probe *probe, struct error *err) {
    *session = (struct session){.entered = true, .store = -1, .fd = -1, .used = -1};
    if (enter(session, plan, probe, err)) {
        session_leave(session);
        return -1;
    }
    session_collect(session->store);
    return 0;
}

void session_leave(struct session *session) {
    if (!session->entered)
        return;
    if (session->used >= 0)
        (void)!futimens(session->used, NULL); /* the time of the start is a good one, too */
    fd_close(&session->used);
    fd_close(&session->fd);
    fd_close(&session->store);
    session->entered = false;
}
