/* stream.h: one direction of one descriptor of the relay. */
#ifndef PINFOLD_SUPERVISE_STREAM_H
#define PINFOLD_SUPERVISE_STREAM_H

#include "supervise/output.h"
#include "supervise/relay.h"

#include <poll.h>

enum { STREAM_BUFFER = 64 * 1024 };

enum stream_state {
    STREAM_CLOSED,   /* nothing is left to do: all descriptors can go */
    STREAM_OPEN,     /* bytes come */
    STREAM_ENDED,    /* no more will come; what is held is still to be written */
    STREAM_SETTLING, /* a file that was read to its end: `box` can go, the count of what was left comes last */
};

struct stream {
    struct relay_stream is;
    enum stream_state state;
    bool host_blocks;   /* host could not be re-opened with O_NONBLOCK */
    bool finishing;     /* the box has ended: nothing to read means end */
    bool again;         /* there is more to move now: do not wait */
    uint64_t remaining; /* finishing: read at most this much more */
    uint64_t seen;
    int lost; /* errno with which a read or a write broke off; not EPIPE, which means that nobody wants it */
    struct output output; /* used when is.limit */
    size_t start, end;    /* what is held: buffer[start..end) */
    char buffer[STREAM_BUFFER];
};

/* See relay_open. `stream` is zeroed. */
int stream_open(struct stream *stream, const struct relay_stream *is) __attribute__((nonnull, warn_unused_result));

/* What to wait for: at[0] is the source, at[1] the target. */
void stream_wait(const struct stream *stream, struct pollfd at[2]) __attribute__((nonnull));

/* Act on what poll found. */
void stream_wake(struct stream *stream, const struct pollfd at[2]) __attribute__((nonnull));

/* Move what can be moved without blocking. */
void stream_move(struct stream *stream) __attribute__((nonnull));

/* The box has ended: inward, give back what was read ahead and close; outward, read what is there, then end. */
void stream_finish(struct stream *stream) __attribute__((nonnull));

#endif
