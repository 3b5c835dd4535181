/* mount_old.c (touching: mount(2)). For hosts where the API of mount_new.c is missing or forbidden; drop when 5.12 is
 * the floor everywhere. Attributes can only be set after a mount is in place, one mount at a time, from mountinfo. */
#include "base/fd.h"
#include "base/path.h"
#include "linux/layers.h"
#include "linux/mountinfo.h"
#include "linux/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

typedef char fd_path[32];

static const char *path_of(int fd, char *out) {
    snprintf(out, sizeof(fd_path), "/proc/self/fd/%d", fd);
    return out;
}

static unsigned long flags_of(const char *options) {
    static const struct {
        const char *name;
        unsigned long flag;
    } known[] = {{"ro", MS_RDONLY},        {"nosuid", MS_NOSUID},   {"nodev", MS_NODEV},
                 {"noexec", MS_NOEXEC},    {"noatime", MS_NOATIME}, {"nodiratime", MS_NODIRATIME},
                 {"relatime", MS_RELATIME}};
    unsigned long flags = 0;
    for (const char *at = options; *at; at += strcspn(at, ","), at += *at == ',')
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strcspn(at, ",") == strlen(known[i].name) && strncmp(at, known[i].name, strlen(known[i].name)) == 0)
                flags |= known[i].flag;
    return flags;
}

/* Add flags to the mount at `path` and, when recursive, to each one below it. At least one must have been found. */
static int add_flags(const char *path, unsigned long add, bool recursive) {
    struct lines table;
    struct mountinfo one;
    int found = 0, failed = 0;
    if (mountinfo_open(&table))
        return -1;
    while (!failed && mountinfo_next(&table, &one)) {
        bool same = strcmp(one.point, path) == 0;
        if (!same && !(recursive && path_is_under(one.point, path)))
            continue;
        found++;
        failed = mount(NULL, one.point, NULL, MS_REMOUNT | MS_BIND | flags_of(one.options) | add, NULL);
    }
    failed |= table.failed;
    lines_close(&table);
    errno = found ? errno : ENOENT;
    return failed || !found ? -1 : 0;
}

static int real_path(int fd, char *out, size_t room) {
    fd_path link;
    ssize_t size = readlink(path_of(fd, link), out, room);
    if (size <= 0 || (size_t)size >= room) {
        errno = ENAMETOOLONG;
        return -1;
    }
    out[size] = '\0';
    return 0;
}

static unsigned long flags_for(const struct mount *mount) {
    unsigned long flags = MS_NOSUID | (mount->device ? 0 : MS_NODEV);
    return flags | ((!mount->writable || mount->discard) && layer_on(STEP_MOUNTS_READONLY) ? MS_RDONLY : 0);
}

/* mount(2) takes paths only: those of descriptors. */
static int spot_open(struct spot spot) {
    return *spot.path ? openat(spot.folder, spot.path, O_PATH | O_CLOEXEC | O_NOFOLLOW)
                      : fcntl(spot.folder, F_DUPFD_CLOEXEC, 3);
}

static int old_tree(struct spot from_spot, struct spot to_spot, const struct mount *mount_wanted, bool recursive) {
    fd_path from, to;
    char path[PATH_MAX];
    autoclose int source = spot_open(from_spot);
    autoclose int target = spot_open(to_spot);
    if (source < 0 || target < 0 || real_path(target, path, sizeof path) ||
        mount(path_of(source, from), path_of(target, to), NULL, MS_BIND | (recursive ? MS_REC : 0), NULL))
        return -1;
    return add_flags(path, flags_for(mount_wanted), recursive);
}

/* The new root is mounted on a folder that is not the source of anything. */
static int old_root(void) {
    static const char *const places[] = {"/sys/kernel", "/sys/fs", "/sys"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!mount("tmpfs", places[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"))
            return open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return -1;
}

static int old_attach(int tree, struct spot target) {
    (void)tree, (void)target;
    errno = ENOSYS;
    return -1;
}

static int make_filesystem(const char *type, struct spot spot, const char *const options[][2], unsigned long flags) {
    char text[256] = "";
    fd_path to;
    autoclose int target = spot_open(spot);
    if (target < 0)
        return -1;
    for (size_t i = 0; options[i][0]; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s%s", i ? "," : "", options[i][0],
                 options[i][1] ? "=" : "", options[i][1] ? options[i][1] : "");
    return mount(type, path_of(target, to), type, flags, text);
}

static int old_overlay(struct spot target, const char *const options[][2], bool writable) {
    return make_filesystem("overlay", target, options, MS_NOSUID | MS_NODEV | (writable ? 0 : MS_RDONLY));
}

static int old_filesystem(const char *type, struct spot target, const char *const options[][2]) {
    return make_filesystem(type, target, options, MS_NOSUID | MS_NOEXEC);
}

static int old_scratch(struct spot target, const char *const options[][2]) {
    return make_filesystem("tmpfs", target, options, MS_NOSUID | MS_NODEV);
}

static int old_readonly(int target) {
    char path[PATH_MAX];
    if (!layer_on(STEP_MOUNTS_READONLY))
        return 0;
    return real_path(target, path, sizeof path) ? -1 : add_flags(path, MS_RDONLY, false);
}

const struct mount_api mount_api_old = {old_root,       old_tree,    old_attach,  old_overlay,
                                        old_filesystem, old_scratch, old_readonly};
