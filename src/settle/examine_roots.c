/* examine_roots.c (touching: lstat). See examine.h: all folders that the command could change. */
#include "settle/examine_parts.h"

#include "base/path.h"

#include <fcntl.h>
#include <string.h>

bool examine_in_another(const struct run *run, size_t index) {
    const char *path = run->roots.at[index].path;
    for (size_t i = 0; i < run->roots.count; i++)
        if (i != index && path_is_under(path, run->roots.at[i].path) &&
            (strcmp(path, run->roots.at[i].path) != 0 || i < index))
            return true;
    return false;
}

/* Moved away, by the host or by another box that may change the folder around it, it would be looked for in vain. */
static int check_root(const struct examine *examine, const struct thing *root) {
    struct stat status;
    char shown[1024];
    if (!lstat(root->path, &status) && status.st_dev == root->dev && status.st_ino == root->ino)
        return 0;
    examine->out->gone = true;
    return error_set(examine->err, EXIT_USAGE,
                     "%s was moved or replaced during the run, so what the command left in it isn't found; look at it "
                     "before you use it",
                     path_show(root->path, shown, sizeof shown));
}

/* Is a root that lies in another still where it was? The command can move a folder above it. */
static bool is_lost(const struct run *run, size_t index) {
    const struct thing *root = &run->roots.at[index];
    struct stat status;
    return examine_in_another(run, index) &&
           (lstat(root->path, &status) || status.st_dev != root->dev || status.st_ino != root->ino);
}

/* It is a root where it is now, too. */
static int find_lost(void *context, const struct scanned *scanned, const char *name, uint64_t inode) {
    struct examine *examine = context;
    const struct run *run = examine->run;
    struct stat status;
    for (size_t i = 0; i < run->roots.count; i++) {
        const char *path = inode == run->roots.at[i].ino && is_lost(run, i) &&
                                   !fstatat(scanned->fd, name, &status, AT_SYMLINK_NOFOLLOW) &&
                                   status.st_dev == run->roots.at[i].dev
                               ? arena_printf(examine->arena, "%s/%s", scanned->path, name)
                               : "";
        if (!path || (*path && examine_top(examine, path, false, true)))
            return path ? -1 : error_memory(examine->err);
    }
    return 0;
}

/* All below one root. What is in a folder is known only to those to whom its time tells all changes. */
static int scan_root(const struct examine *examine, struct scan *scan, const char *root) {
    struct listings listings;
    bool help = !examine->run->by_content && !scan->child;
    scan->listings = NULL;
    if (help) {
        listings_read(&listings, examine->policy->keep, root);
        scan->listings = &listings;
    }
    int result = scan_tree(scan, root);
    if (help && !result)
        listings_write(&listings);
    if (help)
        listings_free(&listings);
    return result;
}

static int look(struct examine *examine) {
    const struct run *run = examine->run;
    struct scan scan = {.context = examine,
                        .folder = examine_git,
                        .closed = examine_closed,
                        .skip = examine_skip,
                        .oddity = examine_oddity,
                        .err = examine->err};
    for (size_t i = 0; i < run->roots.count && !examine->recording; i++)
        if (is_lost(run, i))
            scan.child = find_lost;
    for (size_t i = 0; i < run->roots.count; i++)
        if (!examine_in_another(run, i) &&
            (check_root(examine, &run->roots.at[i]) || scan_root(examine, &scan, run->roots.at[i].path)))
            return -1;
    for (size_t i = 0; i < examine->later.count; i++) {
        const struct later *one = &examine->later.at[i];
        if (examine_named(examine, one->path, one->whole) ||
            (one->top && examine_top(examine, one->path, run->protects && one->held, false)))
            return -1;
    }
    for (size_t i = 0; i < run->roots.count; i++)
        if (examine_top(examine, run->roots.at[i].path, run->protects, true))
            return -1;
    examine->out->folders += scan.folders;
    examine->out->unseen += scan.unseen;
    return 0;
}

int examine_roots(struct examine *examine) {
    int result = look(examine);
    examine_close(examine);
    return result;
}
