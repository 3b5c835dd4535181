/* probe_protect.c (touching: lstat; see search.c): what must not change in the folders that the command may change.
 *
 * Nothing here depends on how much is in them: a table of names at the top of each, and the git directory. */
#include "linux/probe.h"

#include "base/bytes.h"
#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "linux/resolve.h"
#include "linux/search.h"
#include "settle/remember.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { LINKS_DEPTH = 2, NAMES_WORTH = 128 };

static int add_root(struct search *search, const struct place *place) {
    return place->error || !place->path ? 0 : text_add(search->arena, &search->roots, place->path);
}

static int find_roots(struct search *search) {
    const struct probe *probe = search->probe;
    if (search->policy->mode.value == MODE_DIRECT && add_root(search, &probe->workspace))
        return -1;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (search->policy->grants.at[i].access == ACCESS_WRITE && add_root(search, &probe->grants.at[i]))
            return -1;
    return 0;
}

/* The names in a folder, each with its NUL; false: they can't be listed, or are too many to be worth it. */
static bool list_names(int folder, struct bytes *names) {
    autoclose int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct entries entries = {.fd = fd};
    int left = NAMES_WORTH;
    for (const struct entry *entry; fd >= 0 && left > 0 && (entry = entries_next(&entries)); left--)
        if (bytes_add(names, entry->name, strlen(entry->name) + 1))
            return false;
    return fd >= 0 && left > 0 && !entries.error;
}

static bool may_be_there(const struct bytes *names, const char *listed) {
    const char *end = names->at + names->size;
    for (const char *at = names->at; at < end; at += strlen(at) + 1)
        if (protected_begins(listed, at))
            return true;
    return false;
}

/* Those of the table that are among these; `names` NULL: each is looked for. */
static int take_table(struct search *search, const char *folder, int fd, const struct bytes *names) {
    static const struct sought configuration = {PROTECTED_CONFIGURATION, "configuration that runs code"};
    struct stat status;
    for (size_t i = 0; protected_names[i]; i++) {
        struct place place;
        if ((names && !may_be_there(names, protected_names[i])) ||
            (fstatat(fd, protected_names[i], &status, AT_SYMLINK_NOFOLLOW) && (errno == ENOENT || errno == ENOTDIR)))
            continue;
        const char *path = arena_printf(search->arena, "%s/%s", folder, protected_names[i]);
        if (!path || search_follow(search, path, configuration, &place))
            return -1;
        if (place.path && S_ISDIR(place.mode) && search_inside(search, place.path) &&
            search_links(search, place.path, LINKS_DEPTH, configuration))
            return -1;
    }
    return 0;
}

/* The names of the table that are there. */
static int take_names(struct search *search, const char *folder) {
    struct bytes names = {0};
    autoclose int fd = lookup_open(AT_FDCWD, folder);
    if (fd < 0)
        return search_failed(search, folder, errno);
    bool listed = list_names(fd, &names);
    int result = take_table(search, folder, fd, listed ? &names : NULL);
    bytes_free(&names);
    return result;
}

static int take_root(struct search *search, const char *folder) {
    struct stat status;
    if (lstat(folder, &status))
        return search_failed(search, folder, errno);
    if (!S_ISDIR(status.st_mode))
        return 0;
    if (search->policy->git.value == GIT_READONLY && search_git(search, folder))
        return -1;
    return take_names(search, folder);
}

/* What was asked for by name. */
static int take_asked(struct search *search) {
    const struct probe *probe = search->probe;
    const char *here = probe->current.path && !probe->current.error ? probe->current.path : "/nowhere";
    for (size_t i = 0; i < search->policy->protects.count; i++) {
        const struct protect *protect = &search->policy->protects.at[i];
        struct place *place = list_add(search->arena, &search->probe->protection.asked);
        if (!place || resolve(search->arena, here, protect->path, place, NULL))
            return -1;
        const struct sought sought = {PROTECTED_ASKED, protect->origin};
        if (!place->error && !place->link && search_follow(search, place->path, sought, NULL))
            return -1;
    }
    return 0;
}

/* Repositories that were met when earlier runs were settled, and are still the same. */
static int take_remembered(struct search *search) {
    struct protection *protection = &search->probe->protection;
    repository_list remembered = {0};
    for (size_t i = 0; i < search->roots.count; i++)
        if (remember_read(search->arena, search->policy->keep, search->roots.at[i], &remembered, search->err))
            return -1;
    protection->remembered.at = remembered.at;
    protection->remembered.count = remembered.count;
    for (size_t i = 0; i < remembered.count; i++) {
        const struct repository *one = &remembered.at[i];
        size_t size = strlen(one->path), end = size > 5 && strcmp(one->path + size - 5, "/.git") == 0 ? size - 5 : size;
        struct stat status;
        bool there = !lstat(one->path, &status);
        if (!there && search_failed(search, one->path, errno))
            return -1;
        if (!there || one->made || status.st_dev != one->dev || status.st_ino != one->ino)
            continue;
        const char *folder = arena_copy_bytes(search->arena, one->path, end);
        if (!folder || take_root(search, folder))
            return -1;
    }
    return 0;
}

/* Is it to be made, so that there is nothing in it? */
static bool is_empty(const struct probe *probe, const char *path) {
    for (size_t i = 0; i < probe->grants.count; i++)
        if (probe->grants.at[i].making && strcmp(probe->grants.at[i].path, path) == 0)
            return true;
    return false;
}

int probe_protect(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err) {
    struct search search = {.arena = arena, .policy = policy, .probe = probe, .err = err};
    if (find_roots(&search) || take_asked(&search))
        return -1;
    for (size_t i = 0; i < search.roots.count; i++)
        if (!is_empty(probe, search.roots.at[i]) && take_root(&search, search.roots.at[i]))
            return -1;
    if (take_remembered(&search))
        return -1;
    /* the repository around the workspace: writable in part, when another root holds it; its hooks may lie in here */
    const char *tree = search.roots.count && !probe->work_tree.error ? probe->work_tree.path : NULL;
    return tree ? take_root(&search, tree) : 0;
}
