/* examine.c (touching: lstat, read). See examine.h: what changed, and what becomes of it. */
#include "settle/examine_parts.h"

#include "base/digest.h"
#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int examine_failed(const struct examine *examine, const char *path, int error) {
    char shown[1024];
    return error_set(examine->err, EXIT_USAGE,
                     "%s can't be looked at for what would run code on the host (%s); look at it before you use it",
                     path_show(path, shown, sizeof shown), error_name(error));
}

bool examine_is_held(const struct examine *examine, const char *path) {
    struct stat status;
    for (size_t i = 0; i < examine->run->held.count; i++) {
        const struct thing *held = &examine->run->held.at[i];
        if (path_is_under(path, held->path))
            return !lstat(held->path, &status) && status.st_dev == held->dev && status.st_ino == held->ino;
    }
    return false;
}

bool examine_is_fixed(const struct examine *examine, const char *path, const struct stat *status) {
    bool linked = S_ISREG(status->st_mode) && status->st_nlink > 1;
    return !examine->recording && !linked && examine_is_held(examine, path);
}

int examine_look(const struct examine *examine, int at, const char *name, const char *path, struct stat *status) {
    if (!fstatat(at, name, status, AT_SYMLINK_NOFOLLOW))
        return 1;
    return errno == ENOENT || errno == ENOTDIR ? 0 : examine_failed(examine, path, errno);
}

bool examine_skip(void *context, const char *path) {
    const struct examine *examine = context;
    return !examine->recording && examine_is_held(examine, path);
}

/* Some file systems keep whole seconds only. */
static bool is_before(const struct timespec *time, const struct timespec *other) {
    return time->tv_sec != other->tv_sec ? time->tv_sec < other->tv_sec
                                         : time->tv_nsec && time->tv_nsec < other->tv_nsec;
}

/* Who shut its owner out may have been the command, to hide what is in it: that folder stays open while things are
 * looked at by their paths. */
int examine_closed(void *context, const char *path, const struct stat *status) {
    struct examine *examine = context;
    if (examine->recording || (!examine->run->by_content && is_before(&status->st_ctim, &examine->since)))
        return 1;
    struct opened *added = list_add(examine->arena, &examine->opened);
    const char *copy = arena_copy(examine->arena, path);
    if (!added || !copy)
        return error_memory(examine->err);
    *added = (struct opened){copy, status->st_dev, status->st_ino, status->st_mode & 07777};
    return 0;
}

void examine_close(const struct examine *examine) {
    for (size_t i = examine->opened.count; i-- > 0;) { /* the deeper ones first */
        const struct opened *one = &examine->opened.at[i];
        char self[40];
        autoclose int fd = lookup_open_same(one->path, one->dev, one->ino);
        snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
        if (fd >= 0)
            (void)!chmod(self, one->mode); /* or it stays open to its owner */
    }
}

bool examine_is_new(const struct examine *examine, int at, const char *name) {
    struct timespec birth;
    return sys_birth(at, name, &birth) || !is_before(&birth, &examine->since);
}

int examine_read(struct examine *examine, int at, const char *name, const char *path, const char **text, size_t *size) {
    struct stat status;
    autoclose int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO || errno == EACCES))
        return 0;
    if (fd < 0 || fstat(fd, &status))
        return examine_failed(examine, path, errno);
    if (!S_ISREG(status.st_mode) || status.st_size > JUDGE_TEXT_MAX)
        return 0;
    if (!examine->text && !(examine->text = arena_alloc(examine->arena, JUDGE_TEXT_MAX + 2)))
        return error_memory(examine->err);
    ssize_t got = fd_read_all(fd, examine->text, (size_t)status.st_size + 1);
    if (got < 0)
        return examine_failed(examine, path, errno);
    *text = examine->text;
    *size = (size_t)got;
    return got <= status.st_size; /* else it grows */
}

/* Of more than fits: the digest of the first part, and so on with the next. Sparse files can be endless. */
static int digest_file(struct examine *examine, int at, const char *name, const char *path, char hex[65]) {
    enum { HEX = 64, PARTS = 256 };
    char *part = malloc(HEX + JUDGE_TEXT_MAX), before[HEX + 1] = "";
    autoclose int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t got = -1;
    for (int i = 0; part && fd >= 0 && i < PARTS; i++) {
        memset(part, 0, HEX);
        memcpy(part, before, strlen(before));
        if ((got = fd_read_all(fd, part + HEX, JUDGE_TEXT_MAX)) <= 0)
            break;
        digest_sha256(part, HEX + (size_t)got, before);
    }
    int error = part ? errno : ENOMEM;
    free(part);
    if (got == 0)
        strcpy(hex, *before ? before : "empty");
    bool gone = fd < 0 && (error == ENOENT || error == ELOOP || error == ENXIO || error == EACCES);
    return got < 0 && !gone ? examine_failed(examine, path, error) : 0;
}

/* What a file is by its content. "-": it can't be told, and is like no other. */
static int digest(struct examine *examine, int at, const char *name, const char *path, const struct stat *status,
                  char hex[65]) {
    char target[PATH_MAX];
    strcpy(hex, "-");
    if (S_ISLNK(status->st_mode)) {
        ssize_t length = readlinkat(at, name, target, sizeof target);
        if (length >= 0 && length < (ssize_t)sizeof target)
            digest_sha256(target, (size_t)length, hex);
    } else if (S_ISDIR(status->st_mode)) {
        strcpy(hex, "folder");
    } else if (S_ISREG(status->st_mode)) {
        return digest_file(examine, at, name, path, hex);
    }
    return 0;
}

static int record(struct examine *examine, const char *path, const char *hex, const struct stat *status) {
    struct original *added = list_add(examine->arena, &examine->recording->files);
    const char *copy = arena_copy(examine->arena, path);
    if (!added || !copy)
        return error_memory(examine->err);
    *added = (struct original){.path = copy, .mode = status->st_mode & 07777};
    memcpy(added->digest, hex, sizeof added->digest);
    return 0;
}

static bool was_there(const struct run *run, const char *path, const char *hex) {
    for (size_t i = run_find(run, path); run_has(run, i, path); i++)
        if (strcmp(run->files.at[i].digest, hex) == 0 && strcmp(hex, "-") != 0)
            return true;
    return false;
}

int examine_changed(struct examine *examine, int at, const char *name, const char *path, const struct stat *status) {
    char hex[65];
    if (examine_is_fixed(examine, path, status))
        return 0;
    if (!examine->recording && !examine->run->by_content)
        return !is_before(&status->st_ctim, &examine->since);
    if (!examine->recording && !run_has(examine->run, run_find(examine->run, path), path))
        return 1;
    if (digest(examine, at, name, path, status, hex))
        return -1;
    if (examine->recording)
        return record(examine, path, hex, status);
    return !was_there(examine->run, path, hex);
}

static int add(struct examine *examine, const struct settled *settled) {
    struct settled *added = list_add(examine->arena, &examine->out->found);
    const char *path = arena_copy(examine->arena, settled->path), *why = arena_copy(examine->arena, settled->why);
    if (!added || !path || !why)
        return error_memory(examine->err);
    *added = *settled;
    added->path = path;
    added->why = why;
    return 0;
}

int examine_put_aside(struct examine *examine, int at, const char *name, const char *path, const char *why,
                      enum settled_fate fate) {
    struct settled settled = {.fate = fate, .path = path, .why = why};
    if (examine->recording)
        return 0;
    if (quarantine_put(&examine->quarantine, at, name, path, why, &settled.item, examine->err))
        return -1;
    if (!settled.item)
        return 0;
    examine->out->aside++;
    if (examine->out->aside > SETTLED_ASIDE_MAX)
        return 0;
    settled.run = arena_copy(examine->arena, examine->quarantine.name);
    return settled.run ? add(examine, &settled) : error_memory(examine->err);
}

int examine_report(struct examine *examine, const char *path, const char *why) {
    const struct settled settled = {.fate = SETTLED_REPORTED, .path = path, .why = why};
    if (examine->recording)
        return 0;
    return examine->out->reported++ < SETTLED_REPORTED_MAX ? add(examine, &settled) : 0;
}
