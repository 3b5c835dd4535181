/* session_remove.c (touching: removes what boxes have written). See session.h.
 *
 * Should: work on open folders alone and never follow a link; manage any depth with four descriptors, any name and any
 * mode; go on where an earlier removal was broken off. So nothing recurses: a folder in a folder that isn't empty is
 * first moved to the top, and comes to its turn there. Must not: go up by "..", which another process could move. */
#include "linux/session_store.h"
#include "linux/store.h"

#include "base/fd.h"
#include "linux/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { TRIES = 1000 };

bool session_is_remainder(const char *name) {
    return strncmp(name, ".new-", 5) == 0 || strncmp(name, ".old-", 5) == 0;
}

/* A folder that its owner may have closed to themselves, opened up; and its inode. */
static int open_up(int at, const char *name, uint64_t *ino) {
    char path[40];
    struct stat status;
    autoclose int place = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0 || fstat(place, &status))
        return -1;
    *ino = status.st_ino;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    if ((status.st_mode & 0700) != 0700 && chmod(path, 0700))
        return -1;
    return openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Move a folder of `at` to the top. Its own mode matters, since its ".." changes. */
static int hoist(int top, int at, const char *name) {
    char moved[24];
    uint64_t ino;
    autoclose int fd = open_up(at, name, &ino);
    if (fd < 0)
        return -1;
    snprintf(moved, sizeof moved, "%016llx", (unsigned long long)ino);
    return renameat(at, name, top, moved);
}

/* One thing in a folder of the top. */
static int remove_entry(int top, int at, const char *name) {
    if (!unlinkat(at, name, 0))
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    if (!unlinkat(at, name, AT_REMOVEDIR))
        return 0;
    return errno == ENOTEMPTY || errno == EEXIST ? hoist(top, at, name) : -1;
}

/* Everything in one folder; 1: the budget was used up. */
static int empty(int top, int at, long *budget, int (*remove_one)(int top, int at, const char *name, long *budget)) {
    for (bool found = true; found;) {
        struct entries entries = {.fd = at};
        found = false;
        if (lseek(at, 0, SEEK_SET))
            return -1;
        for (const struct entry *entry; (entry = entries_next(&entries));) {
            if (entry_is_dots(entry->name))
                continue;
            found = true;
            if (--*budget < 0)
                return 1;
            int left = remove_one(top, at, entry->name, budget);
            if (left)
                return left;
        }
        errno = entries.error;
        if (entries.error)
            return -1;
    }
    return 0;
}

static int remove_inner(int top, int at, const char *name, long *budget) {
    (void)budget;
    return remove_entry(top, at, name);
}

/* One thing in the top folder. */
static int remove_outer(int top, int at, const char *name, long *budget) {
    uint64_t ino;
    (void)at;
    if (!unlinkat(top, name, 0))
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    autoclose int fd = open_up(top, name, &ino);
    int left = fd < 0 ? -1 : empty(top, fd, budget, remove_inner);
    return left ? left : unlinkat(top, name, AT_REMOVEDIR);
}

/* With the lock, which nobody else then has: neither a run nor another removal. */
static int remove_locked(int store, const char *name, int top, long *budget) {
    int left = empty(top, top, budget, remove_outer);
    return left ? left : unlinkat(store, name, AT_REMOVEDIR);
}

int session_remove(int store, const char *name, long *budget) {
    uint64_t ino;
    autoclose int top = open_up(store, name, &ino);
    if (top < 0)
        return errno == ENOENT ? 0 : -1;
    if (flock(top, LOCK_EX | LOCK_NB))
        return -1;
    return store_is_named(store, name, top) ? remove_locked(store, name, top, budget) : 0;
}

int session_set_aside(int store, const char *name, time_t before, char aside[SESSION_ASIDE]) {
    struct stat status;
    uint64_t ino;
    autoclose int fd = open_up(store, name, &ino);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
        return -1;
    errno = ENOENT;
    if (!store_is_named(store, name, fd))
        return -1;
    if (before && (fstatat(fd, "workspace", &status, AT_SYMLINK_NOFOLLOW) || status.st_mtime >= before)) {
        errno = EWOULDBLOCK;
        return -1;
    }
    for (int try = 0; try < TRIES; try++) {
        snprintf(aside, SESSION_ASIDE, ".old-%d-%d", (int)getpid(), try);
        if (!renameat(store, name, store, aside))
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY)
            return -1;
    }
    return -1;
}
