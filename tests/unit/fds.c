/* Unit tests of linux/fds, each in a forked child: exactly the descriptors that were asked for stay open. */
#include "linux/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { HIGHEST = 200 };

static int is_open(int fd) {
    return fcntl(fd, F_GETFD) >= 0;
}

/* In a child: open 0 to HIGHEST, keep these, and see that no other is left. 0, or the first wrong number plus one. */
static int kept_exactly(const int *keep, size_t count) {
    int list[16], status;
    pid_t pid = fork();
    if (pid) {
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        return WEXITSTATUS(status);
    }
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= HIGHEST; fd++)
        if (fd != null && dup2(null, fd) < 0)
            _exit(255);
    for (size_t i = 0; i < count; i++)
        list[i] = keep[i];
    if (fds_keep(list, count))
        _exit(254);
    for (int fd = 0; fd <= HIGHEST; fd++) {
        int wanted = 0;
        for (size_t i = 0; i < count; i++)
            wanted |= keep[i] == fd;
        if (wanted != is_open(fd))
            _exit(fd + 1);
    }
    _exit(0);
}

static void only_what_is_named_stays(void **state) {
    (void)state;
    static const struct {
        int keep[8];
        size_t count;
    } rows[] = {{{0, 1, 2}, 3},
                {{2, 1, 0}, 3},
                {{0}, 1},
                {{HIGHEST}, 1},
                {{5, 100, 7, 6}, 4},
                {{-1, -1, 3}, 3},
                {{4, 4, 4}, 3},
                {{-1}, 1},
                {{0, -1, 2, 2, 9}, 5},
                {{1, 3, 5, 7, 9, 11, 13, 15}, 8},
                {{HIGHEST - 1, HIGHEST}, 2},
                {{0, 199, 5000}, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(kept_exactly(rows[i].keep, rows[i].count), 0);
}

static void keeping_none_closes_all(void **state) {
    (void)state;
    int none[1] = {-1};
    assert_int_equal(kept_exactly(none, 0), 0);
}

/* fds_are in a child whose descriptors are exactly 0, 1, 2 and 7. */
static int compared_with(const int *expected, size_t count) {
    int keep[] = {0, 1, 2, 7}, status;
    pid_t pid = fork();
    if (!pid) {
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd <= 7; fd++)
            if (fd != null && dup2(null, fd) < 0)
                _exit(255);
        if (fds_keep(keep, 4))
            _exit(254);
        _exit(fds_are(expected, count) ? errno : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void comparing_finds_missing_and_extra_ones(void **state) {
    (void)state;
    static const int same[] = {7, 2, 1, 0}, fewer[] = {0, 1, 2}, more[] = {0, 1, 2, 7, 8}, others[] = {0, 1, 2, 8};
    assert_int_equal(compared_with(same, 4), 0);
    assert_int_equal(compared_with(fewer, 3), EBADF);
    assert_int_equal(compared_with(more, 5), EBADF);
    assert_int_equal(compared_with(others, 4), EBADF);
    assert_int_equal(compared_with(same, 0), EBADF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_named_stays),
        cmocka_unit_test(keeping_none_closes_all),
        cmocka_unit_test(comparing_finds_missing_and_extra_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
