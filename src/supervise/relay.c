/* relay.c (touching: poll): one loop over all streams, one thread, no memory taken after relay_open. */
#include "supervise/relay.h"

#include "base/fd.h"
#include "supervise/stream.h"
#include "supervise/terminal.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

struct relay {
    size_t count;
    struct stream stream[RELAY_STREAMS]; /* pages that no stream uses are never touched */
};

enum { AT_LINK, AT_WINDOW, AT_STREAMS, AT_COUNT = AT_STREAMS + 2 * RELAY_STREAMS };

struct relay *relay_open(const struct relay_stream *streams, size_t count) {
    if (count > RELAY_STREAMS) {
        errno = EINVAL;
        return NULL;
    }
    struct relay *relay = mmap(NULL, sizeof *relay, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (relay == MAP_FAILED)
        return NULL;
    relay->count = count;
    for (size_t i = 0; i < count; i++)
        if (stream_open(&relay->stream[i], &streams[i]))
            return NULL;
    return relay;
}

static bool relay_uses(const struct relay *relay, int fd) {
    for (size_t i = 0; i < relay->count; i++) {
        const struct relay_stream *is = &relay->stream[i].is;
        if (is->host == fd || is->box == fd || is->unread == fd)
            return true;
    }
    return false;
}

/* Both directions of a pty share the number of its master. */
static void relay_release(const struct relay *relay, int *field) {
    int fd = *field;
    *field = -1;
    if (fd >= 0 && !relay_uses(relay, fd))
        fd_close(&fd);
}

static void relay_settle(struct relay *relay, struct stream *stream) {
    if (stream->state == STREAM_CLOSED || stream->state == STREAM_SETTLING)
        relay_release(relay, &stream->is.box);
    if (stream->state == STREAM_CLOSED) {
        relay_release(relay, &stream->is.host);
        relay_release(relay, &stream->is.unread);
    }
}

static bool relay_is_over(const struct relay *relay) {
    for (size_t i = 0; i < relay->count; i++)
        if (relay->stream[i].state != STREAM_CLOSED)
            return false;
    return true;
}

static void window_changed(const struct relay *relay, int *window) {
    struct signalfd_siginfo info;
    ssize_t got = read(*window, &info, sizeof info);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        *window = -1;
    for (size_t i = 0; i < relay->count; i++) {
        const struct stream *stream = &relay->stream[i];
        if (stream->is.kind == RELAY_TTY && stream->state != STREAM_CLOSED) {
            terminal_copy_size(stream->is.host, stream->is.box);
            return;
        }
    }
}

/* The byte that ends the run; -1 when the supervisor has gone. */
static int link_read(struct relay *relay, int link) {
    char byte;
    ssize_t got = recv(link, &byte, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0) {
        errno = EPIPE;
        return -1;
    }
    for (size_t i = 0; i < relay->count; i++) {
        stream_finish(&relay->stream[i]);
        relay_settle(relay, &relay->stream[i]);
    }
    return 0;
}

static int report_write(const struct relay *relay, int link) {
    struct relay_report report = {0};
    for (size_t i = 0; i < relay->count; i++) {
        const struct stream *stream = &relay->stream[i];
        report.stream[i].seen = stream->seen;
        report.stream[i].dropped = output_dropped(&stream->output);
        report.stream[i].error = stream->lost;
    }
    ssize_t sent = send(link, &report, sizeof report, MSG_NOSIGNAL);
    if (sent >= 0 && sent != sizeof report)
        errno = EIO;
    return sent == sizeof report ? 0 : -1;
}

int relay_run(struct relay *relay, int link, int window) {
    struct pollfd at[AT_COUNT];
    nfds_t used = AT_STREAMS + 2 * (nfds_t)relay->count;
    /* A FIFO whose writers left before it was re-opened never polls as hung up: only a read tells. */
    for (size_t i = 0; i < relay->count; i++) {
        stream_move(&relay->stream[i]);
        relay_settle(relay, &relay->stream[i]);
    }
    while (!relay_is_over(relay)) {
        at[AT_LINK] = (struct pollfd){.fd = link, .events = POLLIN};
        at[AT_WINDOW] = (struct pollfd){.fd = window, .events = POLLIN};
        int timeout = -1;
        for (size_t i = 0; i < relay->count; i++) {
            const struct stream *stream = &relay->stream[i];
            if (stream->lost && stream->is.inward && stream->is.kind == RELAY_TTY)
                return -1; /* no end of file can be told to the box's terminal: the command would wait for ever */
            stream_wait(&relay->stream[i], &at[AT_STREAMS + 2 * i]);
            if (relay->stream[i].again)
                timeout = 0;
        }
        if (poll(at, used, timeout) < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        if (at[AT_WINDOW].revents)
            window_changed(relay, &window);
        for (size_t i = 0; i < relay->count; i++) {
            stream_wake(&relay->stream[i], &at[AT_STREAMS + 2 * i]);
            relay_settle(relay, &relay->stream[i]);
        }
        if (at[AT_LINK].revents && link_read(relay, link))
            return -1;
    }
    return report_write(relay, link);
}
