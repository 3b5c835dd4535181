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
#include "settle/signs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HELD = 32, AGAIN = 1, TRIES = 8 }; /* levels whose folders stay open; what a walk returns to be begun again */

struct level {
    int fd;      /* -1: to be opened again by ".." */
    int before;  /* the mode that it gets back; -1: it has it */
    bool known;  /* what is in it was known: it was never opened */
    dev_t dev;   /* set when it was closed, or known */
    ino_t ino;   /* likewise */
    size_t base; /* the next level at or above it that is open, by which what is in it is looked at */
    size_t path; /* how much of the path is its own */
    size_t from; /* where the names of its folders begin */
};

struct walk {
    struct scan *scan;
    struct bytes path, names;
    struct stat status; /* of the folder that was opened last, before it was listed */
    struct level *levels;
    size_t depth, room;
};

/* A name with its NUL in front of it, so that it can be taken off at the end. */
static int push_name(struct bytes *names, const char *name) {
    return bytes_add(names, "", 1) || bytes_add(names, name, strlen(name)) ? -1 : 0;
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

/* What the file system doesn't say by itself; DT_UNKNOWN: it is gone. -1: it can't be looked at. */
static int type_of(int fd, const struct entry *entry) {
    struct stat status;
    if (entry->type != DT_UNKNOWN)
        return entry->type;
    if (fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? DT_UNKNOWN : -1;
    return IFTODT(status.st_mode);
}

/* *plain: nothing in it needs another look, so long as no name comes or goes. */
static int list(struct walk *walk, int fd, bool *plain) {
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
        signs_take(&signs, name);
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
    if (signs_spelled(&signs, fd, &sign))
        return failed(walk, sign, errno);
    scan->folders++;
    scanned.git = signs.is[SIGN_GIT];
    scanned.bare = signs_bare(&signs);
    *plain = !scanned.git && !scanned.bare;
    return scanned.git || scanned.bare ? scan->folder(scan->context, &scanned) : 0;
}

/* *before: the mode that it gets back, else -1. -1: *err is set; -2: there is nothing to look at. */
static int open_folder(struct walk *walk, int at, const char *name, int *before) {
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    struct stat *status = &walk->status;
    *before = -1;
    autoclose int fd = openat(at, name, FLAGS);
    bool shut = fd < 0 && errno == EACCES;
    if (fd < 0 && !shut)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? -2 : failed(walk, "", errno);
    if (shut ? fstatat(at, name, status, AT_SYMLINK_NOFOLLOW) : fstat(fd, status)) {
        if (!shut || (errno != EACCES && errno != ENOENT))
            return failed(walk, "", errno);
        walk->scan->unseen += errno == EACCES; /* the folder around it is another's */
        return -2;
    }
    if ((status->st_mode & 0500) != 0500 &&
        !lookup_allow(at, name, 0500)) { /* not listed, or what is in it not reached */
        int back = walk->scan->closed(walk->scan->context, walk->path.at, status);
        *before = back > 0 ? (int)(status->st_mode & 07777) : -1;
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

/* One level more, for the folder that the path names. */
static struct level *add_level(struct walk *walk, int fd) {
    if (walk->depth == walk->room) {
        size_t room = 2 * walk->room + 64;
        struct level *levels = realloc(walk->levels, room * sizeof *levels);
        if (!levels) {
            fd_close(&fd);
            (void)error_memory(walk->scan->err);
            return NULL;
        }
        walk->levels = levels;
        walk->room = room;
    }
    struct level *level = &walk->levels[walk->depth];
    *level = (struct level){
        .fd = fd, .before = -1, .base = walk->depth++, .path = walk->path.size, .from = walk->names.size};
    return level;
}

/* Into the folder that was opened; it is listed. */
static int enter(struct walk *walk, int fd, int before) {
    struct listings *listings = walk->scan->listings;
    struct level *level = add_level(walk, fd);
    bool plain = false;
    if (!level)
        return -1;
    level->before = before;
    if (list(walk, fd, &plain))
        return -1;
    if (listings && plain && (walk->status.st_mode & 0500) == 0500)
        listings_note(listings, &walk->status, walk->names.at + level->from, walk->names.size - level->from);
    return 0;
}

/* Into one that is as it was when it was listed: 1. 0: it is not, or nobody knows. */
static int enter_known(struct walk *walk, size_t base, const char *below) {
    struct listings *listings = walk->scan->listings;
    struct stat status;
    size_t size;
    if (!listings || walk->depth >= HELD || fstatat(walk->levels[base].fd, below, &status, AT_SYMLINK_NOFOLLOW))
        return 0;
    const char *names = listings_find(listings, &status, &size);
    struct level *level = names ? add_level(walk, -1) : NULL;
    if (!level || bytes_add(&walk->names, names, size))
        return names ? error_memory(walk->scan->err) : 0;
    level->known = true;
    level->base = base;
    level->dev = status.st_dev;
    level->ino = status.st_ino;
    listings_note(listings, &status, names, size);
    walk->scan->folders++;
    return 1;
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
    int result = above && above->fd < 0 && !above->known ? open_again(walk, above, level->fd) : 0;
    close_level(level);
    walk->depth--;
    if (above)
        pop_path(walk, above);
    return result;
}

/* How the folder that the path names, or one above it, is reached from a level that is open. */
static const char *below(const struct walk *walk, size_t base) {
    const char *rest = walk->path.at + walk->levels[base].path;
    return rest + strspn(rest, "/");
}

/* A level that was known is opened after all, since something in it is to be. */
static int open_known(const struct walk *walk, struct level *level) {
    struct stat status;
    autoclose int at = lookup_open(walk->levels[level->base].fd, below(walk, level->base));
    autoclose int fd = at < 0 ? -1 : openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EXDEV || errno == EACCES
                   ? AGAIN
                   : failed(walk, "", errno);
    if (status.st_dev != level->dev || status.st_ino != level->ino)
        return AGAIN;
    level->fd = fd_take(&fd);
    level->known = false;
    level->base = (size_t)(level - walk->levels);
    return 0;
}

/* The path of a folder in the one that the path names now. */
static int push_path(struct walk *walk, const char *name) {
    size_t size = strlen(name);
    if (bytes_reserve(&walk->path, size + 2))
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
    size_t index = walk->depth - 1;
    walk->names.size = last_name(&walk->names, name);
    if (push_path(walk, name))
        return error_memory(walk->scan->err);
    if (name[0] == '.' && walk->scan->skip(walk->scan->context, walk->path.at)) {
        pop_path(walk, level);
        return 0;
    }
    int known = enter_known(walk, level->base, below(walk, level->base));
    if (known)
        return known < 0 ? -1 : 0;
    level = &walk->levels[index];
    if (level->known) {
        pop_path(walk, level);
        int result = open_known(walk, level);
        if (result || push_path(walk, name))
            return result ? result : error_memory(walk->scan->err);
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
    if (bytes_reserve(&walk->path, size + 1))
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
    for (int try = 0; try < TRIES && result == AGAIN; try++) {
        result = walk_down(&walk, root);
        scan->listings = NULL; /* each folder is opened in its place then */
    }
    if (result == AGAIN)
        result = failed(&walk, "", ESTALE);
    bytes_free(&walk.path);
    bytes_free(&walk.names);
    free(walk.levels);
    return result;
}
