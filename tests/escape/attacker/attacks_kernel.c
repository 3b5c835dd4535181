/* Attacks on the surface of the kernel: calls by number, foreign entries, namespaces, filters, capabilities, terminals
 * (touching). `call` does the call as it is; `reach` asks only whether it got past every permission check. */
#include "attacker.h"
#include "calls_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    X32_BIT = 0x40000000,
    PTY_UNLOCK = 0x40045431,
    TERMINAL_MAKE_CONTROLLING = 0x540e,
    LANDLOCK_RIGHT_EXECUTE = 1,
    LAYERS_TRIED = 64,
};

static const unsigned long PTY_NUMBER = 0x80045430;

static char scratch[4096] __attribute__((aligned(4096)));

/* Up to six arguments after the number: numbers, @ for the address of a page of zeros, =TEXT for that of the text. */
static void arguments_read(int count, char **words, long arguments[6]) {
    memset(arguments, 0, 6 * sizeof *arguments);
    for (int i = 0; i < count && i < 6; i++)
        arguments[i] = words[i][0] == '@'   ? (long)(uintptr_t)scratch
                       : words[i][0] == '=' ? (long)(uintptr_t)(words[i] + 1)
                                            : number_of(words[i]);
}

static long call_make(int count, char **words) {
    long a[6];
    arguments_read(count - 1, words + 1, a);
    return syscall(number_of(words[0]), a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int call_number(int count, char **words) {
    return report(call_make(count, words));
}

/* ok when the kernel itself judged the arguments, whatever it thought of them. */
static int call_reach(int count, char **words) {
    const long result = call_make(count, words);
    if (result < 0 && (errno == EPERM || errno == ENOSYS))
        return report_errno(errno);
    return result < 0 ? report_ok("errno %d", errno) : report_ok("%ld", result);
}

/* A number with bits set above the 32 that the kernel looks at. */
static int call_high_number(int count, char **words) {
    long a[6];
    arguments_read(count - 1, words + 1, a);
    long result = number_of(words[0]) | 1L << 32;
    register long r10 __asm__("r10") = a[3];
    __asm__ volatile("syscall" : "+a"(result) : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10) : "rcx", "r11", "memory");
    if (result < 0) {
        errno = (int)-result;
        result = -1;
    }
    return report(result);
}

static int call_int80(int count, char **words) {
    (void)count;
    int result = (int)number_of(words[0]);
    __asm__ volatile("int $0x80" : "+a"(result) : "b"(0), "c"(0), "d"(0) : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? report_errno(-result) : report_ok("%d", result);
}

/* ENOSYS of a kernel that has no x32 counts as arrived. */
static int call_x32(int count, char **words) {
    (void)count;
    const long result = syscall(number_of(words[0]) | X32_BIT, 0L, 0L, 0L);
    return result >= 0 || errno == ENOSYS ? report_ok("arrived") : report_errno(errno);
}

static int child_wait(long child) {
    int status = 0;
    if (child < 0)
        return report(child);
    if (waitpid((pid_t)child, &status, __WALL) < 0)
        return report(-1);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? report_ok("child") : report_errno(ECHILD);
}

static int clone_flags(int count, char **words) {
    (void)count;
    const long child = syscall(CALL_CLONE, number_of(words[0]) | SIGCHLD, 0L, 0L, 0L, 0L);
    if (child == 0)
        _exit(0);
    return child_wait(child);
}

static int clone3_flags(int count, char **words) {
    (void)count;
    uint64_t arguments[11] = {[0] = (uint64_t)number_of(words[0]), [4] = SIGCHLD};
    const long child = syscall(CALL_CLONE3, arguments, 64L);
    if (child == 0)
        _exit(0);
    return child_wait(child);
}

static int setns_own(int count, char **words) {
    (void)count;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/ns/%s", words[0]);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : syscall(CALL_SETNS, fd, 0L));
}

static int setns_pidfd(int count, char **words) {
    (void)count;
    const long fd = syscall(CALL_PIDFD_OPEN, syscall(CALL_GETPID), 0L);
    return report(fd < 0 ? fd : syscall(CALL_SETNS, fd, number_of(words[0])));
}

static int bpf_map(int count, char **words) {
    (void)count, (void)words;
    union bpf_attr wanted = {0};
    wanted.map_type = BPF_MAP_TYPE_ARRAY, wanted.key_size = 4, wanted.value_size = 4, wanted.max_entries = 1;
    return report(syscall(CALL_BPF, (long)BPF_MAP_CREATE, &wanted, sizeof wanted));
}

static int perf_event(int count, char **words) {
    (void)count, (void)words;
    struct perf_event_attr wanted = {.type = PERF_TYPE_SOFTWARE,
                                     .size = sizeof wanted,
                                     .exclude_kernel = 1,
                                     .exclude_hv = 1,
                                     .config = PERF_COUNT_SW_TASK_CLOCK};
    return report(syscall(CALL_PERF_EVENT_OPEN, &wanted, 0L, -1L, -1L, 0L));
}

static int uring_setup(int count, char **words) {
    (void)count, (void)words;
    return report(syscall(CALL_IO_URING_SETUP, 4L, scratch));
}

/* Writes a thread's capability sets; with no capability every bit that is asked for is refused. */
static int capability_raise(int count, char **words) {
    (void)count;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}, {0}};
    const unsigned bit = (unsigned)number_of(words[0]);
    data[bit / 32].permitted = data[bit / 32].effective = 1U << bit % 32;
    return report(syscall(CALL_CAPSET, &header, data));
}

static int filter_install(unsigned flags) {
    struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return report(syscall(CALL_SECCOMP, (long)SECCOMP_SET_MODE_FILTER, (long)flags, &program));
}

static int filter_stack(int count, char **words) {
    return filter_install(count > 0 ? (unsigned)number_of(words[0]) : 0);
}

static int filter_sizes(int count, char **words) {
    (void)count, (void)words;
    return report(syscall(CALL_SECCOMP, 3L, 0L, scratch));
}

/* Puts Landlock layers on itself until the kernel refuses, and reports that errno after the number of layers. */
static int landlock_stack(int count, char **words) {
    (void)count, (void)words;
    const uint64_t handled = LANDLOCK_RIGHT_EXECUTE;
    const long ruleset = syscall(CALL_LANDLOCK_CREATE_RULESET, &handled, sizeof handled, 0L);
    if (ruleset < 0)
        return report(-1);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (int layers = 0; layers < LAYERS_TRIED; layers++) {
        if (syscall(CALL_LANDLOCK_RESTRICT_SELF, ruleset, 0L) < 0)
            return errno == E2BIG ? report_ok("%d layers, then E2BIG", layers) : report_errno(errno);
    }
    return report_ok("%d layers", LAYERS_TRIED);
}

static int ioctl_make(int count, char **words) {
    (void)count;
    return report(syscall(CALL_IOCTL, number_of(words[0]), number_of(words[1]), scratch));
}

static int ioctl_reach(int count, char **words) {
    (void)count;
    const long result = syscall(CALL_IOCTL, number_of(words[0]), number_of(words[1]), scratch);
    return result < 0 && errno == EPERM ? report_errno(errno) : report_ok("errno %d", result < 0 ? errno : 0);
}

/* Neither ok nor an errno: a request that wasn't made must not look like one that was denied. */
static int terminal_missing(void) {
    printf("no terminal to try it on, errno %d\n", errno);
    return 3;
}

/* Opens a terminal of its own, takes it as the controlling one and makes the request on it. */
static int terminal_request(int count, char **words) {
    (void)count;
    int unlock = 0, number = 0;
    char path[32];
    const int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || syscall(CALL_IOCTL, master, (long)PTY_UNLOCK, &unlock) < 0 ||
        syscall(CALL_IOCTL, master, PTY_NUMBER, &number) < 0)
        return terminal_missing();
    snprintf(path, sizeof path, "/dev/pts/%d", number);
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        const int slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (slave < 0 || syscall(CALL_IOCTL, slave, (long)TERMINAL_MAKE_CONTROLLING, 0L) < 0)
            _exit(terminal_missing());
        _exit(report(syscall(CALL_IOCTL, slave, number_of(words[0]), scratch)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const struct attack attacks_kernel[] = {
    {"call", call_number, "NUMBER [ARGUMENT]"},
    {"reach", call_reach, "NUMBER [ARGUMENT]"},
    {"high_number", call_high_number, "NUMBER [ARGUMENT]"},
    {"int80", call_int80, "NUMBER"},
    {"x32", call_x32, "NUMBER"},
    {"clone_flags", clone_flags, "FLAGS"},
    {"clone3_flags", clone3_flags, "FLAGS"},
    {"setns_own", setns_own, "KIND"},
    {"setns_pidfd", setns_pidfd, "FLAGS"},
    {"bpf_map", bpf_map, ""},
    {"perf_event", perf_event, ""},
    {"uring_setup", uring_setup, ""},
    {"capability_raise", capability_raise, "BIT"},
    {"filter_stack", filter_stack, "[FLAGS]"},
    {"filter_sizes", filter_sizes, ""},
    {"landlock_stack", landlock_stack, ""},
    {"ioctl", ioctl_make, "FD REQUEST"},
    {"ioctl_reach", ioctl_reach, "FD REQUEST"},
    {"terminal_request", terminal_request, "REQUEST"},
    {0},
};
