/* record.c (touching: files with locks). See record.h. A file gets its name when it is whole and locked, so that nobody
 * takes one that is being made for a dead run's. */
#include "settle/record.h"

#include "base/fd.h"
#include "linux/dying.h"
#include "linux/entries.h"
#include "linux/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { TRIES = 1000, RECORD_MAX = 256 << 20, PART_SECONDS = 600 };

/* 1: *run is it; 0: it is damaged; -1 with errno. */
static int read_record(struct arena *arena, int fd, struct run *run) {
    struct stat status;
    if (fstat(fd, &status))
        return -1;
    if (!S_ISREG(status.st_mode) || status.st_size > RECORD_MAX)
        return 0;
    errno = ENOMEM;
    char *text = arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t size = text ? fd_read_all(fd, text, (size_t)status.st_size) : -1;
    return size < 0 ? -1 : !run_read(arena, text, (size_t)size, run);
}

/* Its pinfold's, by which it is called. */
static pid_t pid_of(const char *name) {
    const char *dash = strchr(name, '-');
    return dash ? (pid_t)strtol(dash + 1, NULL, 10) : 0;
}

static int visit_one(struct arena *arena, int store, const char *name, const struct record_visit *visit,
                     struct error *err) {
    struct run run;
    autoclose int fd = openat(store, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : store_cannot("records of runs", errno, err);
    bool live = flock(fd, LOCK_EX | LOCK_NB) != 0;
    if (live && errno != EWOULDBLOCK)
        return store_cannot("records of runs", errno, err);
    if (!live && !store_is_named(store, name, fd)) /* it has just ended */
        return 0;
    if (!live && dying_wait(pid_of(name)))
        return store_cannot("records of runs, whose box does not end", errno, err);
    int whole = read_record(arena, fd, &run);
    if (whole < 0)
        return store_cannot("records of runs", errno, err);
    if (whole ? visit->run(visit->context, &run, live) : visit->damaged(visit->context, name))
        return -1;
    if (!live && unlinkat(store, name, 0) && errno != ENOENT)
        return store_cannot("records of runs", errno, err);
    return 0;
}

/* One whose pinfold was killed before it was whole: nothing had been started. */
static void remove_part(int store, const char *name) {
    struct stat status;
    if (name[0] == '.' && !fstatat(store, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISREG(status.st_mode) &&
        status.st_mtime + PART_SECONDS < time(NULL))
        (void)!unlinkat(store, name, 0); /* or the next one does */
}

int record_each(struct arena *arena, int store, const struct record_visit *visit, struct error *err) {
    struct entries entries = {.fd = store};
    text_list names = {0};
    if (lseek(store, 0, SEEK_SET))
        return store_cannot("records of runs", errno, err);
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        const char *name = entry->name[0] == '.' ? NULL : arena_copy(arena, entry->name);
        remove_part(store, entry->name);
        if (entry->name[0] != '.' && (!name || text_add(arena, &names, name)))
            return error_memory(err);
    }
    if (entries.error)
        return store_cannot("records of runs", entries.error, err);
    for (size_t i = 0; i < names.count; i++)
        if (visit_one(arena, store, names.at[i], visit, err))
            return -1;
    return 0;
}

int record_make(struct arena *arena, struct record *record, const struct run *run, struct error *err) {
    char part[RECORD_NAME + 1];
    size_t size;
    char *text = run_write(arena, run, &size);
    if (!text)
        return error_memory(err);
    for (int try = 0; try < TRIES && record->file < 0; try++) {
        snprintf(record->name, sizeof record->name, "%lld-%d-%d", (long long)run->since.tv_sec, (int)getpid(), try);
        snprintf(part, sizeof part, ".%s", record->name);
        record->file = openat(record->store, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (record->file < 0 && errno != EEXIST)
            break;
    }
    if (record->file < 0)
        return store_cannot("record of this run", errno, err);
    if (fchmod(record->file, 0600) || flock(record->file, LOCK_EX | LOCK_NB) ||
        fd_write_all(record->file, text, size) || renameat(record->store, part, record->store, record->name)) {
        int error = errno;
        (void)!unlinkat(record->store, part, 0);
        fd_close(&record->file);
        return store_cannot("record of this run", error, err);
    }
    return 0;
}

int record_end(struct record *record, bool remove) {
    int result = record->file >= 0 && remove ? unlinkat(record->store, record->name, 0) : 0;
    fd_close(&record->file);
    fd_close(&record->store);
    return result;
}
