/* Unit tests of supervise/tie: what can be a tie, when it has ended, and which bytes are orders. */
#include "supervise/tie.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int add(struct tie *tie, int fd) {
    struct error err = {0};
    char value[32];
    snprintf(value, sizeof value, "fd:%d", fd);
    int result = tie_add(tie, value, &err);
    assert_int_equal(err.status, result ? EXIT_USAGE : 0);
    return result;
}

/* One poll; has it ended? */
static bool ended(struct tie *tie, struct order *orders, size_t *count) {
    struct pollfd wait[TIES];
    assert_int_equal(tie_watch(tie, wait), tie->count);
    assert_true(poll(wait, 1, 0) >= 0);
    return tie_take(tie, 0, wait[0].revents, orders, count);
}

static void pipes_end_with_their_last_writer(void **state) {
    (void)state;
    struct tie tie = {0};
    struct order orders[ORDERS];
    size_t count = 9;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int other = dup(ends[1]);
    assert_int_equal(add(&tie, ends[0]), 0);
    assert_int_equal(fcntl(ends[0], F_GETFD), FD_CLOEXEC);
    assert_int_equal(write(ends[1], "\x0f", 1), 1); /* bytes in a pipe are nobody's orders */
    assert_false(ended(&tie, orders, &count));
    assert_int_equal(count, 0);
    close(ends[1]);
    assert_false(ended(&tie, orders, &count));
    close(other);
    assert_true(ended(&tie, orders, &count));
    assert_false(ended(&tie, orders, &count)); /* told once */
    close(ends[0]);
}

static void sockets_carry_orders(void **state) {
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tie tie = {0};
        struct order orders[ORDERS];
        size_t count = 9;
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, types[i], 0, ends), 0);
        assert_int_equal(add(&tie, ends[0]), 0);
        assert_false(ended(&tie, orders, &count));
        const unsigned char bytes[] = {SIGTERM, 0, 128 + SIGUSR1, 65, 128, 255, 64};
        assert_int_equal(write(ends[1], bytes, sizeof bytes), sizeof bytes);
        assert_false(ended(&tie, orders, &count));
        assert_int_equal(count, 3);
        assert_true(orders[0].signal == SIGTERM && !orders[0].all);
        assert_true(orders[1].signal == SIGUSR1 && orders[1].all);
        assert_true(orders[2].signal == 64 && !orders[2].all);
        /* what was ordered before the end is still taken */
        assert_int_equal(write(ends[1], "\x09", 1), 1);
        close(ends[1]);
        assert_false(ended(&tie, orders, &count));
        assert_true(count == 1 && orders[0].signal == SIGKILL);
        assert_true(ended(&tie, orders, &count));
        close(ends[0]);
    }
}

static void more_orders_than_room_are_taken_in_turn(void **state) {
    (void)state;
    struct tie tie = {0};
    struct order orders[ORDERS];
    size_t count = 0, sum = 0;
    unsigned char many[100];
    int ends[2];
    memset(many, SIGUSR2, sizeof many);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(add(&tie, ends[0]), 0);
    assert_int_equal(write(ends[1], many, sizeof many), sizeof many);
    for (int i = 0; i < 4; i++) {
        assert_false(ended(&tie, orders, &count));
        assert_true(count <= ORDERS);
        sum += count;
    }
    assert_int_equal(sum, sizeof many);
    close(ends[0]);
    close(ends[1]);
}

static void processes_end(void **state) {
    (void)state;
    struct tie tie = {0};
    struct order orders[ORDERS];
    size_t count = 0;
    int hold[2];
    char byte;
    assert_int_equal(pipe(hold), 0);
    pid_t child = fork();
    if (!child) {
        close(hold[1]);
        _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
    }
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    assert_true(pidfd >= 0);
    assert_int_equal(add(&tie, pidfd), 0);
    assert_false(ended(&tie, orders, &count));
    close(hold[1]);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_true(ended(&tie, orders, &count)); /* a zombie has ended */
    assert_int_equal(waitpid(child, NULL, 0), child);
    struct tie late = {0};
    assert_int_equal(add(&late, pidfd), 0); /* of one that is long gone: a tie that has ended */
    assert_true(ended(&late, orders, &count));
    close(pidfd);
    close(hold[0]);
}

static void nothing_else_is_a_tie(void **state) {
    static const char *const wrong[] = {"",      "3",    "fd:",   "fd:0",      "fd:2",       "fd:-1",
                                        "fd:3x", "FD:3", "fd: 3", "fd:999999", "fd:9999999", "fd:4294967299"};
    (void)state;
    struct tie tie = {0};
    struct error err;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(tie_add(&tie, wrong[i], &err), -1);
    int ends[2], datagram = socket(AF_UNIX, SOCK_DGRAM, 0);
    int others[] = {open("/dev/null", O_RDWR), open("/", O_RDONLY), open("/proc/self/exe", O_RDONLY), open("/", O_PATH),
                    datagram};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_true(others[i] > 2);
        assert_int_equal(add(&tie, others[i]), -1);
        close(others[i]);
    }
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(add(&tie, ends[1]), -1); /* a write end: nobody would be seen to go */
    assert_int_equal(tie.count, 0);
    for (int i = 0; i < TIES; i++)
        assert_int_equal(add(&tie, ends[0]), 0);
    assert_int_equal(add(&tie, ends[0]), -1);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes_end_with_their_last_writer),
        cmocka_unit_test(sockets_carry_orders),
        cmocka_unit_test(more_orders_than_room_are_taken_in_turn),
        cmocka_unit_test(processes_end),
        cmocka_unit_test(nothing_else_is_a_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
