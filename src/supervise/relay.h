/* relay.h: moves bytes between the caller's descriptors and the box's own pipes and pty.
 *
 * The loop runs in a process of its own that is confined before it reads its first byte (no file system, no network,
 * about a dozen system calls). It never interprets what it moves.
 *
 * The process must ignore SIGPIPE and SIGXFSZ, and hold no other copy of the descriptors it is given: the other ends
 * see end of file or EPIPE only when the last copy is closed. */
#ifndef PINFOLD_SUPERVISE_RELAY_H
#define PINFOLD_SUPERVISE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RELAY_STREAMS = 32 };

enum relay_kind {
    RELAY_PIPE,   /* the caller's descriptor is a FIFO */
    RELAY_FILE,   /* regular file, also a memfd */
    RELAY_SOCKET, /* stream or datagram socket */
    RELAY_TTY,    /* the caller's terminal; `box` is the master of the box's pty */
};

struct relay_stream {
    int host;             /* the caller's descriptor */
    int box;              /* our end: write end of a pipe (inward), read end (outward), or a pty master (both) */
    int unread;           /* inward from a file: a copy of the pipe's read end, to count what was left; else -1 */
    bool inward;          /* host to box, else box to host */
    enum relay_kind kind; /* what `host` is */
    char end_of_input;    /* inward terminal: its VEOF character; what was typed before raw mode holds it as NUL */
    uint64_t limit;       /* outward: keep this many bytes, half from the head and half from the tail; 0: all */
};

/* What the supervisor reads from the link when the relay has ended. */
struct relay_report {
    struct {
        uint64_t seen;    /* bytes that came in */
        uint64_t dropped; /* bytes counted and left out by the limit */
        int32_t
            error; /* errno: the rest could not be read or written (disk full, …); 0: all was, or the reader had gone */
    } stream[RELAY_STREAMS];
};

struct relay;

/* In the relay's process, before it is confined and before its ids change: takes the memory, sets O_NONBLOCK on the
 * `box` ends, and re-opens FIFOs and terminals of the caller under the same number, so that the flags of the caller's
 * own descriptions stay as they are. The streams own their descriptors from here on; a number may stand in several
 * streams. NULL with errno set when it can't. */
struct relay *relay_open(const struct relay_stream *streams, size_t count) __attribute__((nonnull, warn_unused_result));

/* Run until every stream has ended. An inward file with `unread` ends only with the box: then what was read ahead is
 * given back (lseek). At the end the report is written to `link` in one write.
 * `link` is a stream socket to the supervisor: readable means "box ended, finish" (one byte) or end of file: stop now.
 * `window` is a signalfd for SIGWINCH or -1: the caller's terminal size is copied to the pty.
 * Returns 0, or -1 with errno set when the report could not be written (EPIPE: the supervisor has gone). */
int relay_run(struct relay *relay, int link, int window) __attribute__((nonnull));

#endif
