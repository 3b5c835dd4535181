/* lines.c (touching: open, read). See lines.h. */
#include "base/lines.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

int lines_open(struct lines *lines, const char *path) {
    lines->fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    lines->failed = lines->skip = false;
    lines->start = lines->end = 0;
    return lines->fd < 0 ? -1 : 0;
}

/* More bytes behind those that are held; false at the end. */
static bool fill(struct lines *lines) {
    if (lines->start) {
        memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
        lines->end -= lines->start;
        lines->start = 0;
    }
    if (lines->end == sizeof lines->buffer - 1) {
        lines->end = 0; /* too long: nothing of it is given */
        lines->skip = true;
    }
    ssize_t got;
    do
        got = read(lines->fd, lines->buffer + lines->end, sizeof lines->buffer - 1 - lines->end);
    while (got < 0 && errno == EINTR);
    lines->failed |= got < 0;
    lines->end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

char *lines_next(struct lines *lines) {
    for (;;) {
        char *line = lines->buffer + lines->start;
        char *newline = memchr(line, '\n', lines->end - lines->start);
        bool more = newline || fill(lines);
        if (!newline && more)
            continue;
        size_t size = newline ? (size_t)(newline - line) : lines->end - lines->start;
        if (!newline)
            line = lines->buffer + lines->start; /* fill has moved it */
        if (!newline && (!size || lines->failed))
            return NULL;
        line[size] = '\0';
        lines->start += size + (newline ? 1 : 0);
        bool skipped = lines->skip;
        lines->skip = false;
        if (!skipped)
            return line;
    }
}

void lines_close(struct lines *lines) {
    fd_close(&lines->fd);
}
