/* search.c (touching: lstat, getdents64). See search.h.
 *
 * An object can have many names, by mounts, and is held at each that lies in a writable root. Symlinks in a workspace
 * may be a command's: here they only add to what is held. */
#include "linux/search.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/resolve.h"
#include "plan/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 16384, SHOWN = 1024 };

static int cannot_look(const struct search *search, const char *path, int error) {
    char shown[SHOWN];
    return error_set(search->err, EXIT_REFUSED,
                     "refused, nothing was started: %s can't be looked at (%s), and it may have to be protected",
                     path_show(path, shown, sizeof shown), error_name(error));
}

int search_failed(const struct search *search, const char *path, int error) {
    return resolve_absent(error) ? 0 : cannot_look(search, path, error);
}

static int add_obstacle(struct search *search, enum protected_kind kind, const char *path, const char *text) {
    struct obstacle *added = text ? list_add(search->arena, &search->probe->protection.obstacles) : NULL;
    if (!added)
        return -1;
    *added = (struct obstacle){kind, path, text};
    return 0;
}

bool search_inside(const struct search *search, const char *path) {
    for (size_t i = 0; i < search->roots.count; i++)
        if (path_is_under(path, search->roots.at[i]))
            return true;
    return false;
}

static bool is_root(const struct search *search, const char *path) {
    for (size_t i = 0; i < search->roots.count; i++)
        if (strcmp(path, search->roots.at[i]) == 0)
            return true;
    return false;
}

/* The writable root that is this path, or below it; NULL: none. */
static const char *granted_below(const struct search *search, const char *path) {
    for (size_t i = 0; i < search->roots.count; i++)
        if (path_is_under(search->roots.at[i], path))
            return search->roots.at[i];
    return NULL;
}

static int add_held(struct search *search, const char *path, const struct place *place, struct sought sought) {
    struct protection *protection = &search->probe->protection;
    for (size_t i = 0; i < protection->held.count; i++)
        if (strcmp(protection->held.at[i].place.path, path) == 0)
            return 0;
    struct protected *added = list_add(search->arena, &protection->held);
    if (!added)
        return -1;
    *added = (struct protected){*place, sought.kind, sought.why};
    added->place.path = path;
    return 0;
}

/* A file that has another name can be changed by that. */
static int check_names(struct search *search, const char *path, const struct stat *status, struct sought sought) {
    char shown[SHOWN];
    if (!S_ISREG(status->st_mode) || status->st_nlink < 2)
        return 0;
    path_show(path, shown, sizeof shown);
    return add_obstacle(search, sought.kind, path,
                        arena_printf(search->arena,
                                     "%s (%s) has %lu hard links, so it could be changed by another name; give it a "
                                     "file of its own: cp -p %s %s.own && mv %s.own %s",
                                     shown, sought.why, (unsigned long)status->st_nlink, shown, shown, shown, shown));
}

/* A whole root can't be held, nor a git directory of which a part is granted. `asked`: as it was looked for; another
 * when links lead to it. *hold: nothing is in the way, and it must be held. */
static int check_root(struct search *search, const char *path, const char *asked, struct sought sought, bool *hold) {
    const char *granted = granted_below(search, path);
    bool direct = strcmp(path, asked) == 0;
    char shown[SHOWN], from[SHOWN];
    path_show(asked, from, sizeof from);
    *hold = !is_root(search, path) && (sought.kind != PROTECTED_GIT || !granted);
    if (*hold)
        return 0;
    if (sought.kind == PROTECTED_GIT && granted)
        return add_obstacle(search, sought.kind, path,
                            arena_printf(search->arena,
                                         "%s may be changed, and lies in %s (%s), which is protected; to let the "
                                         "command change git directories, type --git writable",
                                         path_show(granted, shown, sizeof shown), from, sought.why));
    if (direct && granted && sought.kind == PROTECTED_CONFIGURATION) /* by its very name */
        return 0;
    path_show(path, shown, sizeof shown);
    return add_obstacle(search, sought.kind, path,
                        arena_printf(search->arena, "%s (%s) %s %s, which the command may change as a whole; %s", from,
                                     sought.why, direct ? "is" : "leads to", shown,
                                     direct ? "to let nothing in it change, leave the grant out or type --mode readonly"
                                            : "let it lead to another folder, or remove it"));
}

/* Hold one name of an object, if the command could change it by that. */
static int hold_name(struct search *search, const char *name, const struct place *place, const char *asked,
                     struct sought sought) {
    struct stat status;
    bool holds = true;
    if (!search_inside(search, name))
        return 0;
    if (lstat(name, &status))
        return search_failed(search, name, errno);
    if (status.st_dev != place->dev || status.st_ino != place->ino)
        return 0; /* something else is mounted there */
    if (!S_ISLNK(status.st_mode) &&
        (check_root(search, name, asked, sought, &holds) || (holds && check_names(search, name, &status, sought))))
        return -1;
    return holds ? add_held(search, name, place, sought) : 0;
}

/* Where mounts show a part of what is held. */
static int hold_parts(struct search *search, const struct place *place, struct sought sought) {
    text_list points = {0};
    if (S_ISDIR(place->mode) && names_parts(search->arena, &search->probe->mounts, place->path, &points))
        return -1;
    for (size_t i = 0; i < points.count; i++) {
        struct place part;
        if (resolve(search->arena, "/", points.at[i], &part, NULL) ||
            (!part.error && hold_name(search, part.path, &part, part.path, sought)))
            return -1;
    }
    return 0;
}

/* Hold it under each name by which the command could change it. */
static int hold(struct search *search, const struct place *place, const char *asked, struct sought sought) {
    text_list names = {0};
    if (names_list(search->arena, &search->probe->mounts, place->path, &names))
        return -1;
    for (size_t i = 0; i < names.count; i++)
        if (hold_name(search, names.at[i], place, asked, sought))
            return -1;
    return hold_parts(search, place, sought);
}

static int hold_link(struct search *search, const char *path, struct sought sought) {
    struct stat status;
    if (lstat(path, &status))
        return search_failed(search, path, errno);
    if (!S_ISLNK(status.st_mode))
        return 0;
    const struct place place = {.path = path, .mode = status.st_mode, .dev = status.st_dev, .ino = status.st_ino};
    return hold(search, &place, path, sought);
}

int search_follow(struct search *search, const char *path, struct sought sought, struct place *found) {
    link_list links = {0};
    struct place place;
    if (found)
        *found = (struct place){0};
    if (resolve(search->arena, "/", path, &place, &links))
        return -1;
    for (size_t i = 0; i < links.count; i++)
        if (hold_link(search, links.at[i].path, sought))
            return -1;
    if (place.error)
        return search_failed(search, place.path, place.error);
    if (found)
        *found = place;
    return hold(search, &place, path, sought);
}

/* Does its type alone say that there is nothing to do? */
static bool is_of_no_use(const struct search *search, const struct entry *entry, int depth) {
    return (entry->type == DT_DIR && depth == 0) || (entry->type == DT_REG && search->names_only);
}

static int look_into(struct search *search, const char *folder, const struct entry *entry, int depth,
                     struct sought sought) {
    struct stat status;
    if (is_of_no_use(search, entry, depth))
        return 0;
    char *path = arena_printf(search->arena, "%s/%s", folder, entry->name);
    if (!path)
        return -1;
    if (lstat(path, &status))
        return search_failed(search, path, errno);
    if (S_ISLNK(status.st_mode))
        return search_follow(search, path, sought, NULL);
    if (S_ISDIR(status.st_mode))
        return depth > 0 ? search_links(search, path, depth - 1, sought) : 0;
    return search_inside(search, path) ? check_names(search, path, &status, sought) : 0;
}

int search_links(struct search *search, const char *folder, int depth, struct sought sought) {
    autoclose int fd = openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct entries entries = {.fd = fd};
    const struct entry *entry;
    char shown[SHOWN];
    if (fd < 0)
        return search_failed(search, folder, errno);
    while ((entry = entries_next(&entries))) {
        if (entry_is_dots(entry->name))
            continue;
        if (++search->entries > ENTRIES_MAX)
            return add_obstacle(search, sought.kind, folder,
                                arena_printf(search->arena,
                                             "%s (%s) has too many entries to look for links in it; make it smaller, "
                                             "or remove the link that leads to it",
                                             path_show(folder, shown, sizeof shown), sought.why));
        if (look_into(search, folder, entry, depth, sought))
            return -1;
    }
    return entries.error ? cannot_look(search, folder, entries.error) : 0; /* it is there */
}
