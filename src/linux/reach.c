/* reach.c (touching: /proc/self). See reach.h.
 *
 * Two paths lead to the same object when they name the same place of the same file system. So each is turned into that:
 * the mount that it is on says which part of which file system is there. */
#include "linux/reach.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct location {
    unsigned mount;       /* its id */
    char path[PATH_MAX];  /* as this process sees it */
    bool found;           /* the mount is in the table */
    char device[24];      /* of the file system */
    char inner[PATH_MAX]; /* the path in it */
};

/* Which mount is this descriptor on? (proc(5), fdinfo) */
static int mount_of(int fd, unsigned *mount) {
    char path[48];
    struct lines lines;
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    if (lines_open(&lines, path))
        return -1;
    for (char *line; !found && (line = lines_next(&lines));)
        if (strncmp(line, "mnt_id:", 7) == 0) {
            *mount = (unsigned)strtoul(line + 7, NULL, 10);
            found = true;
        }
    lines_close(&lines);
    errno = EIO;
    return found ? 0 : -1;
}

static int location_of(int fd, struct location *location) {
    char link[48];
    location->found = false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, location->path, sizeof location->path);
    if (size < 0)
        return -1;
    errno = ENAMETOOLONG;
    if (size == sizeof location->path)
        return -1;
    location->path[size] = '\0';
    return mount_of(fd, &location->mount);
}

/* What comes after `root` in a path below it, with its slash. */
static const char *rest_of(const char *path, const char *root) {
    return strcmp(root, "/") == 0 ? (strcmp(path, "/") == 0 ? "" : path) : path + strlen(root);
}

/* The mount of a location was met in the table. */
static int settle(struct location *location, const struct mountinfo *mount) {
    errno = EXDEV;
    if (!path_is_under(location->path, mount->point))
        return -1;
    const char *rest = rest_of(location->path, mount->point), *root = strcmp(mount->root, "/") == 0 ? "" : mount->root;
    int size = snprintf(location->inner, sizeof location->inner, "%s%s", root, rest);
    int name = snprintf(location->device, sizeof location->device, "%s", mount->device);
    errno = ENAMETOOLONG;
    if (size < 0 || (size_t)size >= sizeof location->inner || name < 0 || (size_t)name >= sizeof location->device)
        return -1;
    if (!size)
        strcpy(location->inner, "/");
    location->found = true;
    return 0;
}

/* Find the mounts of both in the table. */
static int place_both(struct location *place, struct location *root) {
    struct lines table;
    struct mountinfo mount;
    if (mountinfo_open(&table))
        return -1;
    int failed = 0;
    while (!failed && mountinfo_next(&table, &mount)) {
        if (mount.id == place->mount)
            failed |= settle(place, &mount);
        if (mount.id == root->mount)
            failed |= settle(root, &mount);
    }
    failed |= table.failed;
    lines_close(&table);
    return failed ? -1 : 0;
}

/* Does something that is mounted at or below `root` show `place`? 1, 0, or -1. */
static int is_shown_below(const struct location *place, const char *root) {
    struct lines table;
    struct mountinfo mount;
    bool shown = false;
    if (mountinfo_open(&table))
        return -1;
    while (!shown && mountinfo_next(&table, &mount))
        shown = strcmp(mount.device, place->device) == 0 && path_is_under(mount.point, root) &&
                path_is_under(place->inner, mount.root);
    bool failed = table.failed;
    lines_close(&table);
    return failed && !shown ? -1 : shown;
}

static int reach_between(int fd, const char *root, struct location *place, struct location *top) {
    struct stat one, other;
    autoclose int folder = open(root, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0 || location_of(fd, place) || location_of(folder, top))
        return -1;
    if (path_is_under(place->path, top->path))
        return 1;
    if (place_both(place, top) || fstat(fd, &one) || fstat(folder, &other))
        return -1;
    if (!place->found) /* no mount of ours: something without a name (memfd), or from elsewhere */
        return one.st_dev == other.st_dev;
    if (top->found && strcmp(place->device, top->device) == 0 && path_is_under(place->inner, top->inner))
        return 1;
    return is_shown_below(place, top->path);
}

int reach_from(int fd, const char *root) {
    struct location *both = calloc(2, sizeof *both); /* too large for a small stack */
    int reached = both ? reach_between(fd, root, &both[0], &both[1]) : -1;
    int saved = errno;
    free(both);
    errno = saved;
    return reached;
}

int reach_written(int fd, const struct plan *plan, const char **root) {
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (mount->kind != MOUNT_TREE || !mount->writable || mount->discard || mount->rights != RIGHTS_WRITE)
            continue;
        *root = mount->source;
        int reached = reach_from(fd, mount->source);
        if (reached)
            return reached;
    }
    return 0;
}
