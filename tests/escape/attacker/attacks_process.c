/* Attacks on other processes: signals, tracing, memory, limits, scheduling; and processes that try to outlive the
 * run (touching). Every call is made by number; the victim is named by its pid as the attacker sees pids. */
#include "attacker.h"
#include "calls_process.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PID_MAX_TO_KILL_ALL = 100, TRACE_ATTACH = 16, TRACE_SEIZE = 0x4206, ADVICE_COLD = 20, OWNER_PID = 1 };

/* The same address in every process of this program, which is linked statically at a fixed place. */
static volatile long memory_mark[4096 / sizeof(long)] __attribute__((aligned(4096)));

static int signal_kill(int count, char **words) {
    (void)count;
    return report(syscall(CALL_KILL, number_of(words[0]), number_of(words[1])));
}

static int signal_tkill(int count, char **words) {
    (void)count;
    return report(syscall(CALL_TKILL, number_of(words[0]), number_of(words[1])));
}

static int signal_tgkill(int count, char **words) {
    (void)count;
    return report(syscall(CALL_TGKILL, number_of(words[0]), number_of(words[0]), number_of(words[1])));
}

static int signal_queue(int count, char **words) {
    (void)count;
    siginfo_t info = {.si_signo = (int)number_of(words[1]), .si_code = SI_QUEUE};
    return report(syscall(CALL_RT_SIGQUEUEINFO, number_of(words[0]), number_of(words[1]), &info));
}

static int signal_thread_queue(int count, char **words) {
    (void)count;
    const long pid = number_of(words[0]), number = number_of(words[1]);
    siginfo_t info = {.si_signo = (int)number, .si_code = SI_QUEUE};
    return report(syscall(CALL_RT_TGSIGQUEUEINFO, pid, pid, number, &info));
}

static int signal_pidfd(int count, char **words) {
    (void)count;
    const long fd = syscall(CALL_PIDFD_OPEN, number_of(words[0]), 0);
    return report(fd < 0 ? fd : syscall(CALL_PIDFD_SEND_SIGNAL, fd, number_of(words[1]), NULL, 0));
}

/* kill(-1): only where the pid shows a pid namespace of one's own, else it would end the whole session of the user. */
static int signal_everything(int count, char **words) {
    (void)count;
    if (getpid() > PID_MAX_TO_KILL_ALL) {
        fputs("usage: only in a pid namespace of its own\n", stderr);
        return 2;
    }
    return report(syscall(CALL_KILL, -1, number_of(words[0])));
}

/* Has the kernel send SIGIO to PID (or a group: a negative number), by making it the owner of a socket. */
static int signal_by_owner(int count, char **words) {
    (void)count;
    const int pid = (int)number_of(words[1]);
    struct {
        int type, pid;
    } owner = {OWNER_PID, pid};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return report(-1);
    long result = -1;
    if (!strcmp(words[0], "setown"))
        result = syscall(CALL_FCNTL, pair[0], F_SETOWN, pid);
    else if (!strcmp(words[0], "setown_ex"))
        result = syscall(CALL_FCNTL, pair[0], F_SETOWN_EX, &owner);
    else if (!strcmp(words[0], "siocspgrp"))
        result = syscall(CALL_IOCTL, pair[0], 0x8902, &pid);
    if (result < 0)
        return report(result);
    syscall(CALL_FCNTL, pair[0], F_SETSIG, SIGTERM);
    if (syscall(CALL_FCNTL, pair[0], F_SETFL, O_ASYNC | O_NONBLOCK) < 0)
        return report(-1);
    return report(write(pair[1], "x", 1));
}

static int trace_seize(int count, char **words) {
    (void)count;
    return report(syscall(CALL_PTRACE, TRACE_SEIZE, number_of(words[0]), 0, 0));
}

static int trace_attach(int count, char **words) {
    (void)count;
    return report(syscall(CALL_PTRACE, TRACE_ATTACH, number_of(words[0]), 0, 0));
}

static int memory_copy(enum call call, const char *pid) {
    long value = 1;
    struct iovec here = {&value, sizeof value}, there = {(void *)(uintptr_t)memory_mark, sizeof value};
    return report(syscall((long)call, number_of(pid), &here, 1L, &there, 1L, 0L));
}

static int memory_read(int count, char **words) {
    (void)count;
    return memory_copy(CALL_PROCESS_VM_READV, words[0]);
}

static int memory_write(int count, char **words) {
    (void)count;
    return memory_copy(CALL_PROCESS_VM_WRITEV, words[0]);
}

static int memory_advise(int count, char **words) {
    (void)count;
    struct iovec there = {(void *)(uintptr_t)memory_mark, sizeof memory_mark};
    const long fd = syscall(CALL_PIDFD_OPEN, number_of(words[0]), 0);
    return report(fd < 0 ? fd : syscall(CALL_PROCESS_MADVISE, fd, &there, 1L, ADVICE_COLD, 0L));
}

static int descriptor_take(int count, char **words) {
    (void)count;
    const long fd = syscall(CALL_PIDFD_OPEN, number_of(words[0]), 0);
    return report(fd < 0 ? fd : syscall(CALL_PIDFD_GETFD, fd, number_of(words[1]), 0));
}

static int process_compare(int count, char **words) {
    (void)count;
    return report(syscall(CALL_KCMP, syscall(CALL_GETPID), number_of(words[0]), 1L, 0L, 0L));
}

static int limit_set(int count, char **words) {
    (void)count;
    const struct rlimit low = {16, 16};
    return report(syscall(CALL_PRLIMIT64, number_of(words[0]), RLIMIT_NOFILE, &low, NULL));
}

static int affinity_set(int count, char **words) {
    (void)count;
    unsigned long first = 1;
    return report(syscall(CALL_SCHED_SETAFFINITY, number_of(words[0]), sizeof first, &first));
}

/* WHICH is process, group or user; WHO 0 is the caller's own group or user. */
static int priority_set(int count, char **words) {
    (void)count;
    const int which = !strcmp(words[0], "process") ? PRIO_PROCESS : !strcmp(words[0], "group") ? PRIO_PGRP : PRIO_USER;
    return report(syscall(CALL_SETPRIORITY, which, number_of(words[1]), 7));
}

static int io_priority_set(int count, char **words) {
    (void)count;
    const int which = !strcmp(words[0], "process") ? 1 : !strcmp(words[0], "group") ? 2 : 3;
    return report(syscall(CALL_IOPRIO_SET, which, number_of(words[1]), 3 << 13));
}

static int pages_migrate(int count, char **words) {
    (void)count;
    unsigned long nodes = 1;
    return report(syscall(CALL_MIGRATE_PAGES, number_of(words[0]), 8 * sizeof nodes, &nodes, &nodes));
}

static int pages_move(int count, char **words) {
    (void)count;
    void *page = (void *)(uintptr_t)memory_mark;
    int node = 0, status = 0;
    return report(syscall(CALL_MOVE_PAGES, number_of(words[0]), 1L, &page, &node, &status, 2L));
}

static int scheduler_set(int count, char **words) {
    (void)count;
    const struct sched_param zero = {0};
    return report(syscall(CALL_SCHED_SETSCHEDULER, number_of(words[0]), SCHED_BATCH, &zero));
}

static int scheduler_attributes_set(int count, char **words) {
    (void)count;
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } wanted = {.size = 48, .policy = SCHED_BATCH, .nice = 9};
    return report(syscall(CALL_SCHED_SETATTR, number_of(words[0]), &wanted, 0L));
}

static int file_holds(const char *folder, const char *name, const char *needle) {
    char path[300], text[65536];
    snprintf(path, sizeof path, "/proc/%s/%s", folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return size > 0 && memmem(text, (size_t)size, needle, strlen(needle)) != NULL;
}

/* Looks for NEEDLE in the FILE (environ, cmdline …) of every process but this one. */
static int process_search(int count, char **words) {
    (void)count;
    DIR *processes = opendir("/proc");
    if (!processes)
        return report(-1);
    for (const struct dirent *entry; (entry = readdir(processes));) {
        const long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && pid != getpid() && file_holds(entry->d_name, words[0], words[1]))
            return report_ok("in process %ld", pid);
    }
    return report_errno(ENOENT);
}

static int environment_read(int count, char **words) {
    (void)count;
    extern char **environ;
    const size_t length = strlen(words[0]);
    for (char **at = environ; *at; at++)
        if (!strncmp(*at, words[0], length) && (*at)[length] == '=')
            return report_ok("%s", *at);
    return report_errno(ENOENT);
}

static int core_limit_raise(int count, char **words) {
    (void)count, (void)words;
    const struct rlimit wide = {1 << 20, 1 << 20};
    return report(syscall(CALL_PRLIMIT64, 0L, RLIMIT_CORE, &wide, NULL));
}

/* Waits 60 seconds and is found by its arguments; the words after TAG are signals that it ignores. */
static int wait_tagged(int count, char **words) {
    for (int i = 1; i < count; i++)
        signal((int)number_of(words[i]), SIG_IGN);
    report_ok("%ld", (long)getpid());
    for (int i = 0; i < 600; i++)
        usleep(100000);
    return 0;
}

/* A daemon: two forks and a session of its own, standard descriptors closed; found by the TAG in its arguments. */
static int daemon_leave(int count, char **words) {
    (void)count, (void)words;
    const pid_t child = fork();
    if (child < 0)
        return report(-1);
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        sleep(60);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return report_ok("left");
}

/* Leaves a child that is hard to get rid of: no death signal, a reaper of its own, deaf, holding standard output. */
static int child_linger(int count, char **words) {
    (void)count, (void)words;
    int ready[2];
    char byte;
    if (pipe(ready))
        return report(-1);
    const pid_t child = fork();
    if (child < 0)
        return report(-1);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, 0);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_IGN);
        setsid();
        (void)!write(ready[1], "x", 1);
        for (int i = 0; i < 600; i++)
            usleep(100000);
        _exit(0);
    }
    return report(read(ready[0], &byte, 1));
}

static void *thread_make_file(void *path) {
    const int fd = open(path, O_WRONLY | O_CREAT, 0644);
    const int number = errno;
    return (void *)(intptr_t)(fd < 0 ? number : 0);
}

static void *thread_unshare(void *unused) {
    (void)unused;
    return (void *)(intptr_t)(syscall(CALL_UNSHARE, CLONE_FS | CLONE_NEWNS) < 0 ? errno : 0);
}

static int thread_try(void *(*work)(void *), void *argument) {
    pthread_t thread;
    void *number = NULL;
    if (pthread_create(&thread, NULL, work, argument) || pthread_join(thread, &number))
        return report_errno(EAGAIN);
    return number ? report_errno((int)(intptr_t)number) : report_ok("from a thread");
}

static int thread_create_file(int count, char **words) {
    (void)count;
    return thread_try(thread_make_file, words[0]);
}

static int thread_new_namespace(int count, char **words) {
    (void)count, (void)words;
    return thread_try(thread_unshare, NULL);
}

const struct attack attacks_process[] = {
    {"kill", signal_kill, "PID SIGNAL"},
    {"tkill", signal_tkill, "PID SIGNAL"},
    {"tgkill", signal_tgkill, "PID SIGNAL"},
    {"sigqueue", signal_queue, "PID SIGNAL"},
    {"thread_sigqueue", signal_thread_queue, "PID SIGNAL"},
    {"pidfd_signal", signal_pidfd, "PID SIGNAL"},
    {"kill_everything", signal_everything, "SIGNAL"},
    {"owner_signal", signal_by_owner, "HOW PID"},
    {"trace_seize", trace_seize, "PID"},
    {"trace_attach", trace_attach, "PID"},
    {"memory_read", memory_read, "PID"},
    {"memory_write", memory_write, "PID"},
    {"memory_advise", memory_advise, "PID"},
    {"descriptor_take", descriptor_take, "PID FD"},
    {"process_compare", process_compare, "PID"},
    {"limit_set", limit_set, "PID"},
    {"affinity_set", affinity_set, "PID"},
    {"priority_set", priority_set, "WHICH WHO"},
    {"io_priority_set", io_priority_set, "WHICH WHO"},
    {"pages_migrate", pages_migrate, "PID"},
    {"pages_move", pages_move, "PID"},
    {"scheduler_set", scheduler_set, "PID"},
    {"scheduler_attributes_set", scheduler_attributes_set, "PID"},
    {"process_search", process_search, "FILE NEEDLE"},
    {"environment_read", environment_read, "NAME"},
    {"core_limit_raise", core_limit_raise, ""},
    {"wait_tagged", wait_tagged, "TAG [SIGNAL]"},
    {"daemon_leave", daemon_leave, "TAG"},
    {"child_linger", child_linger, "TAG"},
    {"thread_create_file", thread_create_file, "PATH"},
    {"thread_new_namespace", thread_new_namespace, ""},
    {0},
};
