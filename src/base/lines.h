/* lines.h: the lines of a file, without memory of its own to take and give back. */
#ifndef PINFOLD_BASE_LINES_H
#define PINFOLD_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct lines {
    int fd;
    bool failed;       /* a read failed: what was given is not all */
    bool skip;         /* the rest of a line that was too long */
    size_t start, end; /* what is held: buffer[start..end) */
    char buffer[8192];
};

/* Open `path` for reading. -1 with errno set. lines_close gives the descriptor back. */
int lines_open(struct lines *lines, const char *path) __attribute__((nonnull, warn_unused_result));

/* The next line, without its end; good until the next call. NULL at end of file or after a failure. A line that is
 * longer than the buffer is left out. */
char *lines_next(struct lines *lines) __attribute__((nonnull));

void lines_close(struct lines *lines) __attribute__((nonnull));

#endif
