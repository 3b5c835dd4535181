/* Unit tests of base/fd: closing. */
#include "base/fd.h"
#include "folder.h"

static void closing_keeps_errno(void **state) {
    (void)state;
    int fd = dup(0), gone;
    assert_true(fd >= 0);
    gone = fd;
    fd_close(&fd);
    assert_int_equal(fd, -1);
    errno = ENOTDIR;
    fd_close(&gone); /* closed already: close fails */
    assert_int_equal(gone, -1);
    assert_int_equal(errno, ENOTDIR);
}

static int fail_in_a_block(int number) {
    autoclose int fd = number;
    errno = ENOTDIR;
    return fd < 0 ? 0 : -1;
}

static void a_cause_outlives_its_block(void **state) {
    (void)state;
    int fd = dup(0);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(fail_in_a_block(fd), -1);
    assert_int_equal(errno, ENOTDIR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closing_keeps_errno),
        cmocka_unit_test(a_cause_outlives_its_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
