/* mount_new.c (touching: the mount API of 5.2 and 5.12). A tree is cloned, given its attributes while nobody can see
 * it, then attached: there is no moment in which it is there and writable. */
#include "base/fd.h"
#include "linux/layers.h"
#include "linux/lookup.h"
#include "linux/mounts.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

enum { CLONE_TREE = OPEN_TREE_CLONE_ | OPEN_TREE_CLOEXEC_ | AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW };

static int attach(int tree, struct spot target) {
    return sys_move_mount(tree, "", target.folder, target.path,
                          MOVE_MOUNT_F_EMPTY | (*target.path ? 0 : MOVE_MOUNT_T_EMPTY));
}

static struct mount_attributes attributes_of(const struct mount *mount) {
    struct mount_attributes attributes = {.attr_set = MOUNT_NOSUID, .propagation = MS_PRIVATE};
    if (!mount->device)
        attributes.attr_set |= MOUNT_NODEV;
    if ((!mount->writable || mount->discard) && layer_on(STEP_MOUNTS_READONLY))
        attributes.attr_set |= MOUNT_RDONLY;
    return attributes;
}

/* A file system that can't map owners answers EINVAL and stays unmapped, if it is read-only or only mounted below: that
 * opens nothing, since the box's ids own nothing on it. */
static int map_owners(int tree, const struct mount *mount, unsigned below, int userns) {
    struct mount_attributes owners = {.attr_set = MOUNT_IDMAP, .userns_fd = (uint64_t)userns};
    int failed = sys_mount_setattr(tree, "", AT_EMPTY_PATH | below, &owners);
    if (failed && errno == EINVAL && below)
        failed = sys_mount_setattr(tree, "", AT_EMPTY_PATH, &owners);
    return failed && (mount->writable || errno != EINVAL) ? -1 : 0;
}

static int clone_tree(struct spot source, const struct mount *mount, bool recursive, int userns) {
    unsigned below = recursive ? AT_RECURSIVE_ : 0;
    int tree = sys_open_tree(source.folder, source.path, CLONE_TREE | below);
    struct mount_attributes attributes = attributes_of(mount);
    /* a scratch folder has what the box's root has: nosuid, nodev, private */
    if (tree >= 0 && mount->kind != MOUNT_SCRATCH && sys_mount_setattr(tree, "", AT_EMPTY_PATH | below, &attributes)) {
        fd_close(&tree);
        return -1;
    }
    if (tree >= 0 && userns >= 0 && map_owners(tree, mount, below, userns))
        fd_close(&tree);
    return tree;
}

static int new_tree(struct spot source, struct spot target, const struct mount *mount, bool recursive) {
    autoclose int tree = clone_tree(source, mount, recursive, -1);
    return tree < 0 ? -1 : attach(tree, target);
}

static int make_filesystem(const char *type, const char *const options[][2], unsigned attributes) {
    autoclose int context = sys_fsopen(type, FSOPEN_CLOEXEC_);
    if (context < 0)
        return -1;
    for (size_t i = 0; options[i][0]; i++)
        if (sys_fsconfig(context, options[i][1] ? FSCONFIG_SET_STRING_ : FSCONFIG_SET_FLAG_, options[i][0],
                         options[i][1], 0))
            return -1;
    if (sys_fsconfig(context, FSCONFIG_CMD_CREATE_, NULL, NULL, 0))
        return -1;
    return sys_fsmount(context, FSMOUNT_CLOEXEC_, attributes);
}

static int new_root(void) {
    static const char *const options[][2] = {{"mode", "0755"}, {NULL, NULL}};
    int root = make_filesystem("tmpfs", options, MOUNT_NOSUID | MOUNT_NODEV);
    if (root >= 0 && sys_move_mount(root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY))
        fd_close(&root);
    return root;
}

static int new_overlay(struct spot target, const char *const options[][2], bool writable) {
    unsigned readonly = !writable && layer_on(STEP_MOUNTS_READONLY) ? MOUNT_RDONLY : 0;
    autoclose int mount = make_filesystem("overlay", options, MOUNT_NOSUID | MOUNT_NODEV | readonly);
    return mount < 0 ? -1 : attach(mount, target);
}

static int new_filesystem(const char *type, struct spot target, const char *const options[][2]) {
    autoclose int mount = make_filesystem(type, options, MOUNT_NOSUID | MOUNT_NOEXEC);
    return mount < 0 ? -1 : attach(mount, target);
}

static int new_scratch(struct spot target, const char *const options[][2]) {
    autoclose int mount = make_filesystem("tmpfs", options, MOUNT_NOSUID | MOUNT_NODEV);
    return mount < 0 ? -1 : attach(mount, target);
}

static int new_readonly(int target) {
    struct mount_attributes attributes = {.attr_set = MOUNT_RDONLY};
    return layer_on(STEP_MOUNTS_READONLY) ? sys_mount_setattr(target, "", AT_EMPTY_PATH, &attributes) : 0;
}

const struct mount_api mount_api_new = {new_root,       new_tree,    attach,      new_overlay,
                                        new_filesystem, new_scratch, new_readonly};

int mounts_prepare(const struct plan *plan, int userns, int *prepared, struct failure *failure) {
    for (size_t i = 0; i < plan->mounts.count; i++)
        prepared[i] = -1;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (!mount_is_mapped(mount))
            continue;
        autoclose int source = lookup_open_same(mount->source, mount->dev, mount->ino);
        if (source < 0)
            return failure_set(failure, STEP_MOUNTS, errno, mount->source);
        prepared[i] = clone_tree((struct spot){source, ""}, mount, mount->folder, userns);
        if (prepared[i] < 0)
            return failure_set(failure, STEP_IDMAPPED_MOUNTS, errno, mount->source);
    }
    return 0;
}
