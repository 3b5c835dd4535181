/* session_list.c (touching: the folder of all sessions, /proc/locks). See session.h. */
#include "linux/session_store.h"

#include "base/fd.h"
#include "base/lines.h"
#include "linux/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { LOOKS = 128, REMOVALS = 4096 };

static bool is_among(const int *all, size_t count, int one) {
    for (size_t i = 0; i < count; i++)
        if (all[i] == one)
            return true;
    return false;
}

size_t session_holders(int fd, int holder[SESSION_HOLDERS]) {
    struct lines lines;
    struct stat status;
    size_t count = 0;
    if (fstat(fd, &status) || lines_open(&lines, "/proc/locks"))
        return 0;
    for (char *line; (line = lines_next(&lines)) && count < SESSION_HOLDERS;) {
        int pid;
        unsigned high, low;
        unsigned long long ino;
        if (sscanf(line, "%*d: FLOCK ADVISORY %*s %d %x:%x:%llu", &pid, &high, &low, &ino) == 4 && pid > 0 &&
            pid != (int)getpid() && high == major(status.st_dev) && low == minor(status.st_dev) &&
            ino == status.st_ino && !is_among(holder, count, pid)) /* a list that changes can show one twice */
            holder[count++] = pid;
    }
    lines_close(&lines);
    return count;
}

/* 0: seen; 1: it went meanwhile. */
static int see(struct arena *arena, int store, const char *name, size_t id_size, struct session_seen *seen) {
    char workspace[PATH_MAX];
    struct stat status;
    autoclose int fd = session_open(store, name);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES ? 1 : -1;
    autoclose int file = openat(fd, "workspace", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t size = file < 0 ? -1 : fd_read_all(file, workspace, sizeof workspace);
    *seen = (struct session_seen){.name = arena_copy(arena, name), .id_size = id_size};
    if (size > 0 && workspace[0] == '/' && !memchr(workspace, '\0', (size_t)size)) {
        seen->workspace = arena_copy_bytes(arena, workspace, (size_t)size);
        if (!seen->workspace)
            return -1;
    }
    if (!seen->name || fstat(file < 0 ? fd : file, &status))
        return -1;
    seen->used = status.st_mtime;
    /* for this moment nobody else gets a lock; a run that begins now tries again */
    seen->in_use = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    seen->holders = seen->in_use ? session_holders(fd, seen->holder) : 0;
    return 0;
}

int session_list_all(struct arena *arena, int store, session_list *all) {
    struct entries entries = {.fd = store};
    size_t id_size;
    if (lseek(store, 0, SEEK_SET))
        return -1;
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        struct session_seen seen;
        if (!session_name_valid(entry->name, &id_size))
            continue;
        int failed = see(arena, store, entry->name, id_size, &seen);
        struct session_seen *added = failed ? NULL : list_add(arena, all);
        if (failed < 0 || (!failed && !added))
            return -1;
        if (added)
            *added = seen;
    }
    errno = entries.error;
    return entries.error ? -1 : 0;
}

/* One entry of the store, if it is to go. */
static void collect_one(int store, const char *name, long *budget) {
    struct stat status;
    char aside[SESSION_ASIDE], file[NAME_MAX + 16];
    time_t before = time(NULL) - (time_t)SESSION_DAYS * 24 * 3600;
    size_t id_size;
    if (session_is_remainder(name)) {
        (void)!session_remove(store, name, budget);
        return;
    }
    snprintf(file, sizeof file, "%s/workspace", name);
    if (!session_name_valid(name, &id_size) || fstatat(store, file, &status, AT_SYMLINK_NOFOLLOW) ||
        status.st_mtime >= before)
        return;
    if (!session_set_aside(store, name, before, aside))
        (void)!session_remove(store, aside, budget);
}

/* Of many sessions each start looks at some, beginning anywhere, so that all come to their turn. */
void session_collect(int store) {
    struct entries entries = {.fd = store};
    size_t count = 0, at = 0;
    long budget = REMOVALS;
    if (lseek(store, 0, SEEK_SET))
        return;
    while (entries_next(&entries))
        count++;
    size_t first = count > LOOKS ? (size_t)time(NULL) * LOOKS % count : 0;
    entries = (struct entries){.fd = store};
    if (lseek(store, 0, SEEK_SET))
        return;
    for (const struct entry *entry; budget > 0 && (entry = entries_next(&entries)); at++)
        if ((at + count - first) % (count ? count : 1) < LOOKS)
            collect_one(store, entry->name, &budget);
}

int session_clear(int store) {
    struct entries entries = {.fd = store};
    int failed = 0;
    if (lseek(store, 0, SEEK_SET))
        return -1;
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        long budget = LONG_MAX;
        if (!session_is_remainder(entry->name) || session_remove(store, entry->name, &budget) >= 0 ||
            errno == EWOULDBLOCK || failed)
            continue;
        failed = errno;
    }
    errno = failed ? failed : entries.error;
    return errno ? -1 : 0;
}
