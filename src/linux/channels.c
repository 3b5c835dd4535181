/* channels.c (touching: pipe2): the ends of the channels between the caller and the box. */
#include "base/fd.h"
#include "linux/launch.h"
#include "supervise/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static enum relay_kind kind_of(enum descriptor_kind kind) {
    switch (kind) {
    case DESCRIPTOR_FILE:
        return RELAY_FILE;
    case DESCRIPTOR_SOCKET:
        return RELAY_SOCKET;
    case DESCRIPTOR_TTY:
        return RELAY_TTY;
    default:
        return RELAY_PIPE;
    }
}

static int open_pipe(const struct plan *plan, struct channels *channels, size_t i) {
    const struct channel *channel = &plan->channels.at[i];
    struct relay_stream *stream = &channels->stream[channels->streams];
    int ends[2];
    if (channels->streams == RELAY_STREAMS) {
        errno = EMFILE;
        return -1;
    }
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    channels->box[i] = ends[channel->inward ? 0 : 1];
    *stream = (struct relay_stream){.host = channel->number,
                                    .box = ends[channel->inward ? 1 : 0],
                                    .unread = -1,
                                    .inward = channel->inward,
                                    .kind = kind_of(channel->descriptor.kind)};
    channels->streams++;
    if (channel->inward && stream->kind == RELAY_FILE) {
        stream->unread = fcntl(channels->box[i], F_DUPFD_CLOEXEC, 3);
        if (stream->unread < 0)
            return -1;
    }
    if (!channel->inward && channel->number <= 2)
        stream->limit = plan->policy->output_limit.value;
    return 0;
}

/* The pty starts with the settings of the caller's terminal. Where that one is not in raw mode during the run (only
 * read, or only written), it does the echo and the new lines, and the pty must not do them again. */
static int open_terminal(const struct plan *plan, struct channels *channels) {
    bool read_from = false, written = false;
    for (size_t i = 0; i < plan->channels.count; i++) {
        const struct channel *channel = &plan->channels.at[i];
        if (channel->kind != CHANNEL_TTY)
            continue;
        read_from |= channel->inward;
        written |= !channel->inward;
        if (tcgetattr(channel->number, &channels->terminal))
            return -1;
    }
    channels->raw = read_from && written;
    if (!channels->raw) {
        channels->terminal.c_oflag &= ~(tcflag_t)OPOST;
        channels->terminal.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    }
    return 0;
}

int channels_open(const struct plan *plan, struct channels *channels, struct failure *failure) {
    *channels = (struct channels){0};
    for (size_t i = 0; i < RELAY_STREAMS; i++)
        channels->box[i] = -1;
    if (plan->channels.count > RELAY_STREAMS)
        return failure_set(failure, STEP_RELAY, EMFILE, "too many descriptors");
    for (size_t i = 0; i < plan->channels.count; i++) {
        const struct channel *channel = &plan->channels.at[i];
        if (channel->kind == CHANNEL_RELAY && channel->same_as < 0 && open_pipe(plan, channels, i))
            return failure_set(failure, STEP_RELAY, errno, "");
    }
    return plan->terminal && open_terminal(plan, channels) ? failure_set(failure, STEP_RELAY, errno, "terminal") : 0;
}

/* The box re-opens /dev/stdin and the like by path: its pipes must belong to its ids. */
int channels_give(const struct plan *plan, const struct channels *channels, struct failure *failure) {
    for (size_t i = 0; plan->root_mapped && i < plan->channels.count; i++)
        if (channels->box[i] >= 0 && fchown(channels->box[i], plan->id_base, plan->id_base))
            return failure_set(failure, STEP_IDMAPPED_MOUNTS, errno, "");
    return 0;
}

/* The terminal's streams: read from the one that is standard input, write to the first that is output. */
int channels_terminal(const struct plan *plan, struct channels *channels, int master, struct failure *failure) {
    bool written = false;
    for (size_t i = 0; i < plan->channels.count; i++) {
        const struct channel *channel = &plan->channels.at[i];
        if (channel->kind != CHANNEL_TTY || (!channel->inward && written))
            continue;
        if (channels->streams == RELAY_STREAMS)
            return failure_set(failure, STEP_RELAY, EMFILE, "");
        written |= !channel->inward;
        channels->stream[channels->streams++] =
            (struct relay_stream){.host = channel->number,
                                  .box = master,
                                  .unread = -1,
                                  .inward = channel->inward,
                                  .kind = RELAY_TTY,
                                  .limit = channel->inward ? 0 : plan->policy->output_limit.value,
                                  .end_of_input = (char)channels->terminal.c_cc[VEOF]};
        (void)terminal_copy_size(channel->number, master); /* a terminal without a size has none inside either */
    }
    return 0;
}

void channels_close(struct channels *channels) {
    for (size_t i = 0; i < RELAY_STREAMS; i++)
        fd_close(&channels->box[i]);
    for (size_t i = 0; i < channels->streams; i++) {
        int box = channels->stream[i].box;
        for (size_t j = i; j < channels->streams; j++)
            if (channels->stream[j].box == box)
                channels->stream[j].box = -1;
        fd_close(&box);
        fd_close(&channels->stream[i].unread);
    }
    channels->streams = 0;
}
