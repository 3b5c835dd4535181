/* resolve.c (touching: lstat, readlink). See resolve.h. */
#include "linux/resolve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, ROOM = 2 * PATH_MAX };

struct walk {
    struct stat last;    /* of what `done` names */
    bool seen;           /* last is it */
    char done[PATH_MAX]; /* canonical so far; "" is the root */
    char rest[ROOM];     /* still to go */
    int links, error;
    bool root;        /* the caller is */
    const char *link; /* see struct place */
};

/* Put a link's target in front of what is still to go. */
static int follow(struct walk *walk, const char *target) {
    size_t size = strlen(target), rest = strlen(walk->rest);
    if (++walk->links > LINKS_MAX)
        return ELOOP;
    if (size + rest >= sizeof walk->rest)
        return ENAMETOOLONG;
    memmove(walk->rest + size, walk->rest, rest + 1);
    memcpy(walk->rest, target, size);
    if (target[0] == '/')
        walk->done[0] = '\0';
    return 0;
}

/* Is the link the system administrator's, and where the caller couldn't have put it? Then a box didn't, whose files
 * belong to its caller. For a caller who is root ownership says nothing, and only links of the top folders count, where
 * no workspace can be. */
static bool is_administrators(const struct walk *walk) {
    char folder[PATH_MAX];
    const char *name = strrchr(walk->done, '/');
    bool top = name == walk->done || (name == walk->done + 4 && strncmp(walk->done, "/var", 4) == 0);
    if (walk->last.st_uid != 0)
        return false;
    if (top || strncmp(walk->done, "/proc/", 6) == 0)
        return true;
    if (walk->root)
        return false;
    /* a folder of root's can be moved by whoever may write to the one that it is in */
    memcpy(folder, walk->done, strlen(walk->done) + 1);
    for (char *slash; (slash = strrchr(folder, '/')) && slash != folder;) {
        *slash = '\0';
        struct stat status; /* a mode that its owner has set says nothing */
        bool closed = access(folder, W_OK) && (errno == EACCES || errno == EROFS);
        if (!closed || lstat(folder, &status) || status.st_uid == (uid_t)getauxval(AT_UID))
            return false;
    }
    return true;
}

/* Take one component; *link is filled when it was a symlink. */
static int step(struct arena *arena, struct walk *walk, const char *name, struct link *link) {
    size_t size = strlen(walk->done);
    char target[PATH_MAX];
    if (strcmp(name, "..") == 0) {
        char *slash = strrchr(walk->done, '/');
        walk->seen = false;
        if (slash)
            *slash = '\0';
        return 0;
    }
    if (size + 1 + strlen(name) >= sizeof walk->done) {
        walk->error = ENAMETOOLONG;
        return 0;
    }
    walk->done[size] = '/';
    strcpy(walk->done + size + 1, name);
    if (walk->error)
        return 0;
    walk->seen = true;
    if (lstat(walk->done, &walk->last)) {
        walk->error = errno;
    } else if (S_ISLNK(walk->last.st_mode)) {
        walk->seen = false;
        ssize_t got = readlink(walk->done, target, sizeof target - 1);
        if (got <= 0) {
            walk->error = got ? errno : EINVAL;
            return 0;
        }
        target[got] = '\0';
        if (!walk->link && !is_administrators(walk))
            walk->link = arena_copy(arena, walk->done);
        link->path = arena_copy(arena, walk->done);
        link->target = arena_copy(arena, target);
        if (!link->path || !link->target)
            return -1;
        walk->done[size] = '\0';
        walk->error = follow(walk, target);
    }
    return 0;
}

int resolve(struct arena *arena, const char *folder, const char *path, struct place *place, link_list *links) {
    struct walk walk; /* without clearing its texts */
    walk.seen = false;
    walk.done[0] = '\0';
    walk.links = walk.error = 0;
    walk.root = getauxval(AT_UID) == 0;
    walk.link = NULL;
    int size = path[0] == '/' ? snprintf(walk.rest, sizeof walk.rest, "%s", path)
                              : snprintf(walk.rest, sizeof walk.rest, "%s/%s", folder, path);
    *place = (struct place){0};
    if (size < 0 || size >= PATH_MAX || !*path)
        walk.error = *path ? ENAMETOOLONG : ENOENT;
    while (walk.error != ENAMETOOLONG && walk.error != ELOOP) {
        char name[NAME_MAX + 1];
        const char *at = walk.rest + strspn(walk.rest, "/");
        size_t length = strcspn(at, "/");
        if (*walk.rest && walk.seen && !walk.error && !S_ISDIR(walk.last.st_mode))
            walk.error = ENOTDIR; /* something follows, if only a slash */
        if (!length)
            break;
        if (length > NAME_MAX) {
            walk.error = ENAMETOOLONG;
            break;
        }
        memcpy(name, at, length);
        name[length] = '\0';
        memmove(walk.rest, at + length, strlen(at + length) + 1);
        if (strcmp(name, ".") == 0)
            continue;
        struct link link = {0};
        if (step(arena, &walk, name, &link))
            return -1;
        if (link.path && links) {
            struct link *added = list_add(arena, links);
            if (!added)
                return -1;
            *added = link;
        }
    }
    place->path = arena_copy(arena, *walk.done ? walk.done : "/");
    if (!place->path)
        return -1;
    if (!walk.error && !walk.seen && lstat(place->path, &walk.last))
        walk.error = errno;
    place->error = walk.error;
    place->link = walk.link;
    if (!walk.error) {
        place->mode = walk.last.st_mode;
        place->dev = walk.last.st_dev;
        place->ino = walk.last.st_ino;
    }
    return 0;
}

bool resolve_absent(int error) {
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP || error == ENAMETOOLONG;
}
