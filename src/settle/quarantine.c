/* quarantine.c (touching: moves files). See quarantine.h. Here: putting aside; quarantine_list.c has the rest. */
#include "settle/quarantine.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/store.h"
#include "settle/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { TRIES = 1000 };

static int cannot_keep(const char *path, const char *why, int error, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_USAGE, "%s %s, and can't be put aside (%s); look at it before you use its folder",
                     path_show(path, shown, sizeof shown), why, error_name(error));
}

/* The folder of this run. */
static int make_folder(struct quarantine *quarantine, struct error *err) {
    char when[24];
    time_t now = time(NULL);
    struct tm parts;
    autoclose int store = store_open(quarantine->state, "quarantine", true, err);
    if (store < 0)
        return err->status ? -1 : error_set(err, EXIT_USAGE, "there is no place for a quarantine");
    if (!gmtime_r(&now, &parts) || !strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &parts))
        strcpy(when, "unknown");
    for (int try = 0; try < TRIES; try++) {
        snprintf(quarantine->name, sizeof quarantine->name, "%s-%d%s%.0d", when, (int)getpid(), try ? "-" : "", try);
        if (!mkdirat(store, quarantine->name, 0700)) { /* and not by the umask */
            bool closed = fchmodat(store, quarantine->name, 0700, 0) != 0;
            quarantine->folder =
                closed ? -1 : openat(store, quarantine->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            return quarantine->folder < 0 ? store_cannot("quarantine", errno, err) : 0;
        }
        if (errno != EEXIST)
            break;
    }
    return store_cannot("quarantine", errno, err);
}

/* Told before it is moved: a thing that isn't there is no harm, one that nobody knows of is. */
static int note(const struct quarantine *quarantine, const char *path, const char *why) {
    char text[24];
    autoclose int fd =
        openat(quarantine->folder, "items", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    snprintf(text, sizeof text, "%u", quarantine->items);
    return fd < 0 || fchmod(fd, 0600) || fd_write_all(fd, text, strlen(text) + 1) ||
                   fd_write_all(fd, path, strlen(path) + 1) || fd_write_all(fd, why, strlen(why) + 1)
               ? -1
               : 0;
}

static int move(int at, const char *name, int folder, const char *number) {
    if (!renameat(at, name, folder, number))
        return 0;
    if (errno != EXDEV)
        return -1;
    if (!copy_tree(at, name, folder, number))
        return copy_remove(at, name);
    int saved = errno;
    (void)!copy_remove(folder, number); /* a part of it is of no use, and may fill the disk */
    errno = saved;
    return -1;
}

/* The command may have taken the owner's own right to move it. */
static int move_anyway(int at, const char *name, int folder, const char *number) {
    struct stat above, status;
    if (!move(at, name, folder, number))
        return 0;
    if ((errno != EACCES && errno != EPERM) || fstat(at, &above) || fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW))
        return -1;
    bool closed = (above.st_mode & 0700) != 0700;
    if (closed && fchmod(at, (above.st_mode & 07777) | 0700))
        return -1;
    int result = S_ISDIR(status.st_mode) ? lookup_allow(at, name, 0700) : 0;
    result = result || move(at, name, folder, number) ? -1 : 0;
    int saved = errno;
    if (closed)
        (void)!fchmod(at, above.st_mode & 07777);
    errno = saved;
    return result;
}

int quarantine_put(struct quarantine *quarantine, int at, const char *name, const char *path, const char *why,
                   unsigned *item, struct error *err) {
    char number[16];
    *item = 0;
    if (quarantine->folder < 0 && make_folder(quarantine, err))
        return -1;
    quarantine->items++;
    if (note(quarantine, path, why))
        return cannot_keep(path, why, errno, err);
    snprintf(number, sizeof number, "%u", quarantine->items);
    if (move_anyway(at, name, quarantine->folder, number)) {
        struct stat status;
        int error = errno;
        bool gone = error == ENOENT && fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
        return gone ? 0 : cannot_keep(path, why, error, err);
    }
    *item = quarantine->items;
    return 0;
}

void quarantine_close(struct quarantine *quarantine) {
    fd_close(&quarantine->folder);
}
