/* probe_sockets.c (touching: /proc/net/unix, readdir): unix sockets of the host that a granted root would show.
 *
 * The kernel lists a socket under the name it was bound with: absolute ones are looked up here. Relative names, and
 * sockets that were moved since or belong to another network namespace, are found only at the top of the roots; the
 * rest is what Landlock ABI 9 closes. */
#include "linux/probe.h"

#include "base/fd.h"
#include "base/lines.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/resolve.h"
#include "plan/roots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { TOP_ENTRIES = 4096 }; /* how far a root's top is looked through */

static bool is_granted(const struct probe *probe, const char *path) {
    if (!probe->workspace.error && path_is_under(path, probe->workspace.path))
        return true;
    if (probe->work_tree.path && path_is_under(path, probe->work_tree.path))
        return true;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (!probe->grants.at[i].error && path_is_under(path, probe->grants.at[i].path))
            return true;
    for (size_t i = 0; i < probe->toolchains.count; i++)
        if (probe->toolchains.at[i].kind == PIECE_TREE && path_is_under(path, probe->toolchains.at[i].place.path))
            return true;
    return roots_is_system(path);
}

static int add(struct arena *arena, struct probe *probe, const char *path) {
    for (size_t i = probe->sockets.count; i-- > 0;)
        if (strcmp(probe->sockets.at[i], path) == 0)
            return 0;
    const char *copy = arena_copy(arena, path);
    return copy ? text_add(arena, &probe->sockets, copy) : -1;
}

/* What can't be looked at may be a socket that the box would show, unless it isn't there or can't be reached from here.
 */
static void cannot_look(struct probe *probe, const char *path, int error) {
    if (!resolve_absent(error) && is_granted(probe, path))
        probe->missing[STEP_SOCKETS] = error;
}

static int add_bound(struct arena *arena, struct probe *probe, const char *name) {
    struct stat status;
    struct place place;
    if (stat(name, &status)) {
        cannot_look(probe, name, errno);
        return 0;
    }
    if (!S_ISSOCK(status.st_mode))
        return 0;
    if (resolve(arena, "/", name, &place, NULL))
        return -1;
    if (place.error)
        cannot_look(probe, name, place.error);
    return !place.error && is_granted(probe, place.path) ? add(arena, probe, place.path) : 0;
}

/* A name may hold newlines, and even what looks like the start of the next line: sun_path is short enough to try both.
 */
struct pending {
    char names[2][sizeof((struct sockaddr_un *)0)->sun_path + 1];
};

static int take_line(struct arena *arena, struct probe *probe, struct pending *pending, const char *line) {
    struct pending next = {0};
    for (int i = 0; i < 2; i++) {
        char longer[sizeof next.names[0]];
        if (!*pending->names[i] ||
            snprintf(longer, sizeof longer, "%s\n%s", pending->names[i], line) >= (int)sizeof longer)
            continue;
        memcpy(next.names[0], longer, sizeof longer);
        if (add_bound(arena, probe, longer))
            return -1;
    }
    const char *name = strchr(line, '/'); /* the fields before it are numbers; abstract names start with @ */
    if (name && name != line && name[-1] == ' ' && strlen(name) < sizeof next.names[1]) {
        bool again = strcmp(pending->names[1], name) == 0; /* each connection repeats its listener's name */
        memcpy(next.names[1], name, strlen(name) + 1);
        if (!again && add_bound(arena, probe, name))
            return -1;
    }
    *pending = next;
    return 0;
}

static int listed(struct arena *arena, struct probe *probe) {
    struct lines table;
    struct pending pending = {0};
    int failed = 0;
    if (lines_open(&table, "/proc/net/unix")) {
        probe->missing[STEP_SOCKETS] = errno;
        return 0;
    }
    for (char *line; !failed && (line = lines_next(&table));)
        failed = take_line(arena, probe, &pending, line);
    if (table.failed)
        probe->missing[STEP_SOCKETS] = EIO;
    lines_close(&table);
    return failed;
}

/* A socket file whose socket is gone, which anybody may replace? A datagram socket is asked to connect: where another
 * type is bound that is EPROTOTYPE and the other side notices nothing; where nothing is bound it is ECONNREFUSED. */
static bool is_dead(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    autoclose int file = openat(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    autoclose int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file < 0 || fd < 0)
        return false;
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", file); /* no limit on the path's length */
    return connect(fd, (struct sockaddr *)&address, sizeof address) && errno == ECONNREFUSED;
}

static int at_top(struct arena *arena, struct probe *probe, const struct place *root) {
    if (root->error || !root->path || !S_ISDIR(root->mode))
        return 0;
    autoclose int folder = openat(AT_FDCWD, root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct entries entries = {.fd = folder};
    const struct entry *entry;
    if (folder < 0)
        cannot_look(probe, root->path, errno);
    for (int count = 0; folder >= 0 && count < TOP_ENTRIES && (entry = entries_next(&entries)); count++) {
        if (entry->type != DT_SOCK && entry->type != DT_UNKNOWN)
            continue;
        char *path = arena_printf(arena, "%s/%s", root->path, entry->name);
        struct stat status;
        if (!path)
            return -1;
        if (lstat(path, &status))
            cannot_look(probe, path, errno);
        else if (S_ISSOCK(status.st_mode) && !is_dead(path) && add(arena, probe, path))
            return -1;
    }
    if (entries.error)
        cannot_look(probe, root->path, entries.error);
    return 0;
}

int probe_sockets(struct arena *arena, struct probe *probe) {
    if (listed(arena, probe) || at_top(arena, probe, &probe->workspace) || at_top(arena, probe, &probe->work_tree))
        return -1;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (!probe->grants.at[i].making && at_top(arena, probe, &probe->grants.at[i]))
            return -1;
    return 0;
}
