/* owner.c (touching: stat; two files of /proc). See owner.h. */
#include "linux/owner.h"

#include "base/fd.h"
#include "base/lines.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is every id of the host known here by its own name? Then the overflow id is an id like any other. When it can't be
 * told, no. */
static bool all_ids_mapped(void) {
    struct lines lines;
    if (lines_open(&lines, "/proc/self/uid_map"))
        return false;
    char *line = lines_next(&lines);
    unsigned long inside = 1, outside = 1, count = 0;
    bool whole = line && sscanf(line, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
                 count == 4294967295UL;
    lines_close(&lines);
    return whole;
}

static unsigned long overflow_id(void) {
    struct lines lines;
    if (lines_open(&lines, "/proc/sys/kernel/overflowuid"))
        return 65534;
    char *line = lines_next(&lines);
    unsigned long id = line ? strtoul(line, NULL, 10) : 65534;
    lines_close(&lines);
    return id;
}

bool owner_unknown(uid_t owner) {
    return owner == overflow_id() && !all_ids_mapped();
}

static bool is_trusted(uid_t owner) {
    if (owner == 0)
        return true;
    return owner == getuid() && !owner_unknown(owner);
}

int owner_check(const char *path, const struct stat *status, struct error *err) {
    char shown[1024];
    path_show(path, shown, sizeof shown);
    if (!is_trusted(status->st_uid)) {
        if (owner_unknown(status->st_uid))
            return error_set(err, EXIT_USAGE,
                             "%s: its owner has no id in this user namespace, so it may be anybody's; a policy must be "
                             "root's or your own; run pinfold outside of this box or container",
                             shown);
        return error_set(err, EXIT_USAGE,
                         "%s belongs to uid %lu, who can change what a policy says; a policy and the folders above it "
                         "must be root's or your own: chown %lu '%s', or put the policy elsewhere",
                         shown, (unsigned long)status->st_uid, (unsigned long)getuid(), shown);
    }
    unsigned others = status->st_mode & (S_IWGRP | S_IWOTH);
    if (!others || S_ISLNK(status->st_mode) ||
        (S_ISDIR(status->st_mode) && status->st_mode & S_ISVTX && status->st_uid == 0))
        return 0;
    return error_set(err, EXIT_USAGE,
                     "%s can be changed by %s (mode %04o), and with it what a policy says; type: "
                     "chmod %s-w '%s'",
                     shown, others & S_IWOTH ? "every user" : "its group", (unsigned)status->st_mode & 07777,
                     others == (S_IWGRP | S_IWOTH) ? "go"
                     : others & S_IWOTH            ? "o"
                                                   : "g",
                     shown);
}

int owner_check_above(const char *path, struct error *err) {
    char folder[PATH_MAX];
    struct stat status;
    size_t size = strlen(path);
    if (size >= sizeof folder || path[0] != '/')
        return error_set(err, EXIT_USAGE, "the path of a policy is too long");
    for (size_t end = 0; end < size; end++) {
        if (path[end] != '/')
            continue;
        memcpy(folder, path, end ? end : 1);
        folder[end ? end : 1] = '\0';
        if (lstat(folder, &status)) {
            char shown[1024];
            return error_set(err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked at (%s)",
                             path_show(folder, shown, sizeof shown), error_name(errno));
        }
        if (owner_check(folder, &status, err))
            return -1;
    }
    return 0;
}
