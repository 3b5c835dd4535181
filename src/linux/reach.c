/* reach.c (touching: /proc/self). See reach.h. */
#include "linux/reach.h"

#include "base/arena.h"
#include "linux/mountinfo.h"
#include "plan/names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of what a descriptor holds. 1; 0: it has none (a pipe, a memfd, a removed file), so that nobody gets at it
 * by one; -1 with errno set: that can't be known, ESTALE when the name is another's by now. */
static int name_of(int fd, char name[PATH_MAX]) {
    char link[48];
    struct stat own, named;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = fstat(fd, &own) ? -1 : readlink(link, name, PATH_MAX);
    if (size < 0)
        return -1;
    if (size == PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    name[size] = '\0';
    if (name[0] != '/' || (!own.st_nlink && !S_ISDIR(own.st_mode)))
        return 0;
    if (lstat(name, &named))
        return -1;
    errno = ESTALE;
    return named.st_dev == own.st_dev && named.st_ino == own.st_ino ? 1 : -1;
}

int reach_from(int fd, const char *root) {
    char name[PATH_MAX];
    struct arena arena = {0};
    shown_list mounts = {0};
    int named = name_of(fd, name);
    if (named <= 0)
        return named;
    int reached = mountinfo_list(&arena, &mounts) ? -1 : names_show(&mounts, root, name);
    int saved = errno;
    arena_free(&arena);
    errno = saved;
    return reached;
}

int reach_written(int fd, const struct plan *plan, const char **root) {
    char name[PATH_MAX];
    int named = name_of(fd, name);
    if (named <= 0)
        return named;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        *root = mount->source;
        if (mount->kind == MOUNT_TREE && mount->writable && !mount->discard && mount->rights == RIGHTS_WRITE &&
            names_show(&plan->probe->mounts, mount->source, name))
            return 1;
    }
    return 0;
}
