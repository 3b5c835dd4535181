/* probe_sockets.c (touching: /proc/net/unix, readdir): unix sockets of the host that a granted root would show.
 *
 * The kernel lists a socket under the name it was bound with: absolute ones are looked up here. Relative names, and
 * sockets that were moved since or belong to another network namespace, are found only at the top of the roots; the
 * rest is what Landlock ABI 9 closes. */
#include "linux/probe.h"

#include "base/path.h"
#include "linux/resolve.h"
#include "plan/roots.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TOP_ENTRIES = 4096 }; /* how far a root's top is looked through */

static bool is_granted(const struct probe *probe, const char *path) {
    if (!probe->workspace.error && path_is_under(path, probe->workspace.path))
        return true;
    if (probe->work_tree.path && path_is_under(path, probe->work_tree.path))
        return true;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (!probe->grants.at[i].error && path_is_under(path, probe->grants.at[i].path))
            return true;
    return roots_is_system(path);
}

static int add(struct arena *arena, struct probe *probe, const char *path) {
    for (size_t i = probe->sockets.count; i-- > 0;)
        if (strcmp(probe->sockets.at[i], path) == 0)
            return 0;
    const char **added = list_add(arena, &probe->sockets);
    if (!added || !(*added = arena_copy(arena, path)))
        return -1;
    return 0;
}

static int add_bound(struct arena *arena, struct probe *probe, const char *name) {
    struct stat status;
    struct place place;
    if (stat(name, &status) || !S_ISSOCK(status.st_mode))
        return 0;
    if (resolve(arena, "/", name, &place, NULL))
        return -1;
    return !place.error && is_granted(probe, place.path) ? add(arena, probe, place.path) : 0;
}

static int listed(struct arena *arena, struct probe *probe) {
    FILE *table = fopen("/proc/net/unix", "re");
    char *line = NULL, *last = NULL;
    size_t room = 0;
    ssize_t size;
    int failed = 0;
    if (!table) {
        probe->missing[STEP_SOCKETS] = errno;
        return 0;
    }
    while (!failed && (size = getline(&line, &room, table)) > 0) {
        const char *name = strchr(line, '/'); /* the fields before it are numbers; abstract names start with @ */
        if (line[size - 1] == '\n')
            line[size - 1] = '\0';
        if (!name || name[-1] != ' ' || (last && strcmp(last, name) == 0))
            continue;
        failed = add_bound(arena, probe, name);
        free(last);
        last = strdup(name);
    }
    if (ferror(table))
        probe->missing[STEP_SOCKETS] = EIO;
    free(last);
    free(line);
    fclose(table);
    return failed;
}

static int at_top(struct arena *arena, struct probe *probe, const struct place *root) {
    if (root->error || !root->path || !S_ISDIR(root->mode))
        return 0;
    DIR *folder = opendir(root->path);
    int failed = 0, count = 0;
    struct dirent *entry;
    while (folder && !failed && (entry = readdir(folder))) {
        if (++count > TOP_ENTRIES)
            break;
        if (entry->d_type != DT_SOCK && entry->d_type != DT_UNKNOWN)
            continue;
        char *path = arena_printf(arena, "%s/%s", root->path, entry->d_name);
        struct stat status;
        failed = !path || (!lstat(path, &status) && S_ISSOCK(status.st_mode) && add(arena, probe, path)) ? -1 : 0;
    }
    if (folder)
        closedir(folder);
    return failed;
}

int probe_sockets(struct arena *arena, struct probe *probe) {
    if (listed(arena, probe) || at_top(arena, probe, &probe->workspace) || at_top(arena, probe, &probe->work_tree))
        return -1;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (at_top(arena, probe, &probe->grants.at[i]))
            return -1;
    return 0;
}
