/* mounts.c (touching: mounts). A list of operations executed in order; see plan.h for what each kind means.
 *
 * Should: every source is opened without following links and must be the object that was looked up before; every target
 * is opened below the new root, likewise. Must not: create anything in a tree of the host. */
#include "linux/mounts.h"

#include "base/fd.h"
#include "linux/layers.h"
#include "linux/lookup.h"
#include "linux/overlay.h"
#include "linux/protect.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

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

static int make_itself(int root, const struct mount *mount) {
    const char *path = mount->target + 1;
    if (mount->kind == MOUNT_LINK)
        return symlinkat(mount->source, root, path);
    return mount->folder ? mkdirat(root, path, mount->kind == MOUNT_SCRATCH ? mount->mode : 0755)
                         : mknodat(root, path, S_IFREG | 0644, 0);
}

static int make_target(int root, const struct mount *mount) {
    int failed = make_itself(root, mount);
    if (failed && errno == ENOENT)
        failed = make_parents(root, mount->target) || make_itself(root, mount);
    if (!failed || errno != EEXIST || mount->kind == MOUNT_LINK)
        return failed ? -1 : 0;
    /* made before, as the parent of something else: with another mode */
    return mount->kind == MOUNT_SCRATCH ? fchmodat(root, mount->target + 1, mount->mode, 0) : 0;
}

/* A second layer under the filter: no user namespace can be made in the box, so none with power over mounts. */
static int close_nested(int root) {
    autoclose int limit = openat(root, "proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    if (limit < 0)
        return errno == ENOENT ? 0 : -1;
    return fd_write_all(limit, "0\n", 2);
}

int mounts_bind(const struct build *build, const struct mount *mount, struct spot target, int prepared) {
    const struct mount_api *api = build->api;
    if (prepared >= 0)
        return api->attach(prepared, target);
    if (mount->kind == MOUNT_EMPTY)
        return api->tree(mount->folder ? (struct spot){build->empty, ""} : (struct spot){build->root, "dev/null"},
                         target, mount, false);
    if (mount->kind != MOUNT_TREE) /* onto itself */
        return api->tree(target, target, mount, false);
    if (mount->device) /* the host's /dev is its administrator's */
        return api->tree((struct spot){AT_FDCWD, mount->source}, target, mount, false);
    autoclose int source = lookup_open_same(mount->source, mount->dev, mount->ino);
    return source < 0 ? -1 : api->tree((struct spot){source, ""}, target, mount, mount->folder);
}

/* Where a tree of the host is, nothing can be made: a tmpfs of its own hides what is there. */
static int make_scratch(const struct mount_api *api, const struct mount *mount, struct spot target) {
    char mode[8];
    const char *const options[][2] = {{"mode", mode}, {NULL, NULL}};
    snprintf(mode, sizeof mode, "%04o", mount->mode & 07777);
    return api->scratch(target, options);
}

static int make_on(const struct build *build, const struct mount *mount, struct spot target, int prepared) {
    static const char *const no_options[][2] = {{NULL, NULL}};
    static const char *const terminals[][2] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {NULL, NULL}};
    const struct mount_api *api = build->api;
    switch (mount->kind) {
    case MOUNT_PROC:
        return api->filesystem("proc", target, no_options) ? -1 : close_nested(build->root);
    case MOUNT_PTS:
        return api->filesystem("devpts", target, terminals);
    case MOUNT_QUEUES: /* ENODEV: a kernel without POSIX message queues */
        return api->filesystem("mqueue", target, no_options) && errno != ENODEV ? -1 : 0;
    case MOUNT_SCRATCH:
        return mount->create ? api->tree(target, target, mount, false) : make_scratch(api, mount, target);
    default:
        if (mount->discard)
            return overlay_discard(build, mount, target, prepared);
        if (mounts_bind(build, mount, target, prepared))
            return -1;
        return mount->view && !mount->hidden.count ? overlay_view(build, mount) : 0;
    }
}

/* What init can't reach nobody in the box can. Of a cover verify looks whether it is there, by its name. */
static bool is_absent(const struct mount *mount, int error) {
    return error == ENOENT || (mount->step == STEP_MOUNTS && (error == EACCES || error == ENOTDIR));
}

static int make_mount(const struct build *build, const struct mount *mount, int prepared) {
    if (mount->step == STEP_SECRETS && !layer_on(STEP_SECRETS))
        return 0;
    if (mount->create) {
        if (make_target(build->root, mount))
            return -1;
        /* nobody but us has been in this part of the tree */
        return mount->kind == MOUNT_LINK
                   ? 0
                   : make_on(build, mount, (struct spot){build->root, mount->target + 1}, prepared);
    }
    autoclose int target = lookup_open(build->root, mount->target);
    if (target < 0)
        return mount->optional && is_absent(mount, errno) ? 0 : -1;
    return mount->kind == MOUNT_HOLD ? protect_hold(build, mount, target)
                                     : make_on(build, mount, (struct spot){target, ""}, prepared);
}

/* Leave the old root behind. */
static int change_root(int root) {
    return fchdir(root) || sys_pivot_root(".", ".") || umount2(".", MNT_DETACH) || chdir("/") ? -1 : 0;
}

/* A process that was being forked when pinfold was killed may have held the pipe when it was looked at before. */
static void end_without(int life) {
    struct pollfd wait = {life, 0, 0};
    if (poll(&wait, 1, 0) != 0)
        _exit(1);
}

/* Those of /proc, or all others. */
static int make_all(const struct build *build, const struct plan *plan, const int *prepared, bool proc,
                    struct failure *failure) {
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if ((mount->step == STEP_PROC) != proc)
            continue;
        end_without(build->life);
        if (make_mount(build, mount, prepared ? prepared[i] : -1))
            return failure_set(failure, mount->step, errno, mount->target);
        if (mount->hidden.count && !mount->discard && overlay_hide(build, mount))
            return failure_set(failure, STEP_SECRETS, errno, mount->target);
    }
    return 0;
}

static int build_with(struct build *build, const struct plan *plan, const int *prepared, struct failure *failure) {
    autoclose int root = build->api->root();
    autoclose int empty = root < 0 || mkdirat(root, "proc", 0555) ? -1 : lookup_open(root, "/proc");
    if (empty < 0)
        return failure_set(failure, STEP_MOUNTS, errno, "the root of the box");
    build->root = root;
    build->empty = empty;
    if (make_all(build, plan, prepared, false, failure) || protect_pin(build, plan, failure) ||
        make_all(build, plan, prepared, true, failure))
        return -1;
    if (build->api->readonly(root))
        return failure_set(failure, STEP_MOUNTS_READONLY, errno, "the root of the box");
    return change_root(root) ? failure_set(failure, STEP_ROOT, errno, "") : 0;
}

/* Is the new API here? open_tree alone isn't enough: mount_setattr came later. */
static bool has_new_api(void) {
    struct mount_attributes nothing = {0};
    autoclose int fd = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLOEXEC_);
    return fd >= 0 && (!sys_mount_setattr(fd, "", AT_EMPTY_PATH, &nothing) || errno != ENOSYS);
}

int mounts_build(const struct plan *plan, const int *prepared, int life, struct failure *failure) {
    mode_t mask = umask(0);
    /* Nothing that the host mounts later may appear in the box, nor the reverse. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return failure_set(failure, STEP_MOUNTS, errno, "/");
    struct build build = {.life = life, .api = has_new_api() ? &mount_api_new : &mount_api_old};
    int failed = build_with(&build, plan, prepared, failure);
    if (umask(mask) && !failed) /* 0 was set */
        failed = failure_set(failure, STEP_MOUNTS, errno, "umask");
    return failed;
}
