/* mounts.c (touching: mounts). A list of operations executed in order; see plan.h for what each kind means.
 *
 * Should: every source is opened without following links and must be the object that was looked up before; every target
 * is opened below the new root, likewise. Must not: create anything in a tree of the host. */
#include "linux/mounts.h"

#include "base/fd.h"
#include "linux/layers.h"
#include "linux/lookup.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

static const char empty_folder[] = ".empty"; /* in the new root while mounts are made */

int failure_set(struct failure *failure, enum step step, int error, const char *detail) {
    failure->step = step;
    failure->error = error;
    snprintf(failure->detail, sizeof failure->detail, "%s", detail);
    return -1;
}

/* Make the folders above `path` below `root`. */
static int make_parents(int root, const char *path) {
    char part[4096];
    size_t size = strlen(path);
    if (size >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (size_t i = 1; i < size; i++)
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (mkdirat(root, part + 1, 0755) && errno != EEXIST)
                return -1;
        }
    return 0;
}

static int make_target(int root, const struct mount *mount) {
    if (make_parents(root, mount->target))
        return -1;
    const char *path = mount->target + 1;
    if (mount->kind == MOUNT_LINK)
        return symlinkat(mount->source, root, path);
    unsigned mode = mount->kind == MOUNT_SCRATCH ? mount->mode : 0755;
    int failed = mount->folder ? mkdirat(root, path, mode) : mknodat(root, path, S_IFREG | 0644, 0);
    if (failed && errno == EEXIST && mount->folder && mount->kind == MOUNT_SCRATCH)
        return fchmodat(root, path, mode, 0);
    return failed && errno != EEXIST ? -1 : 0;
}

static int open_source(int root, int target, const struct mount *mount) {
    switch (mount->kind) {
    case MOUNT_TREE: return lookup_open_same(mount->source, mount->dev, mount->ino);
    case MOUNT_EMPTY: return lookup_open(root, mount->folder ? empty_folder : "/dev/null");
    default: return fcntl(target, F_DUPFD_CLOEXEC, 3);
    }
}

/* A second layer under the filter: no user namespace can be made in the box, so none with power over mounts. */
static int close_nested(int root) {
    autoclose int limit = openat(root, "proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    if (limit < 0)
        return errno == ENOENT ? 0 : -1;
    return fd_write_all(limit, "0\n", 2);
}

static int make_mount(const struct mount_api *api, int root, const struct mount *mount, int prepared) {
    static const char *const no_options[][2] = {{NULL, NULL}};
    static const char *const terminals[][2] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {NULL, NULL}};
    if (mount->create && make_target(root, mount))
        return -1;
    if (mount->kind == MOUNT_LINK)
        return 0;
    autoclose int target = lookup_open(root, mount->target);
    if (target < 0)
        return mount->optional && errno == ENOENT ? 0 : -1;
    if (prepared >= 0)
        return api->attach(prepared, target);
    if (mount->kind == MOUNT_PROC)
        return api->filesystem("proc", target, no_options) ? -1 : close_nested(root);
    if (mount->kind == MOUNT_PTS)
        return api->filesystem("devpts", target, terminals);
    autoclose int source = open_source(root, target, mount);
    if (source < 0)
        return -1;
    return api->tree(source, target, mount, mount->kind == MOUNT_TREE && mount->folder);
}

/* Leave the old root behind. */
static int change_root(int root) {
    return fchdir(root) || sys_pivot_root(".", ".") || umount2(".", MNT_DETACH) || chdir("/") ? -1 : 0;
}

static int build_with(const struct mount_api *api, const struct plan *plan, const int *prepared, struct failure *failure) {
    autoclose int root = api->root();
    if (root < 0 || mkdirat(root, empty_folder, 0555))
        return failure_set(failure, STEP_MOUNTS, errno, "the root of the box");
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (make_mount(api, root, mount, prepared ? prepared[i] : -1))
            return failure_set(failure, mount->step, errno, mount->target);
    }
    if (unlinkat(root, empty_folder, AT_REMOVEDIR))
        return failure_set(failure, STEP_MOUNTS, errno, empty_folder);
    if (api->readonly(root))
        return failure_set(failure, STEP_MOUNTS_READONLY, errno, "the root of the box");
    return change_root(root) ? failure_set(failure, STEP_ROOT, errno, "") : 0;
}

/* Is the new API here? open_tree alone isn't enough: mount_setattr came later. */
static bool has_new_api(void) {
    struct mount_attributes nothing = {0};
    autoclose int fd = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLOEXEC_);
    return fd >= 0 && (!sys_mount_setattr(fd, "", AT_EMPTY_PATH, &nothing) || errno != ENOSYS);
}

int mounts_build(const struct plan *plan, const int *prepared, struct failure *failure) {
    mode_t mask = umask(0);
    /* Nothing that the host mounts later may appear in the box, nor the reverse. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return failure_set(failure, STEP_MOUNTS, errno, "/");
    const struct mount_api *api = has_new_api() ? &mount_api_new : &mount_api_old;
    int failed = build_with(api, plan, prepared, failure);
    umask(mask);
    return failed;
}
