/* tie.c (touching: the descriptors of --tie). See tie.h.
 *
 * Should: take whatever isn't plainly alive for ended. Must not: wait; read from pipes, whose other readers may be
 * boxes as well. */
#include "supervise/tie.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Other kinds of descriptors are EBADF. Asking changes nothing. */
static bool is_process(int fd) {
    siginfo_t info;
    return !waitid((idtype_t)3 /* P_PIDFD */, (id_t)fd, &info, WEXITED | WNOHANG | WNOWAIT) || errno == ECHILD;
}

static int kind_of(int fd) {
    struct stat status;
    int type = 0, flags = fcntl(fd, F_GETFL);
    socklen_t size = sizeof type;
    if (flags < 0 || (flags & O_PATH) || fstat(fd, &status))
        return -1;
    if (S_ISFIFO(status.st_mode) && (flags & O_ACCMODE) == O_RDONLY)
        return TIE_PIPE;
    if (S_ISSOCK(status.st_mode) && !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type != SOCK_DGRAM)
        return TIE_SOCKET;
    return is_process(fd) ? TIE_PROCESS : -1;
}

int tie_add(struct tie *tie, const char *value, struct error *err) {
    char shown[64];
    const char *digits = strncmp(value, "fd:", 3) == 0 ? value + 3 : "";
    size_t size = strspn(digits, "0123456789");
    int fd = size && size <= 6 && !digits[size] ? atoi(digits) : -1;
    int kind = fd < 3 ? -1 : kind_of(fd);
    if (kind < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC))
        return error_set(err, EXIT_USAGE,
                         "--tie %s: not fd:N where N, from 3 on, is the read end of a pipe, a connected socket or a "
                         "pidfd",
                         path_show(value, shown, sizeof shown));
    if (tie->count == TIES)
        return error_set(err, EXIT_USAGE, "--tie: at most %d can be given", TIES);
    tie->at[tie->count].fd = fd;
    tie->at[tie->count++].kind = (enum tie_kind)kind;
    return 0;
}

size_t tie_watch(const struct tie *tie, struct pollfd *wait) {
    for (size_t i = 0; i < tie->count; i++)
        wait[i] = (struct pollfd){tie->at[i].fd, tie->at[i].kind == TIE_PIPE ? 0 : POLLIN, 0};
    return tie->count;
}

/* false: the other end is closed, or nothing can be known of it. */
static bool read_orders(int fd, struct order *orders, size_t *count) {
    unsigned char bytes[ORDERS];
    ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    for (ssize_t i = 0; i < got; i++)
        if ((bytes[i] & 127) >= 1 && (bytes[i] & 127) <= 64)
            orders[(*count)++] = (struct order){bytes[i] & 127, bytes[i] & 128};
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool tie_take(struct tie *tie, size_t index, short revents, struct order *orders, size_t *count) {
    *count = 0;
    if (!revents || tie->at[index].fd < 0)
        return false;
    if (tie->at[index].kind == TIE_SOCKET && read_orders(tie->at[index].fd, orders, count))
        return false;
    tie->at[index].fd = -1;
    return true;
}
