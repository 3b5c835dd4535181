/* whiteouts.c (touching: mkdir, mknod in a folder of the box's own). See whiteouts.h. A whiteout is a character device
 * with number 0:0: anybody may make one (since 5.8), and it opens nothing. */
#include "linux/whiteouts.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, LOOK = FOLDER | O_PATH };

/* An owner that the box has no number for can't be set; the mounter's is shown then, and the folder is read-only. */
static int copy_attributes(int top, int lower) {
    struct stat status;
    if (fstat(lower, &status) || (fchown(top, status.st_uid, status.st_gid) && errno != EINVAL && errno != EPERM))
        return -1;
    const struct timespec times[] = {status.st_atim, status.st_mtim};
    return fchmod(top, status.st_mode & 07777) || futimens(top, times) ? -1 : 0;
}

static int whiteout(int top, const char *name) {
    return mknodat(top, name, S_IFCHR, 0) && errno != EEXIST ? -1 : 0;
}

/* One step on the way: the descriptors become those of the folder `name`. 1: it is in both now; 0: the whiteout is
 * made, here or before. */
static int enter(int *top, int *lower, const char *name) {
    autoclose int below = openat(*lower, name, LOOK);
    if (below < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES ? whiteout(*top, name) : -1;
    bool made = !mkdirat(*top, name, 0700);
    if (!made && errno != EEXIST)
        return -1;
    int inner = openat(*top, name, FOLDER);
    if (inner < 0)
        return errno == ENOTDIR ? 0 : -1; /* a whiteout */
    if (made && copy_attributes(inner, below)) {
        fd_close(&inner);
        return -1;
    }
    fd_close(top);
    *top = inner;
    return dup3(below, *lower, O_CLOEXEC) < 0 ? -1 : 1;
}

static int make_one(int top_folder, int lower_folder, const char *path) {
    autoclose int top = fcntl(top_folder, F_DUPFD_CLOEXEC, 3);
    autoclose int lower = fcntl(lower_folder, F_DUPFD_CLOEXEC, 3);
    if (top < 0 || lower < 0)
        return -1;
    for (size_t size; path[size = strcspn(path, "/")]; path += size + 1) {
        char name[NAME_MAX + 1];
        errno = ENAMETOOLONG;
        if (size > NAME_MAX)
            return -1;
        memcpy(name, path, size);
        name[size] = '\0';
        int went = enter(&top, &lower, name);
        if (went <= 0)
            return went;
    }
    return whiteout(top, path);
}

int whiteouts_make(int top, int lower, const text_list *paths) {
    for (size_t i = 0; i < paths->count; i++)
        if (make_one(top, lower, paths->at[i]))
            return -1;
    return copy_attributes(top, lower);
}
