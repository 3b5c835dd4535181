/* terminal.c (touching: termios).
 *
 * A process outside of the foreground that sets a terminal's mode is stopped with SIGTTOU, and would spoil the mode of
 * whoever has the terminal: so the mode is set from the foreground only. */
#include "supervise/terminal.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int terminal_is_ours(int fd) {
    pid_t group = tcgetpgrp(fd);
    if (group < 0)
        return -1;
    if (group != getpgrp()) {
        errno = EBUSY;
        return -1;
    }
    return 0;
}

int terminal_raw(int fd, struct termios *saved) {
    if (terminal_is_ours(fd) || tcgetattr(fd, saved))
        return -1;
    struct termios raw = *saved;
    cfmakeraw(&raw);
    return tcsetattr(fd, TCSADRAIN, &raw);
}

int terminal_restore(int fd, const struct termios *saved) {
    if (terminal_is_ours(fd))
        return -1;
    return tcsetattr(fd, TCSADRAIN, saved);
}

int terminal_copy_size(int from, int to) {
    struct winsize size;
    if (ioctl(from, TIOCGWINSZ, &size))
        return -1;
    return ioctl(to, TIOCSWINSZ, &size);
}
