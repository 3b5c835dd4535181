/* protect.c (touching: mounts). See protect.h.
 *
 * rename and rmdir ask whether something is mounted on a folder, anywhere in the caller's mount namespace, and then
 * answer EBUSY. So one mount in a view that no path leads to pins a folder in all views; and a path that goes through
 * the folder in the box crosses no mount there.
 *
 * Must not: take a view out of the namespace, since its pins would go with it; leave it where a path leads to it. */
#include "linux/protect.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/layers.h"
#include "linux/lookup.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* A new view of the tree on top of those before; a descriptor of it. */
static int open_view(const struct build *build, const struct mount *tree) {
    const struct mount view = {.kind = MOUNT_TREE, .folder = true};
    autoclose int source = lookup_open(build->root, tree->target);
    if (source < 0 || build->api->tree((struct spot){source, ""}, (struct spot){build->root, "proc"}, &view, true))
        return -1;
    return lookup_open(build->root, "/proc");
}

static int pin_folder(const struct build *build, int view, const char *below) {
    const struct mount nothing = {.kind = MOUNT_EMPTY, .folder = true};
    autoclose int target = lookup_open(view, below);
    return target < 0 ? -1
                      : build->api->tree((struct spot){build->empty, ""}, (struct spot){target, ""}, &nothing, false);
}

static int pin_link(const struct build *build, int view, const char *below, const struct pinned *pin) {
    const struct mount nothing = {.kind = MOUNT_EMPTY};
    const char *slash = strrchr(below, '/');
    char folder[PATH_MAX];
    struct stat status;
    memcpy(folder, below, (size_t)(slash - below));
    folder[slash - below] = '\0';
    autoclose int parent = lookup_open(view, folder);
    autoclose int target = parent < 0 ? -1 : openat(parent, slash + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (target < 0 || fstat(target, &status))
        return -1;
    if (!S_ISLNK(status.st_mode) || status.st_dev != pin->dev || status.st_ino != pin->ino) {
        errno = ESTALE;
        return -1;
    }
    return build->api->tree((struct spot){AT_FDCWD, "/dev/null"}, (struct spot){target, ""}, &nothing, false);
}

int protect_pin(const struct build *build, const struct plan *plan, struct failure *failure) {
    const struct mount *shown = NULL;
    autoclose int view = -1;
    for (size_t i = 0; i < plan->pins.count && layer_on(STEP_PROTECT); i++) {
        const struct pinned *pin = &plan->pins.at[i];
        const char *below = pin->path + (strcmp(pin->tree->target, "/") == 0 ? 0 : strlen(pin->tree->target));
        if (shown != pin->tree) {
            fd_close(&view);
            view = open_view(build, pin->tree);
            shown = pin->tree;
        }
        if (view < 0 || (pin->link ? pin_link(build, view, below, pin) : pin_folder(build, view, below)))
            return failure_set(failure, STEP_PROTECT, errno, pin->path);
    }
    return 0;
}

int protect_hold(const struct build *build, const struct mount *mount, int target) {
    struct stat status;
    if (!layer_on(STEP_PROTECT))
        return 0;
    if (fstat(target, &status))
        return -1;
    if (status.st_dev != mount->dev || status.st_ino != mount->ino) {
        errno = ESTALE;
        return -1;
    }
    return build->api->tree((struct spot){target, ""}, (struct spot){target, ""}, mount, mount->folder);
}

/* A new object may get the number of the one that is gone. */
static bool is_replaced(const char *path, dev_t dev, ino_t ino, const struct timespec *since) {
    struct stat status;
    struct timespec birth;
    if (lstat(path, &status))
        return errno != EACCES; /* in a folder that the command has closed it stays held */
    if (status.st_dev != dev || status.st_ino != ino)
        return true;
    return !sys_birth(AT_FDCWD, path, &birth) &&
           (birth.tv_sec != since->tv_sec ? birth.tv_sec > since->tv_sec : birth.tv_nsec > since->tv_nsec);
}

void protect_look_back(struct plan *plan, const struct timespec *since) {
    for (size_t i = 0; i < plan->mounts.count; i++) {
        struct mount *mount = &plan->mounts.at[i];
        mount->replaced = mount->kind == MOUNT_HOLD && is_replaced(mount->target, mount->dev, mount->ino, since);
    }
    for (size_t i = 0; i < plan->pins.count; i++) {
        struct pinned *pin = &plan->pins.at[i];
        pin->replaced = pin->link && is_replaced(pin->path, pin->dev, pin->ino, since);
    }
}
