/* look.c (touching: looks). See look.h.
 *
 * Should: let the kernel follow every link and ".." itself, by the path as it was given. Must not: change anything,
 * wait for anybody (FIFOs, terminals), say that something works where a call failed. */
#include "linux/look.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as many as the kernel follows (path_resolution(7)) */

/* What an O_PATH descriptor stands for. */
static int keep(int fd, struct look *look) {
    struct stat status;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, look->path, sizeof look->path - 1);
    look->path[size > 0 ? size : 0] = '\0';
    if (size <= 0 || fstat(fd, &status))
        return -1;
    look->mode = status.st_mode;
    look->dev = status.st_dev;
    look->ino = status.st_ino;
    return 0;
}

static int try_read(const char *path, const struct look *look) {
    if (!S_ISREG(look->mode) && !S_ISDIR(look->mode))
        return access(path, R_OK);
    autoclose int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -1 : 0;
}

/* Cut `path` after the folder that its last name is in, and put that name into `name`. */
static int split(char *path, char name[NAME_MAX + 1]) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        path[--size] = '\0';
    char *last = strrchr(path, '/'), *start = last ? last + 1 : path;
    if (strlen(start) > NAME_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(name, start);
    strcpy(start, last ? "" : "."); /* a path has room for it: names aren't empty */
    return 0;
}

/* Where a name that isn't there would be made: its folder below `at`, and its name in it. */
static int open_folder(int at, char *path, char name[NAME_MAX + 1]) {
    return split(path, name) ? -1 : openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* May this name be made in that folder? */
static int try_make(int folder, const char *name, struct look *look) {
    char self[32];
    if (keep(folder, look))
        return -1;
    look->mode = 0;
    size_t used = strlen(look->path), room = sizeof look->path - used;
    if (snprintf(look->path + used, room, "%s%s", used > 1 ? "/" : "", name) >= (int)room)
        *look->path = '\0';
    snprintf(self, sizeof self, "/proc/self/fd/%d", folder);
    return access(self, W_OK | X_OK);
}

/* A file that isn't there. A symlink that leads to nothing is followed, as open(2) does when it creates. */
static int try_create(const char *asked, struct look *look) {
    char path[PATH_MAX], name[NAME_MAX + 1];
    int folder = AT_FDCWD;
    if (snprintf(path, sizeof path, "%s", asked) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (int links = 0; links <= LINKS_MAX; links++) {
        autoclose int before = folder == AT_FDCWD ? -1 : folder;
        folder = open_folder(folder, path, name);
        if (folder < 0)
            return -1;
        ssize_t size = readlinkat(folder, name, path, sizeof path - 1);
        if (size < 0) {
            int failed = errno == ENOENT ? try_make(folder, name, look) : -1;
            fd_close(&folder);
            return failed;
        }
        path[size] = '\0';
    }
    fd_close(&folder);
    errno = ELOOP;
    return -1;
}

static int try_write(const char *path, const struct look *look) {
    return access(path, S_ISDIR(look->mode) ? W_OK | X_OK : W_OK);
}

void look_at(const char *path, bool write, struct look *look) {
    *look = (struct look){0};
    autoclose int fd = open(path, O_PATH | O_CLOEXEC);
    int failed = fd >= 0                    ? keep(fd, look) || (write ? try_write : try_read)(path, look)
                 : write && errno == ENOENT ? try_create(path, look)
                                            : -1;
    if (failed)
        look->error = errno ? errno : EIO;
}

void look_inside(struct inquiry *inquiry) {
    for (size_t i = 0; i < inquiry->count; i++)
        look_at(inquiry->questions[i].path, inquiry->questions[i].write, &inquiry->questions[i].inside);
}

void look_outside(struct inquiry *inquiry) {
    for (size_t i = 0; i < inquiry->count; i++)
        look_at(inquiry->questions[i].path, inquiry->questions[i].write, &inquiry->questions[i].outside);
}
