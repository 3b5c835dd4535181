/* Unit tests of supervise/terminal: a mode is set from the foreground only, and comes back as it was. */
#include "relay_lab.h"

#include "supervise/terminal.h"

/* libc leaves bytes of the struct unset. */
static bool same_mode(const struct termios *a, const struct termios *b) {
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && a->c_cc[VMIN] == b->c_cc[VMIN] && a->c_cc[VTIME] == b->c_cc[VTIME];
}

/* In a session of its own whose terminal is `fd`. Its status is 0 when all held, else the number of the failed step. */
static int in_foreground(int fd) {
    struct termios before, saved, now;
    if (setsid() < 0 || ioctl(fd, TIOCSCTTY, 0) || tcgetattr(fd, &before))
        return 1;
    if (terminal_raw(fd, &saved) || !same_mode(&before, &saved))
        return 2;
    if (tcgetattr(fd, &now) || now.c_lflag & (ICANON | ECHO | ISIG) || now.c_oflag & OPOST)
        return 3;
    if (terminal_restore(fd, &saved) || tcgetattr(fd, &now) || !same_mode(&before, &now))
        return 4;
    pid_t background = fork();
    if (!background) {
        setpgid(0, 0);
        bool refused = terminal_raw(fd, &now) == -1 && errno == EBUSY && terminal_restore(fd, &saved) == -1;
        _exit(refused && !tcgetattr(fd, &now) && same_mode(&before, &now) ? 0 : 1);
    }
    int status = 0;
    return waitpid(background, &status, WUNTRACED) == background && status == 0 ? 0 : 5;
}

static void mode_is_changed_from_the_foreground_only(void **state) {
    (void)state;
    int ends[2];
    lab_pty(ends);
    struct termios mode;
    assert_int_equal(tcgetattr(ends[1], &mode), 0);
    mode.c_lflag |= ICANON | ECHO | ISIG;
    mode.c_oflag |= OPOST;
    assert_int_equal(tcsetattr(ends[1], TCSANOW, &mode), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        _exit(in_foreground(ends[1]));
    lab_fed(pid, 0);
    close(ends[0]);
    close(ends[1]);
}

static void other_descriptors_are_refused(void **state) {
    (void)state;
    struct termios saved;
    int ends[2];
    lab_pipe(ends);
    assert_int_equal(terminal_raw(ends[0], &saved), -1);
    assert_int_equal(errno, ENOTTY);
    close(ends[0]);
    close(ends[1]);
    lab_pty(ends); /* a terminal, but not of this session */
    assert_int_equal(terminal_raw(ends[1], &saved), -1);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(terminal_copy_size(ends[1], -1), -1);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    alarm(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mode_is_changed_from_the_foreground_only),
        cmocka_unit_test(other_descriptors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
