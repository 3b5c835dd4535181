/* relay_lab.h: runs the relay in a child under a system call filter, with this test as caller and as command. */
#ifndef PINFOLD_TESTS_RELAY_LAB_H
#define PINFOLD_TESTS_RELAY_LAB_H

#include "supervise/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

enum { MIB = 1 << 20, LAB_PIECE_MAX = 128 * 1024, LAB_DESCRIPTORS = 256, NOT_A_STATUS = 199 };

enum lab_mode {
    LAB_PLAIN,
    LAB_BLOCKING, /* the relay can't re-open the caller's descriptors */
};

struct lab {
    pid_t pid;
    int link;
    struct relay_report report;
    struct rusage usage;
};

/* Values of <linux/seccomp.h>, which src/linux/seccomp.h hides. */
static const unsigned LAB_KILL = 0x80000000, LAB_ALLOW = 0x7fff0000;

/* The calls that a confined relay is left with. Any other kills it. */
static inline void lab_confine(void) {
    static const int calls[] = {
#ifdef SYS_poll
        SYS_poll,
#endif
        SYS_ppoll, SYS_read,  SYS_write, SYS_sendto,     SYS_recvfrom,
        SYS_lseek, SYS_ioctl, SYS_close, SYS_exit_group, SYS_restart_syscall,
    };
    enum { CALLS = sizeof calls / sizeof *calls };
    struct sock_filter code[CALLS + 3] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* seccomp_data.nr */),
    };
    for (unsigned i = 0; i < CALLS; i++)
        code[i + 1] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], (unsigned char)(CALLS - i), 0);
    code[CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, LAB_KILL);
    code[CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, LAB_ALLOW);
    struct sock_fprog program = {.len = CALLS + 3, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2 /* filter */, &program))
        _exit(NOT_A_STATUS);
}

static inline bool lab_is_stream(const struct relay_stream *streams, size_t count, int fd) {
    for (size_t i = 0; i < count; i++)
        if (streams[i].host == fd || streams[i].box == fd || streams[i].unread == fd)
            return true;
    return false;
}

static inline _Noreturn void lab_child(const struct relay_stream *streams, size_t count, enum lab_mode mode, int link,
                                       int window) {
    signal(SIGPIPE, SIG_IGN);
    for (int fd = 3; fd < LAB_DESCRIPTORS; fd++)
        if (fd != link && fd != window && !lab_is_stream(streams, count, fd))
            close(fd);
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 0;
    if (mode == LAB_BLOCKING)
        setrlimit(RLIMIT_NOFILE, &none);
    struct relay *relay = relay_open(streams, count);
    setrlimit(RLIMIT_NOFILE, &before);
    if (!relay)
        _exit(NOT_A_STATUS);
    lab_confine();
    int status = relay_run(relay, link, window) ? errno : 0;
    syscall(SYS_exit_group, status);
    abort();
}

/* The streams' descriptors belong to the relay from here on. */
static inline void lab_start(struct lab *lab, const struct relay_stream *streams, size_t count, enum lab_mode mode,
                             int window) {
    int link[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
    lab->pid = fork();
    assert_true(lab->pid >= 0);
    if (!lab->pid)
        lab_child(streams, count, mode, link[1], window);
    close(link[1]);
    lab->link = link[0];
    for (int fd = 3; fd < LAB_DESCRIPTORS; fd++)
        if (lab_is_stream(streams, count, fd))
            close(fd);
}

static inline int lab_wait(struct lab *lab) {
    int status = 0;
    assert_int_equal(wait4(lab->pid, &status, 0, &lab->usage), lab->pid);
    close(lab->link);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Wait for the report and the end. */
static inline void lab_end(struct lab *lab) {
    assert_int_equal(recv(lab->link, &lab->report, sizeof lab->report, MSG_WAITALL), sizeof lab->report);
    assert_int_equal(lab_wait(lab), 0);
}

static inline void lab_finish(struct lab *lab) {
    assert_int_equal(write(lab->link, "", 1), 1);
}

static inline struct relay_stream lab_in(enum relay_kind kind, int host, int box) {
    return (struct relay_stream){.host = host, .box = box, .unread = -1, .inward = true, .kind = kind};
}

static inline struct relay_stream lab_out(enum relay_kind kind, int box, int host) {
    return (struct relay_stream){.host = host, .box = box, .unread = -1, .kind = kind};
}

static inline void lab_pipe(int ends[2]) {
    assert_int_equal(pipe(ends), 0);
}

static inline int lab_file(void) {
    int fd = memfd_create("lab", MFD_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* ends[0] is the side of the terminal emulator, ends[1] the terminal, in raw mode. */
static inline void lab_pty(int ends[2]) {
    char path[64];
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(ends[0] >= 0);
    assert_int_equal(unlockpt(ends[0]), 0);
    assert_int_equal(ptsname_r(ends[0], path, sizeof path), 0);
    ends[1] = open(path, O_RDWR | O_NOCTTY);
    assert_true(ends[1] >= 0);
    struct termios mode;
    assert_int_equal(tcgetattr(ends[1], &mode), 0);
    cfmakeraw(&mode);
    assert_int_equal(tcsetattr(ends[1], TCSANOW, &mode), 0);
}

/* A pair through which the relay reaches the caller: ends[0] to read, ends[1] to write. */
static inline void lab_host_pair(enum relay_kind kind, int ends[2]) {
    if (kind == RELAY_TTY) {
        lab_pty(ends);
        return;
    }
    if (kind == RELAY_SOCKET)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    else
        lab_pipe(ends);
}

/* Binary, and no two stretches alike. */
static inline void lab_pattern(char *to, size_t size, uint64_t from) {
    for (size_t i = 0; i < size; i++) {
        uint64_t n = (from + i) * 0x9e3779b97f4a7c15u;
        to[i] = (char)(n >> 56 ^ n >> 24);
    }
}

/* A process that writes `size` bytes of pattern to fd, `piece` at a time. Its status is the errno that ended it. */
static inline pid_t lab_feed(int fd, size_t size, size_t piece) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid) {
        close(fd);
        return pid;
    }
    signal(SIGPIPE, SIG_IGN);
    for (int other = 3; other < LAB_DESCRIPTORS; other++)
        if (other != fd)
            close(other);
    static char bytes[LAB_PIECE_MAX];
    for (size_t done = 0; done < size;) {
        size_t part = size - done < piece ? size - done : piece;
        lab_pattern(bytes, part, done);
        for (size_t at = 0; at < part;) {
            ssize_t wrote = write(fd, bytes + at, part - at);
            if (wrote < 0)
                _exit(errno);
            at += (size_t)wrote;
        }
        done += part;
    }
    _exit(0);
}

static inline void lab_fed(pid_t pid, int expected) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

/* Read `size` bytes and compare them with the pattern at `from`. */
static inline void lab_expect(int fd, size_t size, uint64_t from) {
    static char got[64 * 1024], wanted[64 * 1024];
    for (size_t done = 0; done < size;) {
        size_t part = size - done < sizeof got ? size - done : sizeof got;
        ssize_t count = read(fd, got, part);
        assert_true(count > 0);
        lab_pattern(wanted, (size_t)count, from + done);
        assert_int_equal(memcmp(got, wanted, (size_t)count), 0);
        done += (size_t)count;
    }
}

static inline void lab_expect_end(int fd) {
    char byte;
    assert_int_equal(read(fd, &byte, 1), 0);
}

#endif
