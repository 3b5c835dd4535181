/* stream.c (touching: reads and writes that do not block).
 *
 * How each kind is kept from blocking, without a change to the flags that the caller's descriptors share with others:
 *   box ends       O_NONBLOCK: the description is ours alone
 *   FIFO, terminal re-opened through /proc/self/fd as a description of our own with O_NONBLOCK. Where that fails (the
 *                  FIFO belongs to another user, no /proc): poll before each call, and small writes. A FIFO that polls
 *                  writable has room for PIPE_BUF bytes; only another process that fills it in between makes us wait.
 *   socket         MSG_DONTWAIT
 *   regular file   plain read and write: as slow as the disk
 *
 * One buffer, filled only when it is empty: the pipe of the box is the queue. Data is copied, never spliced: no page of
 * a host file or pipe comes into a pipe that the box can open again, and many small writes still share the pages of a
 * host FIFO, so that a caller which waits before it reads can have as much output as without a box.
 *
 * Read-ahead of a file: the pipe's unread bytes are counted on `unread`, a read end of our own, because the write end
 * must be closed at end of file. With it the writer never sees EPIPE; a file has nobody to tell about that. Without
 * it, bytes in the pipe can be given back only when the readers leave, or the box ends, before end of file. */
#include "supervise/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TURNS = 16,               /* buffers moved before other streams get their turn */
    TERMINAL_WRITE = 256,     /* to a terminal that could block */
    SOCKET_WRITE = 32 * 1024, /* fits a datagram of any family */
    PTY_REMAINING = 1 << 20,  /* more than a pty can hold */
};

enum progress { MOVED, BLOCKED, OVER };

static int descriptor_unblock(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    return flags & O_NONBLOCK ? 0 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* Does `fd` stand for a description that does not block, and that only we hold unless it was so before? */
static bool descriptor_reopen(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || flags & O_NONBLOCK)
        return flags >= 0;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (again < 0)
        return false;
    bool replaced = dup3(again, fd, O_CLOEXEC) >= 0;
    close(again);
    return replaced;
}

int stream_open(struct stream *stream, const struct relay_stream *is) {
    stream->is = *is;
    stream->state = STREAM_OPEN;
    if (is->limit && !is->inward) {
        uint64_t size = output_tail_size(is->limit);
        if (size > SIZE_MAX / 2) {
            errno = ENOMEM;
            return -1;
        }
        void *tail = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (tail == MAP_FAILED)
            return -1;
        output_init(&stream->output, is->limit, tail);
    }
    if (is->kind == RELAY_PIPE || is->kind == RELAY_TTY)
        stream->host_blocks = !descriptor_reopen(is->host);
    return descriptor_unblock(is->box);
}

static bool stream_limited(const struct stream *stream) {
    return stream->is.limit && !stream->is.inward;
}

static bool source_is_file(const struct stream *stream) {
    return stream->is.inward && stream->is.kind == RELAY_FILE;
}

static bool target_is_file(const struct stream *stream) {
    return !stream->is.inward && stream->is.kind == RELAY_FILE;
}

static bool host_ready(const struct stream *stream, short events) {
    struct pollfd at = {.fd = stream->is.host, .events = events};
    if (!stream->host_blocks || poll(&at, 1, 0) > 0)
        return true;
    errno = EAGAIN;
    return false;
}

static ssize_t source_read(struct stream *stream) {
    if (!stream->is.inward) {
        uint64_t size = sizeof stream->buffer;
        if (stream->finishing && stream->remaining < size)
            size = stream->remaining;
        return size ? read(stream->is.box, stream->buffer, (size_t)size) : 0;
    }
    if (stream->is.kind == RELAY_SOCKET)
        return recv(stream->is.host, stream->buffer, sizeof stream->buffer, MSG_DONTWAIT);
    return host_ready(stream, POLLIN) ? read(stream->is.host, stream->buffer, sizeof stream->buffer) : -1;
}

/* The errors that are an end of file: a terminal or pty without another end, a peer that has gone. */
static bool is_end(const struct stream *stream, int error) {
    return (error == EIO && stream->is.kind == RELAY_TTY) || (error == ECONNRESET && stream->is.kind == RELAY_SOCKET);
}

static enum progress stream_fill(struct stream *stream) {
    ssize_t got;
    do
        got = source_read(stream);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN && !stream->finishing && !source_is_file(stream))
        return BLOCKED;
    if (got < 0 && errno != EAGAIN && !is_end(stream, errno))
        stream->lost = errno;
    if (got <= 0)
        return OVER;
    /* The first bytes may have been typed while the terminal still edited lines: it keeps ^D as a NUL then (n_tty). */
    for (ssize_t i = 0; stream->is.inward && stream->is.kind == RELAY_TTY && !stream->seen && i < got; i++)
        if (!stream->buffer[i])
            stream->buffer[i] = stream->is.end_of_input;
    stream->seen += (uint64_t)got;
    if (stream->finishing)
        stream->remaining -= (uint64_t)got;
    stream->start = 0;
    stream->end = (size_t)got;
    if (stream_limited(stream))
        stream->end = output_take(&stream->output, stream->buffer, (size_t)got);
    return MOVED;
}

static ssize_t target_write(const struct stream *stream) {
    const char *from = stream->buffer + stream->start;
    size_t size = stream->end - stream->start;
    if (stream->is.inward)
        return write(stream->is.box, from, size);
    if (stream->is.kind == RELAY_SOCKET)
        return send(stream->is.host, from, size < SOCKET_WRITE ? size : SOCKET_WRITE, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (!host_ready(stream, POLLOUT))
        return -1;
    size_t most = stream->is.kind == RELAY_TTY ? TERMINAL_WRITE : PIPE_BUF;
    return write(stream->is.host, from, stream->host_blocks && size > most ? most : size);
}

/* An error (nobody reads, disk full) means that nothing more can be written. */
static enum progress stream_drain(struct stream *stream) {
    while (stream->start < stream->end) {
        ssize_t wrote = target_write(stream);
        if (wrote > 0)
            stream->start += (size_t)wrote;
        else if (wrote == 0 || (errno == EAGAIN && !target_is_file(stream)))
            return BLOCKED;
        else if (errno != EINTR) {
            if (errno != EPIPE && !(stream->is.inward && is_end(stream, errno)))
                stream->lost = errno;
            return OVER;
        }
    }
    return MOVED;
}

static void file_give_back(const struct stream *stream) {
    int in_pipe = 0;
    int pipe = stream->is.unread >= 0 ? stream->is.unread : stream->is.box;
    if (ioctl(pipe, FIONREAD, &in_pipe) || in_pipe < 0)
        in_pipe = 0;
    uint64_t unread = stream->end - stream->start + (uint64_t)in_pipe;
    /* the box can have written into its own pipe: the file is not put back to before where it was */
    if (unread > stream->seen)
        unread = stream->seen;
    if (unread)
        lseek(stream->is.host, -(off_t)unread, SEEK_CUR);
}

/* Nobody takes what the stream brings. */
static void stream_lost(struct stream *stream) {
    if (source_is_file(stream))
        file_give_back(stream);
    stream->again = false;
    stream->state = STREAM_CLOSED;
}

void stream_move(struct stream *stream) {
    stream->again = false;
    for (int turn = 0; stream->state == STREAM_OPEN || stream->state == STREAM_ENDED; turn++) {
        stream->again = turn == TURNS;
        if (stream->again)
            return;
        if (stream->start == stream->end && stream->state == STREAM_OPEN) {
            enum progress progress = stream_fill(stream);
            if (progress == BLOCKED)
                return;
            if (progress == OVER)
                stream->state = STREAM_ENDED;
        }
        if (stream->start == stream->end && stream->state == STREAM_ENDED) {
            stream->start = stream->end = 0;
            if (stream_limited(stream))
                stream->end = output_rest(&stream->output, stream->buffer, sizeof stream->buffer);
            if (!stream->end) {
                stream->state = source_is_file(stream) && stream->is.unread >= 0 ? STREAM_SETTLING : STREAM_CLOSED;
                return;
            }
        }
        enum progress progress = stream_drain(stream);
        if (progress == OVER)
            stream_lost(stream);
        if (progress != MOVED)
            return;
    }
}

/* A descriptor that is not to be waited for is left out: poll reports a hang-up whether it is asked for or not. */
void stream_wait(const struct stream *stream, struct pollfd at[2]) {
    at[0] = at[1] = (struct pollfd){.fd = -1};
    bool held = stream->start < stream->end;
    bool open = stream->state == STREAM_OPEN;
    if (open && !held && !source_is_file(stream))
        at[0] = (struct pollfd){.fd = stream->is.inward ? stream->is.host : stream->is.box, .events = POLLIN};
    if ((open || stream->state == STREAM_ENDED) && !target_is_file(stream))
        at[1] = (struct pollfd){.fd = stream->is.inward ? stream->is.box : stream->is.host,
                                .events = held || source_is_file(stream) ? POLLOUT : 0};
}

void stream_wake(struct stream *stream, const struct pollfd at[2]) {
    if (at[1].fd >= 0 && at[1].revents & (POLLERR | POLLHUP | POLLNVAL))
        stream_lost(stream);
    else if (stream->again || (at[0].fd >= 0 && at[0].revents) || (at[1].fd >= 0 && at[1].revents))
        stream_move(stream);
}

void stream_finish(struct stream *stream) {
    if (stream->state == STREAM_CLOSED || stream->finishing)
        return;
    if (stream->is.inward) {
        stream_lost(stream);
        return;
    }
    /* Somebody outside can have been sent the write end: what is there now is all that will be read. */
    int in_pipe = 0;
    stream->finishing = true;
    stream->remaining = PTY_REMAINING;
    if (stream->is.kind != RELAY_TTY && !ioctl(stream->is.box, FIONREAD, &in_pipe) && in_pipe >= 0)
        stream->remaining = (uint64_t)in_pipe;
    stream_move(stream);
}
