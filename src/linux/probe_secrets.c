/* probe_secrets.c (touching: openat2, getdents64, lstat, access): what must not be read in the box, and where it is:
 * the floor and the paths of --deny, with the other names that mounts give them. What wildcards stand for is found by
 * expand.c. */
#include "linux/expand.h"
#include "linux/probe.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "linux/resolve.h"
#include "plan/floor.h"
#include "plan/names.h"
#include "plan/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_look(const char *path, int error, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked at (%s)",
                     path_show(path, shown, sizeof shown), error_name(error));
}

static bool is_below(const char *path, const struct place *root) {
    return !root->error && root->path && path_is_under(path, root->path);
}

/* Would a root of the box show it, if it was there? */
static bool is_shown(const struct probe *probe, const char *path) {
    bool shown = is_below(path, &probe->workspace) || is_below(path, &probe->work_tree) || roots_is_system(path);
    for (size_t i = 0; i < probe->grants.count; i++)
        shown |= is_below(path, &probe->grants.at[i]);
    return shown;
}

static int add_name(struct arena *arena, struct probe *probe, const struct secret *secret, const char *path) {
    for (size_t i = probe->secrets.count; i-- > 0;)
        if (strcmp(probe->secrets.at[i].path, path) == 0 && !probe->secrets.at[i].closed)
            return 0;
    struct secret *added = list_add(arena, &probe->secrets);
    if (!added)
        return -1;
    *added = *secret;
    added->path = path;
    return 0;
}

/* Add it by all its names. What isn't there matters where a root would show it. */
static int add(struct arena *arena, struct probe *probe, const struct secret *secret) {
    text_list others = {0};
    if ((secret->mode || is_shown(probe, secret->path)) && add_name(arena, probe, secret, secret->path))
        return -1;
    if (names_other(arena, &probe->mounts, secret->path, &others))
        return -1;
    for (size_t i = 0; i < others.count; i++)
        if (is_shown(probe, others.at[i]) && add_name(arena, probe, secret, others.at[i]))
            return -1;
    return 0;
}

static void take_status(struct secret *secret, const struct stat *status) {
    secret->mode = status->st_mode;
    secret->links = status->st_nlink;
    secret->dev = status->st_dev;
    secret->ino = status->st_ino;
}

/* The symlink itself, where the last component is one. */
static int add_link(struct arena *arena, struct probe *probe, const char *origin, const char *path, struct error *err) {
    const char *slash = strrchr(path, '/');
    struct stat status;
    struct place folder;
    char *above = slash && slash != path ? arena_copy_bytes(arena, path, (size_t)(slash - path)) : NULL;
    if (!above)
        return slash == path ? 0 : -1;
    if (resolve(arena, "/", above, &folder, NULL))
        return -1;
    const char *name = folder.error ? NULL : arena_printf(arena, "%s%s", folder.path, slash);
    if (!name)
        return folder.error ? 0 : -1;
    if (lstat(name, &status))
        return resolve_absent(errno) ? 0 : cannot_look(name, errno, err);
    if (!S_ISLNK(status.st_mode))
        return 0;
    struct secret secret = {.path = name, .origin = origin};
    take_status(&secret, &status);
    return add(arena, probe, &secret);
}

/* What a path leads to and, if it is a link, the path itself. */
int secret_add(struct arena *arena, struct probe *probe, const char *origin, const char *path, struct error *err) {
    struct place place;
    struct stat status;
    if (resolve(arena, "/", path, &place, NULL))
        return -1;
    if (place.error && place.error != ENOENT && place.error != ENOTDIR && place.error != EACCES)
        return cannot_look(path, place.error, err);
    struct secret secret = {.path = place.path, .origin = origin};
    if (!place.error && lstat(place.path, &status))
        return cannot_look(place.path, errno, err);
    if (!place.error)
        take_status(&secret, &status);
    if (strcmp(path, place.path) != 0 && add_link(arena, probe, origin, path, err))
        return -1;
    /* a link of the floor that leads into the packages: whatever it is, every box and every user can read it */
    bool packaged = !origin && (path_is_under(place.path, "/usr") || path_is_under(place.path, "/nix/store") ||
                                path_is_under(place.path, "/gnu/store"));
    return packaged ? 0 : add(arena, probe, &secret);
}

/* A folder of a home in which names of the floor may be. */
struct folder {
    int fd;           /* O_PATH, -1: it isn't there */
    const char *path; /* canonical */
};

/* One name in it: is something there? */
static int probe_name(struct arena *arena, struct probe *probe, const struct folder *folder, const char *name,
                      bool absent, struct error *err) {
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/%s", strcmp(folder->path, "/") ? folder->path : "", name) >= (int)sizeof path)
        return 0; /* no file has such a path */
    autoclose int fd = absent ? -1 : lookup_open(folder->fd, name);
    absent |= fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
    if (!absent && fd < 0)
        return errno == ELOOP ? secret_add(arena, probe, NULL, path, err) : cannot_look(path, errno, err);
    if (absent && !probe->aliased && !is_shown(probe, path))
        return 0;
    struct secret secret = {.path = arena_copy(arena, path)};
    if (!absent && fstat(fd, &status))
        return cannot_look(path, errno, err);
    if (!absent)
        take_status(&secret, &status);
    return secret.path ? add(arena, probe, &secret) : -1;
}

enum { NAMES = 128, LISTED = 300 }; /* a list of names; a folder with more entries is asked name by name */

/* Which names, or the first folder of which, are in a folder? One list of it costs less than a hundred look-ups, most
 * of them in vain. */
static void list_names(const struct folder *folder, const char *const *names, bool there[NAMES]) {
    autoclose int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct entries entries = {.fd = fd};
    const struct entry *entry = NULL;
    int count = 0;
    memset(there, 0, NAMES * sizeof *there);
    while (fd >= 0 && count++ < LISTED && (entry = entries_next(&entries)))
        for (size_t i = 0; i < NAMES && names[i]; i++) {
            size_t size = strcspn(names[i], "/");
            there[i] |=
                names[i][1] == entry->name[1] && strncmp(names[i], entry->name, size) == 0 && !entry->name[size];
        }
    if (fd < 0 || entry || entries.error)
        memset(there, 1, NAMES * sizeof *there); /* maybe */
}

static int probe_folder(struct arena *arena, struct probe *probe, const struct folder *folder, const char *const *names,
                        struct error *err) {
    bool there[NAMES] = {false};
    if (folder->fd >= 0)
        list_names(folder, names, there);
    for (size_t i = 0; names[i]; i++)
        if (probe_name(arena, probe, folder, names[i], folder->fd < 0 || (i < NAMES && !there[i]), err))
            return -1;
    return 0;
}

/* A folder of the floor that isn't simply there, or that links lead to: each name by itself, from the top. */
static int probe_afar(struct arena *arena, struct probe *probe, const char *path, const char *const *names,
                      struct error *err) {
    for (size_t i = 0; names[i]; i++) {
        const char *name = arena_printf(arena, "%s/%s", path, names[i]);
        if (!name || secret_add(arena, probe, NULL, name, err))
            return -1;
    }
    return 0;
}

static int probe_home(struct arena *arena, struct probe *probe, const struct place *home, struct error *err) {
    if (!home->path || home->error || !S_ISDIR(home->mode))
        return 0;
    autoclose int top = lookup_open(AT_FDCWD, home->path);
    if (top < 0)
        return cannot_look(home->path, errno, err);
    for (const struct floor_folder *floor = floor_home; floor->path; floor++) {
        autoclose int fd = *floor->path ? lookup_open(top, floor->path) : fcntl(top, F_DUPFD_CLOEXEC, 3);
        int error = fd < 0 ? errno : 0;
        const char *slash = *floor->path && strcmp(home->path, "/") != 0 ? "/" : "";
        struct folder folder = {fd, arena_printf(arena, "%s%s%s", home->path, slash, floor->path)};
        if (!folder.path)
            return -1;
        if (error && error != ENOENT && error != ENOTDIR && error != EACCES && error != ELOOP)
            return cannot_look(folder.path, error, err);
        if (error == ELOOP ? probe_afar(arena, probe, folder.path, floor->names, err)
                           : probe_folder(arena, probe, &folder, floor->names, err))
            return -1;
    }
    return 0;
}

/* A line of the floor in /etc: one that the caller can't open is held by its mode; a root caller's is that of others
 * in the box, unless root is kept. */
static int probe_system_line(struct arena *arena, struct probe *probe, const char *path, struct error *err) {
    struct stat status;
    if (access(path, R_OK) && (errno != EACCES || access(path, X_OK)))
        return resolve_absent(errno) ? 0 : cannot_look(path, errno, err);
    if (stat(path, &status))
        return cannot_look(path, errno, err);
    if (!S_ISDIR(status.st_mode) && access(path, R_OK))
        return errno == EACCES ? 0 : cannot_look(path, errno, err);
    size_t before = probe->secrets.count;
    if (secret_add(arena, probe, NULL, path, err))
        return -1;
    for (size_t i = before; i < probe->secrets.count; i++) {
        struct secret *secret = &probe->secrets.at[i];
        secret->closed = probe->outer_root && !(secret->mode & (S_ISDIR(secret->mode) ? 0005 : 0004));
    }
    return 0;
}

/* Does another mount show some of a home? */
static bool is_aliased(const struct probe *probe, const struct place *home) {
    return home->path && !home->error && names_shared(&probe->mounts, home->path);
}

static int probe_denial(struct arena *arena, const struct policy *policy, struct probe *probe,
                        const struct denial *denial, struct expanded *so_far, struct error *err) {
    const char *word = denial->word, *here = probe->current.path && !probe->current.error ? probe->current.path : NULL;
    if (word[0] != '/') {
        const char *folder = here ? pattern_escape(arena, here) : NULL;
        if (!here)
            return error_set(err, EXIT_USAGE, "%s: a relative path, and there is no current folder; write it in full",
                             denial->origin);
        if (!folder || !(word = arena_printf(arena, "%s/%s", folder, word)))
            return -1;
    }
    if (text_add(arena, &probe->denials, word))
        return -1;
    if (pattern_has_wildcard(word))
        return expand(arena, policy, probe, denial, word, so_far, err);
    if (++so_far->paths > EXPAND_PATHS_MAX)
        return error_set(err, EXIT_USAGE, "%s: more than %d paths are denied; name folders that hold them",
                         denial->origin, EXPAND_PATHS_MAX);
    const char *path = pattern_path(arena, word);
    return path ? secret_add(arena, probe, denial->origin, path, err) : -1;
}

int probe_secrets(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err) {
    struct expanded so_far = {0};
    bool same = probe->home.path && probe->account_home.path && strcmp(probe->home.path, probe->account_home.path) == 0;
    probe->aliased = is_aliased(probe, &probe->home) || is_aliased(probe, &probe->account_home);
    for (size_t i = 0; i < policy->denials.count; i++)
        if (probe_denial(arena, policy, probe, &policy->denials.at[i], &so_far, err))
            return -1;
    for (size_t i = 0; floor_system[i]; i++)
        if (probe_system_line(arena, probe, floor_system[i], err))
            return -1;
    if (probe_home(arena, probe, &probe->home, err))
        return -1;
    return same ? 0 : probe_home(arena, probe, &probe->account_home, err);
}
