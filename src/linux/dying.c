/* dying.c (touching: /proc). See dying.h. */
#include "linux/dying.h"

#include "base/fd.h"
#include "linux/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECONDS = 20, EXITING = 0x4 /* PF_EXITING */ };

/* A file of a process, as text. 0: it is gone. */
static size_t read_file(int proc, const char *pid, const char *file, char *text, size_t room) {
    char path[48];
    snprintf(path, sizeof path, "%.20s/%s", pid, file);
    autoclose int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : fd_read_all(fd, text, room - 1);
    text[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

/* Has its end begun? A zombie has ended, and a namespace's first process becomes one when all others are gone. */
static bool is_ending(int proc, const char *pid) {
    char text[1024], state;
    unsigned flags = 0;
    const char *name = read_file(proc, pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    return name && sscanf(name + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) == 2 && state != 'Z' &&
           state != 'X' && flags & EXITING;
}

static unsigned long long mask_of(const char *status, const char *field) {
    const char *at = strstr(status, field);
    return at ? strtoull(at + strlen(field), NULL, 16) : 0;
}

/* Is it the first of a namespace below, and killed or ending? */
static bool is_doomed(int proc, const char *pid) {
    char status[4096];
    if (!read_file(proc, pid, "status", status, sizeof status))
        return false;
    const char *ids = strstr(status, "\nNSpid:"), *end = ids ? strchr(ids + 1, '\n') : NULL;
    const char *state = strstr(status, "\nState:\t");
    if (!end || end - ids < 9 || memcmp(end - 2, "\t1", 2) != 0 || !memchr(ids + 8, '\t', (size_t)(end - ids - 8)))
        return false;
    const unsigned long long killed = 1ULL << (SIGKILL - 1);
    bool pending = (mask_of(status, "\nSigPnd:\t") | mask_of(status, "\nShdPnd:\t")) & killed;
    return (pending && state && state[8] != 'Z' && state[8] != 'X') || is_ending(proc, pid);
}

/* 1: there is one; -1: it can't be told. */
static int any_doomed(int proc, pid_t pinfold) {
    char name[16];
    struct entries entries = {.fd = proc};
    snprintf(name, sizeof name, "%d", (int)pinfold);
    if (pinfold > 0 && is_ending(proc, name))
        return 1;
    if (lseek(proc, 0, SEEK_SET))
        return -1;
    for (const struct entry *entry; (entry = entries_next(&entries));)
        if (entry->name[0] >= '1' && entry->name[0] <= '9' && is_doomed(proc, entry->name))
            return 1;
    errno = entries.error;
    return entries.error ? -1 : 0;
}

int dying_wait(pid_t pinfold) {
    const struct timespec pause = {0, 2000000};
    struct timespec begin, now;
    autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int any; (any = any_doomed(proc, pinfold));) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (any < 0)
            return -1;
        errno = ETIMEDOUT;
        if (now.tv_sec - begin.tv_sec > SECONDS)
            return -1;
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}
