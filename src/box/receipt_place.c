/* receipt_place.c (touching: the receipt's file or descriptor). See receipt.h.
 *
 * Should: write only where the command can't; leave FILE as a whole receipt at every moment, whatever dies when. Must
 * not: follow a link, or leave the file that it writes to under its other name. A SIGKILL between the two leaves that:
 * its name is made from FILE's, and the next run with the same FILE removes it. O_TMPFILE would not help, since linkat
 * can't replace a file. Who writes to such a file holds a lock on it, so that a live one is never taken for a dead one.
 */
#include "box/receipt.h"

#include "base/digest.h"
#include "base/fd.h"
#include "linux/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum { SLOTS = 16, SLOT_NAME = 64 }; /* as many runs may be writing to one FILE at the same moment */

static int wrong(const char *receipt, const char *what, struct error *err) {
    return error_set(err, EXIT_USAGE, "--receipt %s: %s", receipt, what);
}

static int can_write(const char *receipt, const char *root, struct error *err) {
    bool numbered = strncmp(receipt, "fd:", 3) == 0;
    if (strcmp(root, "/") == 0)
        return error_set(err, EXIT_USAGE,
                         "--receipt %s: / is to be writable, so the command could write there, as everywhere; name the "
                         "folder that the command works in, such as --workspace /path/to/checkout",
                         receipt);
    return error_set(err, EXIT_USAGE,
                     "--receipt %s: the command can write there and forge it; %s a file outside %s, or use %s", receipt,
                     numbered ? "open" : "name", root, numbered ? "a pipe" : "fd:N");
}

static int cannot_tell(const char *receipt, struct error *err) {
    return error_set(err, EXIT_USAGE, "--receipt %s: can't tell whether the command could write there: %s", receipt,
                     strerror(errno));
}

/* `root` is a folder or file that the command may change. */
static int check_root(const char *receipt, int place, const char *root, struct error *err) {
    int reached = reach_from(place, root);
    return reached < 0 ? cannot_tell(receipt, err) : reached ? can_write(receipt, root, err) : 0;
}

/* A receipt that the command can write is worth nothing. `place` is its folder, or the file itself. */
static int check_policy(const struct policy *policy, int place, struct error *err) {
    char root[PATH_MAX];
    for (size_t i = 0; i <= policy->grants.count; i++) {
        bool grant = i < policy->grants.count;
        if (grant ? policy->grants.at[i].access != ACCESS_WRITE : policy->mode.value != MODE_DIRECT)
            continue;
        const char *path = grant ? policy->grants.at[i].path : policy->workspace ? policy->workspace : ".";
        /* what isn't there can't be written to; the run is refused for it later */
        if (realpath(path, root) && check_root(policy->receipt, place, root, err))
            return -1;
    }
    return 0;
}

/* A file, or a FIFO, which whoever finds it can write to as well. */
static bool has_name(const struct stat *status) {
    return S_ISREG(status->st_mode) || S_ISFIFO(status->st_mode);
}

/* By another hard link the command could write there, wherever this one is. */
static int check_links(const struct policy *policy, const struct stat *status, struct error *err) {
    return has_name(status) && status->st_nlink > 1
               ? wrong(policy->receipt,
                       "the file has other names (hard links), and the command could write there by one", err)
               : 0;
}

int receipt_guard(const struct receipt *receipt, const struct plan *plan, struct error *err) {
    struct stat status;
    const char *root;
    if (receipt->kind == RECEIPT_NONE)
        return 0;
    if (fstat(receipt->fd, &status))
        return wrong(plan->policy->receipt, strerror(errno), err);
    if (!S_ISDIR(status.st_mode) && !has_name(&status))
        return 0;
    int reached = reach_written(receipt->fd, plan, &root);
    return reached < 0 ? cannot_tell(plan->policy->receipt, err)
           : reached   ? can_write(plan->policy->receipt, root, err)
                       : 0;
}

/* Of two that can't be told apart it must be feared. */
static bool same_object(int a, int b) {
    struct stat one, other;
    if (fstat(a, &one) || fstat(b, &other))
        return errno != EBADF; /* not open */
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* It must not be something that the command is given. Devices aside: many have the terminal, or /dev/null. */
static int check_shared(const struct policy *policy, int fd, struct error *err) {
    struct stat status;
    bool shared = false;
    for (int i = 0; i <= 2; i++)
        shared |= same_object(fd, i) && (fstat(fd, &status) || !S_ISCHR(status.st_mode));
    for (size_t i = 0; i < policy->descriptors.count; i++)
        shared |= same_object(fd, policy->descriptors.at[i]);
    return shared ? wrong(policy->receipt,
                          "the command writes there too and could forge it; use a file or descriptor of its own, such "
                          "as fd:3 with 3>FILE",
                          err)
                  : 0;
}

static int open_descriptor(struct receipt *receipt, const struct policy *policy, struct error *err) {
    char *end;
    struct stat status;
    const char *digits = policy->receipt + 3;
    long number = strtol(digits, &end, 10);
    int flags = *end || end == digits || number < 1 || number > INT_MAX ? -1 : fcntl((int)number, F_GETFL);
    if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY || fstat((int)number, &status))
        return wrong(policy->receipt,
                     "not a descriptor that is open for writing; open one in the shell: --receipt fd:3 3>FILE", err);
    if (number <= 2)
        return wrong(policy->receipt,
                     "the command writes there too; use a descriptor of its own, such as fd:3 with 3>FILE", err);
    if (check_shared(policy, (int)number, err))
        return -1;
    if (check_links(policy, &status, err) || (has_name(&status) && check_policy(policy, (int)number, err)))
        return -1;
    *receipt = (struct receipt){.kind = RECEIPT_STREAM, .fd = fcntl((int)number, F_DUPFD_CLOEXEC, 3)};
    return receipt->fd < 0 ? wrong(policy->receipt, strerror(errno), err) : 0;
}

/* What stands at the name now: a file to be replaced, or something that is written to. */
static int open_name(struct receipt *receipt, const struct policy *policy, struct error *err) {
    struct stat status;
    autoclose int fd = openat(receipt->fd, receipt->name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &status))
        return wrong(policy->receipt, errno == ELOOP ? "a symbolic link, and links are not followed" : strerror(errno),
                     err);
    if (check_shared(policy, fd, err))
        return -1;
    if (S_ISREG(status.st_mode))
        return 0;
    if (check_links(policy, &status, err))
        return -1;
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK)) /* it was for the open alone: a FIFO without a reader */
        return wrong(policy->receipt, strerror(errno), err);
    close(receipt->fd);
    *receipt = (struct receipt){.kind = RECEIPT_STREAM, .fd = fd_take(&fd)};
    return 0;
}

/* The folder is opened once, looked at, and used by its descriptor: one that is swapped meanwhile changes nothing. */
static int open_file(struct receipt *receipt, const struct policy *policy, struct error *err) {
    char path[PATH_MAX];
    const char *slash = strrchr(policy->receipt, '/'), *name = slash ? slash + 1 : policy->receipt;
    size_t size = slash ? (size_t)(slash - policy->receipt) : 0;
    if (size >= sizeof path)
        return error_set(err, EXIT_USAGE, "--receipt: the path is too long");
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return wrong(policy->receipt, "this is a folder; name a file", err);
    snprintf(path, sizeof path, "%.*s", (int)size, policy->receipt);
    *receipt = (struct receipt){.kind = RECEIPT_FILE, .name = name};
    receipt->fd = open(!slash ? "." : size ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (receipt->fd < 0)
        return error_set(err, EXIT_USAGE, "--receipt %s: the folder: %s", policy->receipt, strerror(errno));
    return check_policy(policy, receipt->fd, err) || open_name(receipt, policy, err) ? -1 : 0;
}

/* The other name: of a fixed length, whatever bytes are in FILE's. */
static void slot_name(const struct receipt *receipt, int slot, char name[SLOT_NAME]) {
    char hex[65];
    digest_sha256(receipt->name, strlen(receipt->name), hex);
    snprintf(name, SLOT_NAME, ".pinfold-receipt-%.16s.%d", hex, slot);
}

static bool is_named(const struct receipt *receipt, int fd, const char *name) {
    struct stat one, other;
    return !fstat(fd, &one) && !fstatat(receipt->fd, name, &other, AT_SYMLINK_NOFOLLOW) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino && S_ISREG(other.st_mode);
}

/* Remove what a run that was killed left there. */
static void clear_slot(const struct receipt *receipt, const char *name) {
    autoclose int fd = openat(receipt->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && is_named(receipt, fd, name))
        (void)unlinkat(receipt->fd, name, 0); /* a folder that lost its rights: the next name is taken */
}

/* A new file at one of the names, locked. */
static int make_slot(const struct receipt *receipt, char name[SLOT_NAME]) {
    for (int slot = 0; slot < SLOTS; slot++) {
        slot_name(receipt, slot, name);
        clear_slot(receipt, name);
        autoclose int fd = openat(receipt->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST && errno != EINTR)
            return -1;
        /* Where there are no locks, nobody takes it for a dead one either. */
        if (fd >= 0 && (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && is_named(receipt, fd, name))
            return fd_take(&fd);
    }
    errno = EBUSY;
    return -1;
}

/* Some file systems tell only at a close that there was no room; the lock must outlive the rename. */
static int close_copy(int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return copy < 0 ? -1 : close(copy);
}

static int replace(const struct receipt *receipt, const char *text, size_t size) {
    char name[SLOT_NAME];
    autoclose int fd = make_slot(receipt, name);
    if (fd < 0)
        return -1;
    if (!fd_write_all(fd, text, size) && !close_copy(fd) && !renameat(receipt->fd, name, receipt->fd, receipt->name))
        return 0;
    int error = errno;
    (void)unlinkat(receipt->fd, name, 0);
    errno = error;
    return -1;
}

/* A pipe or socket that nobody reads from is waited for, with the caller's signals let through: a run's own are blocked
 * and no longer listened to. Parts of this size fit whenever poll says that there is room. */
static int deliver(const struct receipt *receipt, const char *text, size_t size) {
    enum { PART = 4096 /* PIPE_BUF */ };
    while (size) {
        struct pollfd room = {receipt->fd, POLLOUT, 0};
        size_t part = size < PART ? size : PART;
        if (ppoll(&room, 1, NULL, &receipt->mask) < 0 && errno != EINTR)
            return -1;
        ssize_t wrote = room.revents ? write(receipt->fd, text, part) : 0;
        if (wrote < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        text += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

int receipt_put(const struct receipt *receipt, const char *text, size_t size) {
    sigset_t now, before;
    sigemptyset(&now);
    sigaddset(&now, SIGXFSZ); /* a limit of file size and a reader that has gone are errnos, not ends */
    sigaddset(&now, SIGPIPE);
    if (sigprocmask(SIG_BLOCK, &now, &before))
        return -1;
    int failed = receipt->kind == RECEIPT_FILE ? replace(receipt, text, size) : deliver(receipt, text, size);
    int error = errno;
    struct timespec none = {0};
    while (failed && sigtimedwait(&now, NULL, &none) > 0)
        continue;
    (void)sigprocmask(SIG_SETMASK, &before, NULL); /* before the start receipt_open looks to it */
    errno = error;
    return failed ? -1 : 0;
}

static int open_place(struct receipt *receipt, const struct box *box, struct error *err) {
    const struct policy *policy = &box->policy;
    char name[SLOT_NAME];
    *receipt = (struct receipt){.kind = RECEIPT_NONE, .fd = -1};
    if (!policy->receipt)
        return 0;
    if (strncmp(policy->receipt, "fd:", 3) == 0)
        return open_descriptor(receipt, policy, err);
    if (open_file(receipt, policy, err)) {
        receipt_close(receipt);
        return -1;
    }
    for (int slot = 0; receipt->kind == RECEIPT_FILE && slot < SLOTS; slot++) {
        slot_name(receipt, slot, name);
        clear_slot(receipt, name);
    }
    if (receipt->kind == RECEIPT_FILE && receipt_begin(receipt, box)) {
        error_set(err, EXIT_USAGE,
                  "--receipt %s: the file can't be written and replaced in its folder (%s); name another, or use fd:N",
                  policy->receipt, strerror(errno));
        receipt_close(receipt);
        return -1;
    }
    return 0;
}

int receipt_open(struct receipt *receipt, const struct box *box, struct error *err) {
    sigset_t mask;
    int lost = sigprocmask(SIG_SETMASK, NULL, &mask) ? errno : 0;
    if (open_place(receipt, box, err))
        return -1;
    receipt->mask = mask;
    if (!lost && sigprocmask(SIG_SETMASK, &mask, NULL)) /* as it was, since the command gets it */
        lost = errno;
    if (!lost)
        return 0;
    receipt_close(receipt);
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: the signal mask can't be kept (%s)",
                     error_name(lost));
}

void receipt_close(struct receipt *receipt) {
    if (receipt->kind != RECEIPT_NONE)
        fd_close(&receipt->fd);
    receipt->kind = RECEIPT_NONE;
}
