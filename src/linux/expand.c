/* expand.c (touching: readdir, lstat). See expand.h. */
#include "linux/expand.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/resolve.h"
#include "plan/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct expansion {
    struct arena *arena;
    struct probe *probe;
    const char *origin, *word;
    struct pattern pattern;
    struct expanded *so_far;
    struct error *err;
};

static int refuse(const struct expansion *expansion, const char *what, const char *path, const char *instead) {
    char word[512], shown[1024];
    return error_set(expansion->err, EXIT_USAGE, "%s %s: %s %s; %s", expansion->origin,
                     path_show(expansion->word, word, sizeof word), what, path_show(path, shown, sizeof shown),
                     instead);
}

static int too_much(const struct expansion *expansion, const char *path) {
    char what[160];
    snprintf(what, sizeof what, "more than %d entries to look at, or %d paths, with all that is denied; here below",
             EXPAND_ENTRIES_MAX, EXPAND_PATHS_MAX);
    return refuse(expansion, what, path, "name a folder further down, or the paths without wildcards");
}

static int walk(struct expansion *expansion, const char *folder, uint64_t state, int depth);

/* An entry that the pattern's next component allows. */
static int take(struct expansion *expansion, const char *folder, const char *name, uint64_t state, int depth) {
    char path[PATH_MAX];
    struct stat status;
    uint64_t next = pattern_step(&expansion->pattern, state, name);
    if (!next || snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "", name) >= (int)sizeof path)
        return 0;
    if (lstat(path, &status))
        return resolve_absent(errno)
                   ? 0
                   : error_set(expansion->err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked at (%s)",
                               path, error_name(errno));
    if (pattern_matches(&expansion->pattern, next))
        return ++expansion->so_far->paths > EXPAND_PATHS_MAX
                   ? too_much(expansion, folder)
                   : secret_add(expansion->arena, expansion->probe, expansion->origin, path, expansion->err);
    return S_ISDIR(status.st_mode) ? walk(expansion, path, next, depth + 1) : 0;
}

static int walk_all(struct expansion *expansion, const char *folder, uint64_t state, int depth) {
    autoclose int fd = openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct entries entries = {.fd = fd};
    const struct entry *entry;
    int failed = 0;
    if (fd < 0 && errno == EACCES && !access(folder, X_OK))
        return refuse(
            expansion, "nobody knows what it matches in", folder,
            "that folder can't be listed, but who knows a name can open it: name the paths without wildcards");
    if (fd < 0)
        entries.error = resolve_absent(errno) ? 0 : errno; /* what can't be entered here can't be in the box */
    while (fd >= 0 && !failed && (entry = entries_next(&entries))) {
        if (entry_is_dots(entry->name))
            continue;
        if (++expansion->so_far->entries > EXPAND_ENTRIES_MAX)
            return too_much(expansion, folder);
        failed = take(expansion, folder, entry->name, state, depth);
    }
    if (entries.error)
        return error_set(expansion->err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked through (%s)",
                         folder, error_name(entries.error));
    return failed;
}

static int walk(struct expansion *expansion, const char *folder, uint64_t state, int depth) {
    enum { DEPTH_MAX = 100 }; /* each has a buffer for entries and a descriptor */
    const char *only = pattern_only(&expansion->pattern, state);
    if (depth > DEPTH_MAX)
        return too_much(expansion, folder);
    if (!only)
        return walk_all(expansion, folder, state, depth);
    const char *name = pattern_path(expansion->arena, only);
    return name ? take(expansion, folder, name, state, depth) : -1;
}

/* The word with the links before its first wildcard followed. */
static int follow(struct expansion *expansion, const char *word) {
    struct arena *arena = expansion->arena;
    size_t size = 0;
    for (size_t at = 0; word[at] == '/';) {
        size_t end = at + 1 + strcspn(word + at + 1, "/");
        const char *component = arena_copy_bytes(arena, word + at, end - at);
        if (!component)
            return -1;
        if (pattern_has_wildcard(component))
            break;
        size = at = end;
    }
    struct place place;
    const char *front = arena_copy_bytes(arena, word, size), *plain = front ? pattern_path(arena, front) : NULL;
    if (!plain || resolve(arena, "/", *plain ? plain : "/", &place, NULL))
        return -1;
    if (place.error && !resolve_absent(place.error))
        return refuse(expansion, strerror(place.error), place.path, "name a path that can be looked at");
    const char *escaped = pattern_escape(arena, strcmp(place.path, "/") ? place.path : "");
    const char *whole = escaped ? arena_printf(arena, "%s%s", escaped, word + size) : NULL;
    bool failed = !whole;
    const char *wanted = whole ? pattern_cut(arena, whole, &expansion->pattern, &failed) : NULL;
    if (failed)
        return -1;
    if (wanted)
        return refuse(expansion, wanted, "", "write it out");
    /* other names of the folders are found one by one, for each match; those of the roots aren't */
    for (size_t i = 0; i < expansion->probe->grants.count; i++) {
        const char *root = expansion->probe->grants.at[i].path;
        if (root && !path_is_under(root, place.path) && !path_is_under(place.path, root) &&
            names_meet(&expansion->probe->mounts, root, place.path))
            return refuse(expansion, "another mount shows some of that at", root,
                          "name the paths there, or without wildcards");
    }
    return 0;
}

/* Below one root of the box. */
static int expand_root(struct expansion *expansion, const struct place *root, bool writable) {
    size_t matched;
    if (!root->path || root->error)
        return 0;
    uint64_t state = pattern_walk(&expansion->pattern, root->path, &matched);
    if (matched) { /* it or something above it: refused later, as for a path */
        const char *path = arena_copy_bytes(expansion->arena, root->path, matched);
        return path ? secret_add(expansion->arena, expansion->probe, expansion->origin, path, expansion->err) : -1;
    }
    if (!state || !S_ISDIR(root->mode))
        return 0;
    if (writable)
        return refuse(expansion, "wildcards can't be held below", root->path,
                      "the command may make new matches there at any time: type --mode readonly or --mode discard, or "
                      "name folders that exist");
    return walk(expansion, root->path, state, 0);
}

int expand(struct arena *arena, const struct policy *policy, struct probe *probe, const struct denial *denial,
           const char *word, struct expanded *so_far, struct error *err) {
    struct expansion expansion = {
        .arena = arena, .probe = probe, .origin = denial->origin, .word = word, .so_far = so_far, .err = err};
    if (follow(&expansion, word) || expand_root(&expansion, &probe->workspace, policy->mode.value == MODE_DIRECT) ||
        expand_root(&expansion, &probe->work_tree, false))
        return -1;
    for (size_t i = 0; i < probe->grants.count; i++) {
        enum access access = policy->grants.at[i].access;
        if (access != ACCESS_SOCKET && expand_root(&expansion, &probe->grants.at[i], access == ACCESS_WRITE))
            return -1;
    }
    for (size_t i = 0; i < probe->system.count; i++)
        if (expand_root(&expansion, &probe->system.at[i], false))
            return -1;
    return 0;
}
