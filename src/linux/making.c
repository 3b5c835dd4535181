/* making.c (touching: lstat, mkdir, rmdir). See making.h.
 *
 * Should: go step by step from an open folder, which is the one that was seen. Must not: follow a link, or take what
 * somebody else has put there meanwhile for what it has made itself. */
#include "linux/making.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { STEP_FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, AGAIN = 1 };

/* The part of a path up to its last ".."; 0: it has none. */
static size_t upward(const char *path) {
    size_t size = 0;
    for (const char *at = path; *at;) {
        const char *name = at + strspn(at, "/");
        at = name + strcspn(name, "/");
        if (at - name == 2 && strncmp(name, "..", 2) == 0)
            size = (size_t)(at - path);
    }
    return size;
}

/* Is there a ".." behind what isn't there? It would lead up from nothing. */
static int check_upward(struct arena *arena, const char *folder, const char *asked, struct place *up) {
    const char *part = arena_copy_bytes(arena, asked, upward(asked));
    *up = (struct place){0};
    return !part || (*part && resolve(arena, folder, part, up, NULL)) ? -1 : 0;
}

int making_find(struct arena *arena, const char *folder, const char *asked, struct place *place) {
    char path[PATH_MAX];
    struct stat status;
    struct place up;
    if (place->error != ENOENT || *asked == '~' || strlen(place->path) >= sizeof path)
        return 0; /* "~" that no shell has put the home in for would be a folder of that name */
    if (check_upward(arena, folder, asked, &up))
        return -1;
    if (up.error)
        return 0;
    strcpy(path, place->path);
    int error;
    do {
        char *slash = strrchr(path, '/');
        slash[slash == path] = '\0';
        error = lstat(path, &status) ? errno : 0;
    } while (error == ENOENT && path[1]);
    struct making *making = arena_alloc(arena, sizeof *making);
    const char *above = arena_copy(arena, path);
    if (!making || !above)
        return -1;
    if (error || !S_ISDIR(status.st_mode)) {
        place->error = error ? error : ENOTDIR;
        return 0;
    }
    *making = (struct making){above, status.st_dev, status.st_ino, status.st_uid};
    place->making = making;
    place->error = 0;
    place->mode = S_IFDIR | 0700;
    place->dev = status.st_dev;
    place->ino = (ino_t)-1; /* nothing has this number: it can't be mounted before it is made */
    return 0;
}

static int cannot_make(const char *path, int error, struct error *err) {
    char shown[1024];
    path_show(path, shown, sizeof shown);
    if (error == EACCES || error == EROFS || error == ENAMETOOLONG)
        return error_set(err, EXIT_USAGE,
                         "--create: %s can't be made (%s); name a folder that you may make, or make it", shown,
                         strerror(error));
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: the folder %s can't be made (%s)", shown,
                     error_name(error));
}

static bool is_ours(const made_list *made, const struct stat *status) {
    for (size_t i = 0; i < made->count; i++)
        if (made->at[i].dev == status->st_dev && made->at[i].ino == status->st_ino)
            return true;
    return false;
}

/* Whatever the umask says, the caller can use it. By the open folder, since its name may be another's by now. */
static int open_up(int fd, const struct stat *status) {
    char path[40];
    if ((status->st_mode & 0700) == 0700)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return chmod(path, (status->st_mode & 07777) | 0700);
}

/* The folder `name` in `at`, made where it isn't there. -1 with errno: EEXIST when it is somebody else's by now. */
static int step(struct arena *arena, made_list *made, int at, const char *name, const char *path, uid_t uid) {
    struct stat status;
    bool fresh = !mkdirat(at, name, 0700);
    if (!fresh && errno != EEXIST)
        return -1;
    autoclose int fd = openat(at, name, STEP_FLAGS);
    struct made *added = NULL;
    bool known = fd >= 0 && !fstat(fd, &status);
    if (known && fresh)
        added = list_add(arena, made);
    if (added)
        *added = (struct made){path, status.st_dev, status.st_ino};
    else if (fresh) {
        int saved = known ? ENOMEM : errno;
        (void)!unlinkat(at, name, AT_REMOVEDIR);
        errno = saved;
        return -1;
    }
    if (!known)
        return -1;
    errno = EEXIST;
    if (status.st_uid != uid || !is_ours(made, &status))
        return -1;
    return open_up(fd, &status) ? -1 : fd_take(&fd);
}

/* From the folder that is there, `at`, to the last; its descriptor. */
static int make(struct arena *arena, made_list *made, int at, const struct place *place, uid_t uid) {
    const char *rest = place->path + strlen(place->making->path);
    autoclose int folder = at;
    for (;;) {
        char name[NAME_MAX + 1];
        int part = path_part(&rest, name);
        errno = ENAMETOOLONG;
        if (part <= 0)
            return part ? -1 : fd_take(&folder);
        const char *path = arena_copy_bytes(arena, place->path, (size_t)(rest - place->path));
        errno = ENOMEM;
        int next = path ? step(arena, made, folder, name, path, uid) : -1;
        if (next < 0)
            return -1;
        fd_close(&folder);
        folder = next;
    }
}

static bool has_changed(int error) {
    return error == EEXIST || error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

static void note(struct plan *plan, struct place *place, const struct stat *status) {
    place->dev = status->st_dev;
    place->ino = status->st_ino;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        struct mount *mount = &plan->mounts.at[i];
        if (mount->kind != MOUNT_TREE || mount->session || strcmp(mount->target, place->path) != 0)
            continue;
        mount->dev = status->st_dev;
        mount->ino = status->st_ino;
    }
}

int making_carry_out(struct arena *arena, made_list *made, struct plan *plan, struct probe *probe, struct error *err) {
    for (size_t i = 0; i < probe->grants.count; i++) {
        struct place *place = &probe->grants.at[i];
        const struct making *making = place->making;
        struct stat status;
        if (!making)
            continue;
        int at = lookup_open_same(making->path, making->dev, making->ino);
        autoclose int fd = at < 0 ? -1 : make(arena, made, at, place, probe->uid);
        if (fd < 0 || fstat(fd, &status))
            return has_changed(errno) ? AGAIN : cannot_make(place->path, errno, err);
        note(plan, place, &status);
    }
    return 0;
}

void making_undo(const made_list *made) {
    for (size_t i = made->count; i-- > 0;) {
        const struct made *one = &made->at[i];
        char above[PATH_MAX];
        struct stat status;
        const char *slash = strrchr(one->path, '/');
        snprintf(above, sizeof above, "%.*s", (int)(slash == one->path ? 1 : slash - one->path), one->path);
        autoclose int fd = lookup_open(AT_FDCWD, above);
        if (fd >= 0 && !fstatat(fd, slash + 1, &status, AT_SYMLINK_NOFOLLOW) && status.st_dev == one->dev &&
            status.st_ino == one->ino)
            (void)!unlinkat(fd, slash + 1, AT_REMOVEDIR);
    }
}
