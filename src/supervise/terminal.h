/* terminal.h: mode and size of the caller's terminal. */
#ifndef PINFOLD_SUPERVISE_TERMINAL_H
#define PINFOLD_SUPERVISE_TERMINAL_H

#include <termios.h>

/* Raw mode, after what was written has gone out; *saved is for terminal_restore. -1 with errno set when nothing was
 * changed: `fd` is no terminal of this session (ENOTTY), or another process group is in its foreground (EBUSY). */
int terminal_raw(int fd, struct termios *saved) __attribute__((nonnull, warn_unused_result));

/* The mode that terminal_raw found. Left alone (-1, as above) when another process group has the terminal now. */
int terminal_restore(int fd, const struct termios *saved) __attribute__((nonnull));

/* Give terminal `to` the size of terminal `from`. 0, or -1 with errno set. */
int terminal_copy_size(int from, int to);

#endif
