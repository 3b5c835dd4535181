/* examine.c (touching: lstat, read). See examine.h: what changed, and what becomes of it. */
#include "settle/examine.h"

#include "base/digest.h"
#include "base/fd.h"
#include "base/path.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

int examine_look(const struct examine *examine, int at, const char *name, const char *path, struct stat *status) {
    if (!fstatat(at, name, status, AT_SYMLINK_NOFOLLOW))
        return 1;
    return errno == ENOENT || errno == ENOTDIR ? 0 : examine_failed(examine, path, errno);
}

bool examine_skip(void *context, const char *path) {
    const struct examine *examine = context;
    return !examine->recording && examine_is_held(examine, path);
}

static bool is_before(const struct timespec *time, const struct timespec *other) {
    return time->tv_sec != other->tv_sec ? time->tv_sec < other->tv_sec : time->tv_nsec < other->tv_nsec;
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
    char *bytes = arena_alloc(examine->arena, (size_t)status.st_size + 2);
    ssize_t got = bytes ? fd_read_all(fd, bytes, (size_t)status.st_size + 1) : -1;
    if (got < 0)
        return bytes ? examine_failed(examine, path, errno) : error_memory(examine->err);
    *text = bytes;
    *size = (size_t)got;
    return got <= status.st_size; /* else it grows */
}

/* What a file is by its content. "-": it can't be told, and is like no other. */
static int digest(struct examine *examine, int at, const char *name, const char *path, const struct stat *status,
                  char hex[65]) {
    char target[PATH_MAX];
    const char *text;
    size_t size;
    strcpy(hex, "-");
    if (S_ISLNK(status->st_mode)) {
        ssize_t length = readlinkat(at, name, target, sizeof target);
        if (length >= 0 && length < (ssize_t)sizeof target)
            digest_sha256(target, (size_t)length, hex);
    } else if (S_ISDIR(status->st_mode)) {
        strcpy(hex, "folder");
    } else if (S_ISREG(status->st_mode)) {
        int there = examine_read(examine, at, name, path, &text, &size);
        if (there == 1)
            digest_sha256(text, size, hex);
        return there < 0 ? -1 : 0;
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

static bool was_there(const struct examine *examine, const char *path, const char *hex) {
    for (size_t i = 0; i < examine->run->files.count; i++) {
        const struct original *file = &examine->run->files.at[i];
        if (strcmp(file->path, path) == 0 && strcmp(file->digest, hex) == 0 && strcmp(hex, "-") != 0)
            return true;
    }
    return false;
}

int examine_changed(struct examine *examine, int at, const char *name, const char *path, const struct stat *status) {
    char hex[65];
    if (!examine->recording && examine_is_held(examine, path))
        return 0;
    if (!examine->recording && !examine->run->by_content)
        return !is_before(&status->st_ctim, &examine->since);
    if (digest(examine, at, name, path, status, hex))
        return -1;
    if (examine->recording)
        return record(examine, path, hex, status);
    return !was_there(examine, path, hex);
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
    settled.run = arena_copy(examine->arena, examine->quarantine.name);
    return settled.run ? add(examine, &settled) : error_memory(examine->err);
}

int examine_report(struct examine *examine, const char *path, const char *why) {
    const struct settled settled = {.fate = SETTLED_REPORTED, .path = path, .why = why};
    if (examine->recording)
        return 0;
    return examine->out->reported++ < SETTLED_REPORTED_MAX ? add(examine, &settled) : 0;
}
