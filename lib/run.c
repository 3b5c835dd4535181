/* run.c (glue): from a struct pinfold_run to words and descriptors. What is in them pinfold checks, not we. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

static size_t count_of(const char *const *list) {
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

/* A caller that was compiled with a later header may ask for what is not known here. */
static int take_run(const struct pinfold_run *given, struct pinfold_run *run, struct pinfold_error *err) {
    if (!given || given->size != sizeof *run)
        return pinfold_fail(err, STATUS_WRONG,
                            given && given->size > sizeof *run
                                ? "struct pinfold_run is of a later version than this library"
                                : "struct pinfold_run was not set to PINFOLD_RUN_INIT");
    *run = *given;
    return 0;
}

static bool same_name(const char *one, const char *other) {
    size_t size = strcspn(one, "=");
    return size == strcspn(other, "=") && memcmp(one, other, size) == 0;
}

/* Names go to the words, values to the child's environment: words can be read by everybody. */
static int take_variables(struct launch *launch, const struct pinfold_run *run, struct pinfold_error *err) {
    const char *const *base = run->environment ? run->environment : (const char *const *)environ;
    size_t count = count_of(run->variables), kept = 0;
    launch->environment = calloc(count_of(base) + count + 1, sizeof *launch->environment);
    launch->names = calloc(count + 1, sizeof *launch->names);
    if (!launch->environment || !launch->names)
        return pinfold_fail_system(err, "begin", ENOMEM);
    for (size_t i = 0; base && base[i]; i++) {
        size_t j = 0;
        while (j < count && !same_name(base[i], run->variables[j]))
            j++;
        if (j == count)
            launch->environment[kept++] = (char *)(uintptr_t)base[i]; /* execve wants it so, and changes nothing */
    }
    for (size_t i = 0; i < count; i++) {
        size_t size = strcspn(run->variables[i], "=");
        if (!size || !run->variables[i][size])
            return pinfold_fail(err, STATUS_WRONG, "variable \"%.64s\" is not NAME=VALUE", run->variables[i]);
        launch->environment[kept++] = (char *)(uintptr_t)run->variables[i];
        launch->names[i] = strndup(run->variables[i], size);
        if (!launch->names[i])
            return pinfold_fail_system(err, "begin", ENOMEM);
    }
    return 0;
}

static int open_folder(struct launch *launch, const char *folder, struct pinfold_error *err) {
    if (!folder)
        return 0;
    struct stat status;
    launch->folder = pinfold_above(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (launch->folder >= 0 && !fstatat(launch->folder, ".", &status, 0)) /* may it be entered? */
        return 0;
    if (pinfold_is_shortage(errno))
        return pinfold_fail_system(err, "open the folder", errno);
    return pinfold_fail(err, STATUS_WRONG, "folder %.1024s: %s", folder,
                        errno == ENOENT    ? "it is not there"
                        : errno == ENOTDIR ? "not a folder"
                        : errno == EACCES  ? "its permissions, or those of a folder above it, don't let you enter it"
                                           : "can't be opened");
}

/* Two ties. By the socket come orders, and its end is that of the box's owner in the host. But a child that the host
 * forks has the socket too; the process itself is told by its pidfd. */
static int tie(struct launch *launch, struct pinfold_error *err) {
    launch->receipt = pinfold_memory_make(NULL, 0, err);
    if (launch->receipt < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, launch->tie))
        return pinfold_fail_system(err, "make a socket", errno);
    for (int i = 0; i < 2; i++)
        if ((launch->tie[i] = pinfold_above(launch->tie[i])) < 0)
            return pinfold_fail_system(err, "make a socket", errno);
    launch->host = pinfold_above((int)syscall(SYS_pidfd_open, getpid(), 0));
    if (launch->host < 0)
        return pinfold_fail_system(err, "open this process (pidfd_open)", errno);
    pinfold_launch_pass(launch, "--receipt", launch->receipt);
    pinfold_launch_pass(launch, "--tie", launch->tie[1]);
    pinfold_launch_pass(launch, "--tie", launch->host);
    return 0;
}

static void add_option(struct launch *launch, const char *option, const char *value) {
    if (value) {
        pinfold_launch_word(launch, option);
        pinfold_launch_word(launch, value);
    }
}

static void add_number(struct launch *launch, const char *option, uint64_t number, const char *unit) {
    char *text = launch->text[launch->texts++];
    snprintf(text, sizeof launch->text[0], "%llu%s", (unsigned long long)number, unit);
    add_option(launch, option, text);
}

static int add_options(struct launch *launch, const struct pinfold_run *run, struct pinfold_error *err) {
    if (run->policy && pinfold_launch_policy(launch, "--policy", run->policy, err))
        return -1;
    add_option(launch, "--workspace", run->workspace);
    add_option(launch, "--profile", run->profile);
    if (run->timeout_ms)
        add_number(launch, "--timeout", run->timeout_ms, "ms");
    for (size_t i = 0; launch->names[i]; i++)
        add_option(launch, "--env", launch->names[i]);
    /* descriptors have other numbers there: /dev/fd/N in an argument would mean one of ours */
    add_option(launch, "--fd", "none");
    for (size_t i = 0; i < run->descriptor_count; i++)
        add_number(launch, "--fd", (uint64_t)run->descriptors[i].number, "");
    pinfold_launch_word(launch, "--");
    for (size_t i = 0; run->arguments && run->arguments[i]; i++)
        pinfold_launch_word(launch, run->arguments[i]);
    return 0;
}

static int begin(struct launch *launch, const struct pinfold_run *run, const int *standard, struct pinfold_error *err) {
    size_t words = count_of(run->arguments) + 2 * count_of(run->variables) + 2 * run->descriptor_count;
    if (run->descriptor_count && !run->descriptors)
        return pinfold_fail(err, STATUS_WRONG, "descriptor_count without descriptors");
    if (take_variables(launch, run, err) || open_folder(launch, run->folder, err))
        return -1;
    return pinfold_launch_front(launch, standard, run->descriptors, run->descriptor_count, words, err);
}

int pinfold_launch_run(struct launch *launch, const struct pinfold_run *given, struct pinfold_error *err) {
    struct pinfold_run run = {0};
    if (take_run(given, &run, err))
        return -1;
    if (!count_of(run.arguments))
        return pinfold_fail(err, STATUS_WRONG, "no command: arguments is empty");
    if (begin(launch, &run, run.standard, err))
        return -1;
    pinfold_launch_word(launch, "run");
    return tie(launch, err) || add_options(launch, &run, err) ? -1 : 0;
}

int pinfold_launch_ask(struct launch *launch, const char *subcommand, const struct pinfold_run *given,
                       struct pinfold_error *err) {
    struct pinfold_run run = {0};
    launch->output = pinfold_memory_make(NULL, 0, err);
    if (launch->output < 0 || take_run(given, &run, err))
        return -1;
    const int standard[] = {run.standard[0], launch->output, run.standard[2]};
    if (begin(launch, &run, standard, err))
        return -1;
    pinfold_launch_word(launch, subcommand);
    pinfold_launch_word(launch, "--json");
    return add_options(launch, &run, err);
}
