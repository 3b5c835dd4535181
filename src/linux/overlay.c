/* overlay.c (touching: mounts). See overlay.h.
 *
 * Should: keep what a command changes apart from the host's files. Must not: leave a mount of the host's folder, or of
 * what was changed, where a path leads to it; give a plain bind where an overlay can't be had. */
#include "linux/overlay.h"

#include "base/fd.h"
#include "linux/layers.h"
#include "linux/lookup.h"
#include "linux/whiteouts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* Below a writable folder Landlock can't tell a read-only tree from what it lies in, so FIFOs must lead nowhere. */
int overlay_view(const struct build *build, const struct mount *mount) {
    char lower[80];
    const char *const options[][2] = {{"lowerdir", lower}, {NULL, NULL}};
    struct stat status;
    autoclose int target = lookup_open(build->root, mount->target);
    if (target < 0 || fstat(target, &status))
        return -1;
    /* another box of the same session can have moved the folders above it */
    if (status.st_dev != mount->dev || status.st_ino != mount->ino) {
        errno = ESTALE;
        return -1;
    }
    /* two layers, or overlayfs wants an upper one; the first gives the folder its owner and mode */
    snprintf(lower, sizeof lower, "/proc/self/fd/%d:/proc/self/fd/%d", target, build->empty);
    return build->api->overlay((struct spot){target, ""}, options, false);
}

/* A name in the box's root, gone before there is a process in the box. */
static const char hidden[] = ".pinfold-overlay";

/* A tmpfs of the box's own, for layers. */
static int open_store(const struct build *build) {
    static const char *const options[][2] = {{"mode", "0700"}, {NULL, NULL}};
    if (mkdirat(build->root, hidden, 0700) || build->api->scratch((struct spot){build->root, hidden}, options))
        return -1;
    return lookup_open(build->root, hidden);
}

/* The overlay has mounts of its own of its layers; these go, and with them every path to them. */
static int drop_store(const struct build *build, int store) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", store);
    return umount2(path, MNT_DETACH) || unlinkat(build->root, hidden, AT_REMOVEDIR) ? -1 : 0;
}

/* The layer on top, which keeps absent what the mount hides. */
static int open_top(int store, int lower, const struct mount *mount) {
    int top = mkdirat(store, "top", 0700) ? -1 : openat(store, "top", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0 && whiteouts_make(top, lower, &mount->hidden))
        fd_close(&top);
    return top;
}

int overlay_hide(const struct build *build, const struct mount *mount) {
    char layers[80];
    const char *const options[][2] = {{"lowerdir", layers}, {NULL, NULL}};
    if (!layer_on(STEP_SECRETS))
        return mount->view ? overlay_view(build, mount) : 0;
    autoclose int target = lookup_open(build->root, mount->target);
    autoclose int store = target < 0 ? -1 : open_store(build);
    autoclose int top = store < 0 ? -1 : open_top(store, target, mount);
    if (top < 0)
        return -1;
    snprintf(layers, sizeof layers, "/proc/self/fd/%d:/proc/self/fd/%d", top, target);
    return build->api->overlay((struct spot){target, ""}, options, false) || drop_store(build, store) ? -1 : 0;
}

/* The folder in which changes will be, with the owner and mode of the folder that they are made to. */
static int make_upper(int store, int lower) {
    struct stat status;
    if (mkdirat(store, "work", 0700) || mkdirat(store, "upper", 0700) || fstat(lower, &status))
        return -1;
    autoclose int upper = openat(store, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (upper < 0)
        return -1;
    /* without these overlayfs mounts, and then some operations on folders fail */
    if (fsetxattr(upper, "user.pinfold", "", 0, 0) || fremovexattr(upper, "user.pinfold"))
        return -1;
    if (fchown(upper, status.st_uid, status.st_gid)) {
        /* shown as the overflow id: so are the files in it, and no copy of one can be made */
        errno = errno == EINVAL || errno == EPERM ? EOVERFLOW : errno;
        return -1;
    }
    const struct timespec times[] = {status.st_atim, status.st_mtim};
    return fchmod(upper, status.st_mode & 03777) || futimens(upper, times) ? -1 : 0;
}

/* In a tmpfs of the box's own: the source, and where changes go. Then the overlay of both at `target`. */
static int make_overlay(const struct build *build, const struct mount *mount, struct spot target, int store,
                        int prepared) {
    char lower_path[80], upper_path[48], work_path[48];
    /* attributes of user.*: those that overlayfs would take else are the host's root's */
    const char *const options[][2] = {
        {"lowerdir", lower_path}, {"upperdir", upper_path}, {"workdir", work_path}, {"userxattr", NULL}, {NULL, NULL}};
    if (mkdirat(store, "lower", 0700) || mounts_bind(build, mount, (struct spot){store, "lower"}, prepared))
        return -1;
    autoclose int lower = lookup_open(store, "lower");
    if (lower < 0 || make_upper(store, lower))
        return -1;
    bool hides = mount->hidden.count && layer_on(STEP_SECRETS);
    autoclose int top = hides ? open_top(store, lower, mount) : -1;
    if (hides && top < 0)
        return -1;
    if (hides)
        /* a layer below what is changed: there no command can undo a whiteout */
        snprintf(lower_path, sizeof lower_path, "/proc/self/fd/%d:/proc/self/fd/%d", top, lower);
    else
        snprintf(lower_path, sizeof lower_path, "/proc/self/fd/%d", lower);
    snprintf(upper_path, sizeof upper_path, "/proc/self/fd/%d/upper", store);
    snprintf(work_path, sizeof work_path, "/proc/self/fd/%d/work", store);
    return build->api->overlay(target, options, true);
}

int overlay_discard(const struct build *build, const struct mount *mount, struct spot target, int prepared) {
    if (!layer_on(STEP_OVERLAY)) /* the plain folder: verify must see it */
        return mounts_bind(build, mount, target, prepared);
    autoclose int store = open_store(build);
    return store < 0 || make_overlay(build, mount, target, store, prepared) || drop_store(build, store) ? -1 : 0;
}
