/* lookup.c (touching: open). See lookup.h. */
#include "linux/lookup.h"

#include "base/fd.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FLAGS = O_PATH | O_CLOEXEC | O_NOFOLLOW };

static int refuse_link(int fd) {
    struct stat status;
    if (!fstat(fd, &status) && !S_ISLNK(status.st_mode))
        return fd;
    close(fd);
    errno = ELOOP;
    return -1;
}

/* Component by component, for kernels without openat2 (before 5.6). */
static int walk(int folder, const char *path) {
    int at = openat(folder, folder == AT_FDCWD ? "/" : ".", OPEN_FLAGS | O_DIRECTORY);
    while (at >= 0) {
        path += strspn(path, "/");
        size_t size = strcspn(path, "/");
        char name[NAME_MAX + 1];
        if (!size)
            return refuse_link(at);
        int next = -1;
        errno = ENAMETOOLONG;
        if (size <= NAME_MAX) {
            memcpy(name, path, size);
            name[size] = '\0';
            errno = EINVAL;
            if (strcmp(name, "..") != 0)
                next = openat(at, name, OPEN_FLAGS);
        }
        fd_close(&at);
        at = next;
        path += size;
    }
    return -1;
}

int lookup_open(int folder, const char *path) {
    bool absolute = folder == AT_FDCWD;
    const char *below = path + (absolute ? 0 : strspn(path, "/"));
    uint64_t resolve = RESOLVE_NO_SYMLINKS_ | RESOLVE_NO_MAGICLINKS_ | (absolute ? 0 : RESOLVE_BENEATH_);
    /* without O_NOFOLLOW, which would give a descriptor of a final link instead of ELOOP */
    int fd = sys_openat2(folder, *below ? below : ".", O_PATH | O_CLOEXEC, resolve);
    return fd < 0 && errno == ENOSYS ? walk(folder, path) : fd;
}

int lookup_open_same(const char *path, dev_t dev, ino_t ino) {
    int fd = lookup_open(AT_FDCWD, path);
    struct stat status;
    if (fd < 0 || (!dev && !ino))
        return fd;
    if (!fstat(fd, &status) && status.st_dev == dev && status.st_ino == ino)
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

int lookup_allow(int at, const char *name, mode_t rights) {
    char path[40];
    struct stat status;
    autoclose int place = openat(at, name, OPEN_FLAGS | O_DIRECTORY);
    if (place < 0 || fstat(place, &status))
        return -1;
    if ((status.st_mode & rights) == rights)
        return 0;
    errno = EACCES;
    if (status.st_uid != geteuid())
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place); /* fchmod takes no such descriptor */
    return chmod(path, (status.st_mode & 07777) | rights);
}
