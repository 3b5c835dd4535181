/* degrade RULE[,RULE…] [--] COMMAND…: execute a command under a kernel that lacks something. Glue.
 *
 * A seccomp filter gives chosen errors for chosen calls, or delays them, for the command and all that it starts. For
 * rules that count, delay or kill, a supervisor process outside the filter answers. The command takes over this process
 * (its pid is the one that the caller started), and the supervisor is no child of it.
 *
 * The execve that starts the command is exempt from the rules. Any failure, also a misspelt rule, is exit 125. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "degrade.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_DEGRADE = 125, LISTENER_UNKNOWN = -2 };

/* What the supervisor is told; memory that both have. */
struct shared {
    pid_t first; /* who becomes the command */
    int command; /* pidfd of it */
    atomic_int listener;
    atomic_bool renamed; /* the supervisor no longer shows the command's arguments */
};

static _Noreturn void die(const char *what, const char *detail) {
    fprintf(stderr, "degrade: %s%s%s\n", what, detail != NULL ? ": " : "", detail != NULL ? detail : "");
    exit(EXIT_DEGRADE);
}

static void *shared_page(size_t size) {
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        die("mmap", strerror(errno));
    return page;
}

/* The path that execvp would execute. */
static const char *command_find(const char *name, char *buffer, size_t size) {
    if (strchr(name, '/') != NULL)
        return name;
    const char *path = getenv("PATH");
    while (path != NULL && *name != '\0') {
        const char *end = strchrnul(path, ':');
        int length = snprintf(buffer, size, "%.*s/%s", (int)(end - path), path, name);
        if (end != path && length > 0 && (size_t)length < size && access(buffer, X_OK) == 0)
            return buffer;
        path = *end == ':' ? end + 1 : NULL;
    }
    die("not found in PATH", name);
}

/* fork, but with one table of descriptors: so the listener, made later by the parent, is the child's too. */
static pid_t fork_sharing_descriptors(void) {
    return (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
}

/* Wait until the parent has installed the filter, then keep nothing of it but the listener. */
static _Noreturn void supervisor_start(struct rules *rules, struct shared *shared, char **argv, int argc) {
    const struct timespec moment = {.tv_nsec = 20000};
    /* Tests look for the command's arguments in /proc: they must not be found here. */
    for (int i = 0; i < argc; i++)
        memset(argv[i], 0, strlen(argv[i]));
    atomic_store(&shared->renamed, true);
    for (int tries = 0; atomic_load(&shared->listener) == LISTENER_UNKNOWN && tries < 100000; tries++)
        nanosleep(&moment, NULL);
    struct supervised all = {.listener = 0, .command = 1, .record = -1, .first = shared->first};
    int fd = atomic_load(&shared->listener);
    if (fd < 0 || unshare(CLONE_FILES) != 0 || setsid() < 0 || chdir("/") != 0)
        _exit(EXIT_DEGRADE);
    fd = fcntl(fd, F_DUPFD, 2);
    int command = fcntl(shared->command, F_DUPFD, 2);
    if (fd < 0 || command < 0 || dup2(fd, 0) != 0 || dup2(command, 1) != 1 || syscall(SYS_close_range, 2U, ~0U, 0) != 0)
        _exit(EXIT_DEGRADE);
    if (rules->record[0] != '\0' && (all.record = open(rules->record, O_WRONLY | O_CREAT | O_TRUNC, 0644)) < 0)
        _exit(EXIT_DEGRADE);
    supervisor_run(rules, &all);
}

/* A grandchild, so that the command finds no child that it did not start. */
static void supervisor_fork(struct rules *rules, struct shared *shared, char **argv, int argc) {
    pid_t child = fork_sharing_descriptors();
    if (child == 0) {
        pid_t grandchild = fork_sharing_descriptors();
        if (grandchild == 0)
            supervisor_start(rules, shared, argv, argc);
        _exit(grandchild < 0 ? EXIT_DEGRADE : 0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0 || status != 0)
        die("cannot start the supervisor", NULL);
}

/* The command must not begin before. */
static void wait_renamed(const struct shared *shared) {
    const struct timespec moment = {.tv_nsec = 20000};
    for (int tries = 0; !atomic_load(&shared->renamed); tries++) {
        if (tries == 100000)
            die("the supervisor doesn't start", NULL);
        nanosleep(&moment, NULL);
    }
}

static bool rules_need_supervisor(const struct rules *rules) {
    bool need = false;
    for (size_t i = 0; i < rules->count; i++)
        need = need || rule_needs_supervisor(&rules->list[i]);
    return need;
}

int main(int argc, char **argv) {
    struct rules rules;
    char problem[256];
    char buffer[4096];
    extern char **environ;
    int first = argc > 2 && strcmp(argv[2], "--") == 0 ? 3 : 2;
    if (argc <= first)
        die("usage: degrade RULE[,RULE...] [--] COMMAND...", NULL);
    if (rules_parse(&rules, argv[1], problem, sizeof problem) != 0)
        die(problem, NULL);
    const char *command = command_find(argv[first], buffer, sizeof buffer);
    if (access(command, X_OK) != 0)
        die(command, strerror(errno));

    struct shared *shared = shared_page(sizeof *shared);
    atomic_store(&shared->listener, LISTENER_UNKNOWN);
    /* The address tells our own execve from all others. */
    size_t argv_size = (size_t)(argc - first + 1) * sizeof *argv;
    char **command_argv = shared_page(argv_size);
    memcpy(command_argv, argv + first, argv_size);

    if (rules_need_supervisor(&rules)) {
        shared->first = getpid();
        shared->command = (int)syscall(SYS_pidfd_open, shared->first, 0);
        if (shared->command < 0)
            die("pidfd_open", strerror(errno));
        supervisor_fork(&rules, shared, argv, argc);
        wait_renamed(shared);
    }
    int fd = -1;
    int failed = filter_install(&rules, (const char *const *)command_argv, &fd) != 0 ? errno : 0;
    atomic_store(&shared->listener, fd);
    if (failed != 0)
        die("cannot install the filter", strerror(failed));
    execve(command, command_argv, environ);
    die(command, strerror(errno));
}
