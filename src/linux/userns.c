/* userns.c (touching: /proc/PID, setresuid). See userns.h.
 *
 * A user's box maps its own uid and gid, one to one: all that an ordinary user may. A root caller's box maps 65536 ids
 * to host ids that nobody has, so that inside looks like outside and is nobody outside. */
#include "linux/userns.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_file(pid_t pid, const char *name, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    autoclose int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? -1 : fd_write_all(fd, text, strlen(text));
}

int userns_map(const struct plan *plan, pid_t pid) {
    char uids[64], gids[64];
    if (plan->root_mapped) {
        snprintf(uids, sizeof uids, "0 %u %u\n", plan->id_base, plan->id_count);
        snprintf(gids, sizeof gids, "0 %u %u\n", plan->id_base, plan->id_count);
    } else {
        snprintf(uids, sizeof uids, "%u %u 1\n", plan->probe->uid, plan->probe->uid);
        snprintf(gids, sizeof gids, "%u %u 1\n", plan->probe->gid, plan->probe->gid);
    }
    /* setgroups is denied for good, where groups can't be dropped from a map of one id */
    if (!plan->root_mapped && write_file(pid, "setgroups", "deny") && errno != ENOENT)
        return -1;
    return write_file(pid, "gid_map", gids) || write_file(pid, "uid_map", uids) ||
                   write_file(pid, "oom_score_adj", "1000\n")
               ? -1
               : 0;
}

int userns_enter(const struct plan *plan) {
    if (!plan->root_mapped)
        return 0;
    return setgroups(0, NULL) || setresgid(0, 0, 0) || setresuid(0, 0, 0) ? -1 : 0;
}
