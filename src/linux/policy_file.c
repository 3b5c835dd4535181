/* policy_file.c (touching: opens and reads files). See policy_file.h. */
#include "linux/policy_file.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/owner.h"
#include "linux/resolve.h"
#include "policy/document.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN = 1024 };

static int cannot(const struct policy_file *file, int error, struct error *err) {
    return error_set(err, EXIT_USAGE, "%s: the policy can't be read: %s", file->name, strerror(error));
}

static int is_too_large(const struct policy_file *file, struct error *err) {
    return error_set(err, EXIT_USAGE, "%s: larger than 1 MiB, which no policy is", file->name);
}

static int set_name(struct arena *arena, struct policy_file *file, const char *name, struct error *err) {
    char shown[SHOWN];
    *file = (struct policy_file){.name = arena_copy(arena, path_show(name, shown, sizeof shown))};
    return file->name ? 0 : error_memory(err);
}

static int add_guard(struct arena *arena, struct policy_file *file, const char *path, struct error *err) {
    return text_add(arena, &file->guards, path) ? error_memory(err) : 0;
}

/* Read until end of file; a descriptor that is set not to block is waited for. `expected` is a guess of the size. */
static int read_to_end(struct arena *arena, int fd, bool from_start, size_t expected, struct policy_file *file,
                       struct error *err) {
    size_t size = 0, room = expected + 1;
    char *bytes = arena_alloc(arena, room + 1); /* a NUL comes after it */
    while (bytes && size <= DOCUMENT_SIZE_MAX) {
        if (size == room) {
            char *larger = arena_alloc(arena, 2 * room + 1);
            if (larger)
                memcpy(larger, bytes, size);
            room *= 2;
            bytes = larger;
            continue;
        }
        ssize_t got =
            from_start ? pread(fd, bytes + size, room - size, (off_t)size) : read(fd, bytes + size, room - size);
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (got < 0 && (errno == EINTR || (errno == EAGAIN && (poll(&wait, 1, -1) >= 0 || errno == EINTR))))
            continue;
        if (got < 0)
            return cannot(file, errno, err);
        if (!got)
            break;
        size += (size_t)got;
    }
    if (!bytes)
        return error_memory(err);
    if (size > DOCUMENT_SIZE_MAX)
        return is_too_large(file, err);
    bytes[size] = '\0';
    file->bytes = bytes;
    file->size = size;
    file->found = true;
    return 0;
}

/* Open for reading what an O_PATH descriptor holds, once it is known to be a regular file: opening anything else can
 * block or do something. */
static int read_regular(struct arena *arena, int place, const struct stat *status, struct policy_file *file,
                        struct error *err) {
    char link[40];
    if (!S_ISREG(status->st_mode))
        return error_set(err, EXIT_USAGE, "%s: %s; a policy is a regular file", file->name,
                         S_ISDIR(status->st_mode)    ? "this is a folder"
                         : S_ISFIFO(status->st_mode) ? "this is a FIFO"
                         : S_ISLNK(status->st_mode)  ? "this is a symlink"
                         : S_ISSOCK(status->st_mode) ? "this is a socket"
                                                     : "this is a device");
    if (status->st_size > DOCUMENT_SIZE_MAX)
        return is_too_large(file, err);
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    autoclose int fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return cannot(file, errno, err);
    return read_to_end(arena, fd, true, (size_t)status->st_size, file, err);
}

/* Where the links on the way to a file stand must be as safe as where it stands itself. */
static int check_links(struct arena *arena, const link_list *links, struct policy_file *file, struct error *err) {
    for (size_t i = 0; i < links->count; i++) {
        struct stat status;
        if (lstat(links->at[i].path, &status))
            return cannot(file, errno, err);
        if (owner_check(links->at[i].path, &status, err) || owner_check_above(links->at[i].path, err) ||
            add_guard(arena, file, links->at[i].path, err))
            return -1;
    }
    return 0;
}

/* A file that isn't there, such as one to which a link leads, must not be made by a command either. */
static int guard_absent(struct arena *arena, const link_list *links, const struct place *place,
                        struct policy_file *file, struct error *err) {
    for (size_t i = 0; i < links->count; i++)
        if (add_guard(arena, file, links->at[i].path, err))
            return -1;
    return add_guard(arena, file, place->path, err);
}

/* Another name of the caller's file may lie where an earlier command left it, and a later one can write to it. */
static int check_names(const struct stat *status, const struct policy_file *file, struct error *err) {
    if (status->st_nlink < 2 || status->st_uid != getuid())
        return 0;
    return error_set(err, EXIT_USAGE,
                     "%s has %lu names (hard links), and a command may be able to change it by another; type: "
                     "cp '%s' '%s.new' && mv '%s.new' '%s'",
                     file->name, (unsigned long)status->st_nlink, file->name, file->name, file->name, file->name);
}

int policy_file_read(struct arena *arena, const char *path, bool optional, struct policy_file *file,
                     struct error *err) {
    struct place place;
    struct stat status;
    link_list links = {0};
    char here[PATH_MAX] = "/";
    if (set_name(arena, file, path, err))
        return -1;
    if (strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0)
        return error_set(err, EXIT_USAGE, "%s: a descriptor is named as fd:%s", file->name,
                         strrchr(file->name, '/') + 1);
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return cannot(file, errno, err);
    if (resolve(arena, here, path, &place, &links))
        return error_memory(err);
    if (place.error && optional && (place.error == ENOENT || place.error == ENOTDIR))
        return guard_absent(arena, &links, &place, file, err);
    if (place.error && optional)
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: %s can't be looked at (%s), so nobody knows what the policy is",
                         file->name, error_name(place.error));
    if (place.error)
        return cannot(file, place.error, err);
    file->path = place.path;
    autoclose int fd = lookup_open_same(place.path, place.dev, place.ino);
    if (fd < 0 || fstat(fd, &status))
        return errno == ESTALE || errno == ELOOP
                   ? error_set(err, EXIT_USAGE, "%s: it was replaced while it was looked at", file->name)
                   : cannot(file, errno, err);
    if (S_ISREG(status.st_mode) && (check_links(arena, &links, file, err) || owner_check_above(place.path, err) ||
                                    owner_check(place.path, &status, err) || check_names(&status, file, err)))
        return -1;
    return add_guard(arena, file, place.path, err) || read_regular(arena, fd, &status, file, err) ? -1 : 0;
}

int policy_file_read_descriptor(struct arena *arena, const char *word, struct policy_file *file, struct error *err) {
    struct stat status;
    char link[40], path[PATH_MAX], *end;
    long number = strtol(word + 3, &end, 10);
    if (set_name(arena, file, word, err))
        return -1;
    if (strspn(word + 3, "0123456789") != strlen(word + 3) || end == word + 3 || number < 3 || number > INT_MAX)
        return error_set(err, EXIT_USAGE, "--policy %s: fd:N with a number from 3 on is wanted", file->name);
    int flags = fcntl((int)number, F_GETFL);
    if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY || fstat((int)number, &status))
        return error_set(err, EXIT_USAGE, "--policy %s: not a descriptor that is open for reading", file->name);
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
        return error_set(err, EXIT_USAGE, "--policy %s: neither a file nor a pipe", file->name);
    snprintf(link, sizeof link, "/proc/self/fd/%ld", number);
    ssize_t size = S_ISREG(status.st_mode) && status.st_nlink ? readlink(link, path, sizeof path - 1) : 0;
    if (size < 0)
        return cannot(file, errno, err);
    path[size] = '\0';
    if (size && path[0] == '/') {
        file->path = arena_copy(arena, path);
        if (!file->path)
            return error_memory(err);
        if (add_guard(arena, file, file->path, err))
            return -1;
    }
    if (S_ISREG(status.st_mode) && status.st_size > DOCUMENT_SIZE_MAX)
        return is_too_large(file, err);
    return read_to_end(arena, (int)number, S_ISREG(status.st_mode),
                       S_ISREG(status.st_mode) ? (size_t)status.st_size : 4096, file, err);
}

const char *policy_file_workspace(struct arena *arena, const char *workspace) {
    return arena_printf(arena, "%s/" POLICY_FILE_WORKSPACE, strcmp(workspace, "/") == 0 ? "" : workspace);
}

int policy_file_read_workspace(struct arena *arena, const char *workspace, struct policy_file *file,
                               struct error *err) {
    struct stat status;
    const char *path = policy_file_workspace(arena, workspace);
    if (!path)
        return error_memory(err);
    if (set_name(arena, file, path, err))
        return -1;
    file->path = path;
    autoclose int folder = lookup_open(AT_FDCWD, workspace);
    if (folder < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : cannot(file, errno, err);
    autoclose int fd = openat(folder, POLICY_FILE_WORKSPACE, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : cannot(file, errno, err);
    if (fstat(fd, &status))
        return cannot(file, errno, err);
    return read_regular(arena, fd, &status, file, err);
}
