/* scan.c (touching: getdents64, openat). See scan.h.
 *
 * Should: see everything that a command could have left, whatever its name, depth and mode. Must not: follow a link,
 * keep a descriptor for each level, recurse. Deep down the way up is "..", which must be the folder that it came from;
 * moved meanwhile by another process, the scan begins again. */
#include "settle/scan.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { HELD = 32, AGAIN = 1, TRIES = 8 }; /* levels whose folders stay open; what a walk returns to be begun again */

/* A stack of bytes. */
struct bytes {
    char *at;
    size_t size, room;
};

struct level {
    int fd;      /* -1: to be opened again by ".." */
    int before;  /* the mode that it gets back; -1: it has it */
    dev_t dev;   /* set when it was closed */
    ino_t ino;   /* likewise */
    size_t path; /* how much of the path is its own */
    size_t from; /* where the names of its folders begin */
};

struct walk {
    struct scan *scan;
    struct bytes path, names;
    struct level *levels;
    size_t depth, room;
};

static int reserve(struct bytes *bytes, size_t more) {
    if (bytes->size + more <= bytes->room)
        return 0;
    size_t room = 2 * (bytes->size + more) + 4096;
    char *at = realloc(bytes->at, room);
    if (!at)
        return -1;
    bytes->at = at;
    bytes->room = room;
    return 0;
}

/* A name with its NUL in front of it, so that it can be taken off at the end. */
static int push_name(struct bytes *names, const char *name) {
    size_t size = strlen(name);
    if (reserve(names, size + 1))
        return -1;
    names->at[names->size] = '\0';
    memcpy(names->at + names->size + 1, name, size);
    names->size += size + 1;
    return 0;
}

static size_t last_name(const struct bytes *names, char name[NAME_MAX + 1]) {
    size_t from = names->size;
    while (names->at[from - 1])
        from--;
    size_t size = names->size - from;
    size = size > NAME_MAX ? NAME_MAX : size;
    memcpy(name, names->at + from, size);
    name[size] = '\0';
    return from - 1;
}

static int failed(const struct walk *walk, const char *name, int error) { /* "": the folder itself */
    char shown[1024];
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", walk->path.at, *name ? "/" : "", name) < 0)
        return error_memory(walk->scan->err);
    error_set(walk->scan->err, EXIT_USAGE,
              "%s can't be looked through for what would run code on the host (%s); look at it before you use it",
              path_show(path, shown, sizeof shown), error_name(error));
    free(path);
    return -1;
}

enum { SIGN_GIT, SIGN_HEAD, SIGN_OBJECTS, SIGN_REFS, SIGN_COMMON, SIGNS };

static const char *const sign_names[SIGNS] = {".git", "HEAD", "objects", "refs", "commondir"};

struct signs {
    bool is[SIGNS];
    bool maybe; /* there is a name that a file system without regard to case may take for one of them */
};

static void take_sign(struct signs *signs, const char *name) {
    for (int i = 0; i < SIGNS; i++)
        if (strcasecmp(name, sign_names[i]) == 0) {
            bool exact = strcmp(name, sign_names[i]) == 0;
            signs->is[i] |= exact;
            signs->maybe |= !exact;
        }
    for (; *name; name++)
        signs->maybe |= (unsigned char)*name >= 0x80;
}

/* Those that have another spelling here. -1 with *sign: it can't be looked at. */
static int take_spellings(struct signs *signs, int fd, const char **sign) {
    struct stat status;
    for (int i = 0; i < SIGNS && signs->maybe; i++) {
        signs->is[i] = signs->is[i] || !fstatat(fd, sign_names[i], &status, AT_SYMLINK_NOFOLLOW);
        *sign = sign_names[i];
        if (!signs->is[i] && errno != ENOENT)
            return -1;
    }
    return 0;
}

/* Can git take it for a git directory? HEAD alone may lie in another: that of a further work tree, which shares the
 * rest of this one. */
static bool is_bare(const struct signs *signs) {
    return (signs->is[SIGN_OBJECTS] && signs->is[SIGN_REFS]) || (signs->is[SIGN_HEAD] && signs->is[SIGN_COMMON]);
}

/* What the file system doesn't say by itself; DT_UNKNOWN: it is gone. -1: it can't be looked at. */
static int type_of(int fd, const struct entry *entry) {
    struct stat status;
    if (entry->type != DT_UNKNOWN)
        return entry->type;
    if (fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? DT_UNKNOWN : -1;
    return IFTODT(status.st_mode);
}

static int list(struct walk *walk, int fd) {
    struct scan *scan = walk->scan;
    struct scanned scanned = {.fd = fd, .path = walk->path.at};
    struct entries entries = {.fd = fd};
    struct signs signs = {0};
    const struct entry *entry;
    const char *sign;
    while ((entry = entries_next(&entries))) {
        const char *name = entry->name;
        if (entry_is_dots(name))
            continue;
        take_sign(&signs, name);
        int type = type_of(fd, entry);
        if (type < 0)
            return failed(walk, name, errno);
        if (type == DT_DIR && push_name(&walk->names, name))
            return error_memory(scan->err);
        if (type == DT_DIR && scan->child && scan->child(scan->context, &scanned, name, entry->ino))
            return -1;
        if (type != DT_DIR && type != DT_REG && type != DT_UNKNOWN &&
            scan->oddity(scan->context, &scanned, name, (unsigned char)type))
            return -1;
    }
    if (entries.error)
        return failed(walk, "", entries.error);
    if (take_spellings(&signs, fd, &sign))
        return failed(walk, sign, errno);
    scan->folders++;
    scanned.git = signs.is[SIGN_GIT];
    scanned.bare = is_bare(&signs);
    return scanned.git || scanned.bare ? scan->folder(scan->context, &scanned) : 0;
}

/* *before: the mode that it gets back, else -1. -1: *err is set; -2: there is nothing to look at. */
static int open_folder(struct walk *walk, int at, const char *name, int *before) {
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    struct stat status;
    *before = -1;
    autoclose int fd = openat(at, name, FLAGS);
    bool shut = fd < 0 && errno == EACCES;
    if (fd < 0 && !shut)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? -2 : failed(walk, "", errno);
    if (shut ? fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) : fstat(fd, &status)) {
        if (!shut || (errno != EACCES && errno != ENOENT))
            return failed(walk, "", errno);
        walk->scan->unseen += errno == EACCES; /* the folder around it is another's */
        return -2;
    }
    if ((status.st_mode & 0500) != 0500 &&
        !lookup_allow(at, name, 0500)) { /* not listed, or what is in it not reached */
        int back = walk->scan->closed(walk->scan->context, walk->path.at, &status);
        *before = back > 0 ? (int)(status.st_mode & 07777) : -1;
        if (back < 0)
            return -1;
    }
    if (fd < 0)
        fd = openat(at, name, FLAGS);
    if (fd >= 0)
        return fd_take(&fd);
    if (errno != EACCES)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? -2 : failed(walk, "", errno);
    walk->scan->unseen++;
    return -2;
}

/* Into a folder that is open; it is listed. */
static int enter(struct walk *walk, int fd, int before) {
    if (walk->depth == walk->room) {
        size_t room = 2 * walk->room + 64;
        struct level *levels = realloc(walk->levels, room * sizeof *levels);
        if (!levels) {
            close(fd);
            return error_memory(walk->scan->err);
        }
        walk->levels = levels;
        walk->room = room;
    }
    walk->levels[walk->depth++] =
        (struct level){.fd = fd, .before = before, .path = walk->path.size, .from = walk->names.size};
    return list(walk, fd);
}

/* The folder above was closed: open it by "..". */
static int open_again(const struct walk *walk, struct level *above, int fd) {
    struct stat status;
    int up = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (up < 0 || fstat(up, &status)) {
        int error = errno;
        fd_close(&up);
        return error == EACCES || error == ENOENT ? AGAIN : failed(walk, "..", error);
    }
    if (status.st_dev != above->dev || status.st_ino != above->ino) {
        close(up);
        return AGAIN;
    }
    above->fd = up;
    return 0;
}

static void pop_path(struct walk *walk, const struct level *level) {
    walk->path.size = level->path;
    walk->path.at[level->path] = '\0';
}

static void close_level(struct level *level) {
    if (level->fd >= 0 && level->before >= 0)
        (void)!fchmod(level->fd, (mode_t)level->before); /* or it stays open to its owner */
    fd_close(&level->fd);
}

static int leave(struct walk *walk) {
    struct level *level = &walk->levels[walk->depth - 1], *above = walk->depth > 1 ? level - 1 : NULL;
    int result = above && above->fd < 0 ? open_again(walk, above, level->fd) : 0;
    close_level(level);
    walk->depth--;
    if (above)
        pop_path(walk, above);
    return result;
}

/* The path of a folder in the one that the path names now. */
static int push_path(struct walk *walk, const char *name) {
    size_t size = strlen(name);
    if (reserve(&walk->path, size + 2))
        return -1;
    if (walk->path.size > 1) /* not "/" */
        walk->path.at[walk->path.size++] = '/';
    memcpy(walk->path.at + walk->path.size, name, size + 1);
    walk->path.size += size;
    return 0;
}

/* Far down no level keeps its descriptor. */
static int close_above(struct walk *walk, struct level *level) {
    struct stat status;
    if (walk->depth <= HELD)
        return 0;
    if (fstat(level->fd, &status))
        return failed(walk, "", errno);
    level->dev = status.st_dev;
    level->ino = status.st_ino;
    fd_close(&level->fd);
    return 0;
}

/* Down into the last of a level's folders. */
static int descend(struct walk *walk, struct level *level) {
    char name[NAME_MAX + 1];
    int before;
    walk->names.size = last_name(&walk->names, name);
    if (push_path(walk, name))
        return error_memory(walk->scan->err);
    if (name[0] == '.' && walk->scan->skip(walk->scan->context, walk->path.at)) {
        pop_path(walk, level);
        return 0;
    }
    autoclose int fd = open_folder(walk, level->fd, name, &before);
    if (fd < 0) {
        pop_path(walk, level);
        return fd == -2 ? 0 : -1;
    }
    return close_above(walk, level) ? -1 : enter(walk, fd_take(&fd), before);
}

/* The root, by the folder that it is in: by itself it may be closed. */
static int open_root(struct walk *walk, const char *root, int *before) {
    char *above = strdup(root), *slash = above ? strrchr(above, '/') : NULL;
    if (!slash) {
        free(above);
        return error_memory(walk->scan->err);
    }
    *slash = '\0';
    autoclose int at = lookup_open(AT_FDCWD, *above ? above : "/");
    int error = errno;
    const char *name = root[slash - above + 1] ? root + (slash - above) + 1 : ".";
    free(above);
    if (at < 0)
        return error == ENOENT || error == ENOTDIR || error == ELOOP ? -2 : failed(walk, "", error);
    return open_folder(walk, at, name, before);
}

static int walk_down(struct walk *walk, const char *root) {
    walk->path.size = walk->names.size = walk->depth = 0;
    size_t size = strlen(root);
    if (reserve(&walk->path, size + 1))
        return error_memory(walk->scan->err);
    memcpy(walk->path.at, root, size + 1);
    walk->path.size = size;
    int before, fd = open_root(walk, root, &before);
    if (fd < 0)
        return fd == -2 ? 0 : -1;
    int result = enter(walk, fd, before);
    while (!result && walk->depth) {
        struct level *level = &walk->levels[walk->depth - 1];
        result = walk->names.size > level->from ? descend(walk, level) : leave(walk);
    }
    while (walk->depth)
        close_level(&walk->levels[--walk->depth]);
    return result;
}

int scan_tree(struct scan *scan, const char *root) {
    struct walk walk = {.scan = scan};
    int result = AGAIN;
    for (int try = 0; try < TRIES && result == AGAIN; try++)
        result = walk_down(&walk, root);
    if (result == AGAIN)
        result = failed(&walk, "", ESTALE);
    free(walk.path.at);
    free(walk.names.at);
    free(walk.levels);
    return result;
}
