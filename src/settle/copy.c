/* copy.c (touching: files). See copy.h. */
#include "settle/copy.h"

#include "base/fd.h"
#include "linux/entries.h"
#include "linux/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* To the next data, where a file system tells of holes: a terabyte of them takes no room, and copied it would. 0: there
 * is none. */
static int skip_hole(int from, int to) {
    off_t here = lseek(from, 0, SEEK_CUR), data = lseek(from, here, SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? 0 : lseek(from, here, SEEK_SET) < 0 ? -1 : 1;
    return lseek(to, data, SEEK_SET) < 0 ? -1 : 1;
}

static int copy_bytes(int from, int to, off_t size) {
    enum { SIZE = 1 << 16 };
    char *buffer = malloc(SIZE);
    int more = buffer ? 1 : -1;
    while (more > 0 && (more = skip_hole(from, to)) > 0) {
        ssize_t got = fd_read_all(from, buffer, SIZE);
        more = got < 0 || (got > 0 && fd_write_all(to, buffer, (size_t)got)) ? -1 : got > 0;
    }
    int saved = errno;
    free(buffer);
    errno = saved;
    return more < 0 || ftruncate(to, size) ? -1 : 0;
}

static int set_times(int fd, const struct stat *status) {
    const struct timespec times[] = {status->st_atim, status->st_mtim};
    return futimens(fd, times);
}

static int copy_file(int from, const char *name, int to, const char *new_name, const struct stat *status) {
    autoclose int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    autoclose int target = openat(to, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return source < 0 || target < 0 || copy_bytes(source, target, status->st_size) ||
                   fchmod(target, status->st_mode & 0777) || set_times(target, status)
               ? -1
               : 0;
}

static int copy_link(int from, const char *name, int to, const char *new_name) {
    char target[PATH_MAX];
    ssize_t size = readlinkat(from, name, target, sizeof target - 1);
    if (size < 0)
        return -1;
    target[size] = '\0';
    return symlinkat(target, to, new_name);
}

/* For reading, whatever its mode says to its owner. */
static int open_folder(int at, const char *name) {
    autoclose int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (fd < 0 && errno == EACCES && !lookup_allow(at, name, 0700))
        fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        return -1;
    if ((status.st_mode & 0700) != 0700 && fchmod(fd, (status.st_mode & 07777) | 0700))
        return -1;
    return fd_take(&fd);
}

/* Each entry of a folder, which may be removed. */
static int each(int fd, int (*act)(int fd, const char *name, int to, int depth), int to, int depth) {
    struct entries *entries = malloc(sizeof *entries);
    if (!entries)
        return -1;
    *entries = (struct entries){.fd = fd};
    int result = 0;
    for (const struct entry *entry; !result && (entry = entries_next(entries));)
        if (!entry_is_dots(entry->name))
            result = act(fd, entry->name, to, depth);
    int saved = result ? errno : entries->error;
    result = result || entries->error ? -1 : 0;
    free(entries);
    errno = saved;
    return result;
}

static int copy_into(int from, const char *name, int to, int depth);

static int copy_any(int from, const char *name, int to, const char *new_name, int depth) {
    struct stat status;
    if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW))
        return -1;
    if (S_ISREG(status.st_mode))
        return copy_file(from, name, to, new_name, &status);
    if (S_ISLNK(status.st_mode))
        return copy_link(from, name, to, new_name);
    if (!S_ISDIR(status.st_mode))
        return 0;
    errno = ELOOP;
    if (depth >= COPY_DEPTH)
        return -1;
    autoclose int source = open_folder(from, name);
    if (source < 0 || mkdirat(to, new_name, 0700) || fchmodat(to, new_name, 0700, 0))
        return -1;
    autoclose int target = openat(to, new_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (target < 0 || each(source, copy_into, target, depth + 1))
        return -1;
    return fchmod(target, status.st_mode & 0777) || set_times(target, &status) ? -1 : 0;
}

static int copy_into(int from, const char *name, int to, int depth) {
    return copy_any(from, name, to, name, depth);
}

int copy_tree(int from, const char *name, int to, const char *new_name) {
    return copy_any(from, name, to, new_name, 0);
}

static int remove_any(int at, const char *name, int none, int depth) {
    if (!unlinkat(at, name, 0) || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    errno = ELOOP;
    if (depth > COPY_DEPTH)
        return -1;
    autoclose int fd = open_folder(at, name);
    if (fd < 0 || each(fd, remove_any, none, depth + 1))
        return -1;
    return unlinkat(at, name, AT_REMOVEDIR);
}

int copy_remove(int at, const char *name) {
    return remove_any(at, name, -1, 0);
}
