/* lab.h: boxes and descriptors of the hosts in lab.c. Included by that file alone. */
#ifndef PINFOLD_TESTS_LIB_LAB_H
#define PINFOLD_TESTS_LIB_LAB_H

#include <pinfold.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int said; /* where results are told: 1 may be closed */

static _Noreturn __attribute__((format(printf, 1, 2))) void wrong(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vdprintf(said, format, list);
    va_end(list);
    dprintf(said, "\n");
    _exit(1);
}

static struct pinfold *pinfold;

static struct pinfold_box *start(const char *script, int out) {
    const char *const arguments[] = {"sh", "-c", script, NULL};
    struct pinfold_run run = PINFOLD_RUN_INIT;
    struct pinfold_error err;
    struct pinfold_box *box;
    run.arguments = arguments;
    run.standard[1] = out;
    if (pinfold_box_start(pinfold, &run, &box, &err))
        wrong("%s: %d %s", script, err.status, err.text);
    return box;
}

static void expect(struct pinfold_box *box, const char *outcome, int status) {
    if (pinfold_box_wait(box, 30000) != 1)
        wrong("no end within 30 s");
    const struct pinfold_result *result = pinfold_box_result(box);
    if (!result || strcmp(result->outcome, outcome) != 0 || result->exit != status)
        wrong("%s %d, expected %s %d: %s", result ? result->outcome : "none", result ? result->exit : -1, outcome,
              status, result ? result->error : "");
    bool killed = strcmp(outcome, "killed") == 0;
    if (!result->receipt != killed || strcmp(result->confined, killed ? "unknown" : "full") != 0)
        wrong("%s: receipt %s, confined %s", outcome, result->receipt ? "there" : "missing", result->confined);
    pinfold_box_free(box);
}

/* A box whose command is up: it has written a line to the pipe. */
static struct pinfold_box *start_up(const char *script) {
    int out[2];
    char byte;
    if (pipe2(out, O_CLOEXEC))
        wrong("pipe");
    struct pinfold_box *box = start(script, out[1]);
    close(out[1]);
    if (read(out[0], &byte, 1) != 1)
        wrong("the command is not up");
    close(out[0]);
    return box;
}

static const char stubborn[] = "trap '' HUP INT TERM PIPE; echo up; while :; do sleep 0.05; done";

/* The open descriptors as a set; `others`: those that are not in it must be close-on-exec and 3 or above. */
static void descriptors(bool *set, const bool *others) {
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fd == dirfd(folder) || fd >= 4096)
            continue;
        set[fd] = true;
        if (others && !others[fd] && (fd < 3 || fcntl(fd, F_GETFD) != FD_CLOEXEC))
            wrong("descriptor %d is below 3 or not close-on-exec", fd);
    }
    closedir(folder);
}

static void same_descriptors(const bool *before) {
    bool now[4096] = {0};
    descriptors(now, NULL);
    for (int i = 0; i < 4096; i++)
        if (now[i] != before[i])
            wrong("descriptor %d was %s", i, now[i] ? "left open" : "closed");
}

#endif
