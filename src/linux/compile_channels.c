/* compile_channels.c (pure): what becomes of each descriptor that the caller hands in. */
#include "linux/compile.h"

#include <sys/stat.h>

static const char *kind_text(enum descriptor_kind kind) {
    switch (kind) {
    case DESCRIPTOR_CLOSED:
        return "not open";
    case DESCRIPTOR_DIRECTORY:
        return "a folder";
    case DESCRIPTOR_TTY:
        return "a terminal";
    case DESCRIPTOR_FILE:
        return "a file open for reading and writing";
    case DESCRIPTOR_PIPE:
        return "a FIFO open for reading and writing";
    default:
        return "a device or a kernel object";
    }
}

static int refuse(const struct descriptor *descriptor, struct error *err) {
    const char *what = kind_text(descriptor->kind);
    if (descriptor->number > 2)
        return error_set(err, EXIT_USAGE,
                         "--fd %d is %s; a granted descriptor is a socket, or a pipe or file open one way "
                         "(grant paths with --read or --write)",
                         descriptor->number, what);
    return error_set(err, EXIT_USAGE,
                     "descriptor %d is %s, which gives more access than its bytes; use a pipe, a file, a "
                     "terminal or /dev/null, for instance `cat FILE | pinfold run ...`",
                     descriptor->number, what);
}

/* 0 to 2: the direction is fixed. Others: the way that the descriptor is open, which must be one way. */
static int channel_for(const struct descriptor *descriptor, struct channel *channel, struct error *err) {
    bool standard = descriptor->number <= 2;
    channel->inward = standard ? descriptor->number == 0 : descriptor->readable;
    switch (descriptor->kind) {
    case DESCRIPTOR_NULL:
        channel->kind = CHANNEL_NULL;
        return 0;
    case DESCRIPTOR_TTY:
        if (!standard)
            return refuse(descriptor, err);
        channel->kind = CHANNEL_TTY;
        return 0;
    case DESCRIPTOR_SOCKET:
        channel->kind = standard ? CHANNEL_RELAY : CHANNEL_PASS;
        return 0;
    case DESCRIPTOR_PIPE:
    case DESCRIPTOR_FILE:
        if (!standard && descriptor->readable && descriptor->writable)
            return refuse(descriptor, err);
        channel->kind = CHANNEL_RELAY;
        break;
    default:
        return refuse(descriptor, err);
    }
    if (channel->inward ? !descriptor->readable : !descriptor->writable)
        return error_set(err, EXIT_USAGE, "descriptor %d is not open for %s", descriptor->number,
                         channel->inward ? "reading" : "writing");
    return 0;
}

/* Two descriptors of one object, in one direction, keep the order of what is written to them: they share a pipe. */
static int shared_with(const struct plan *plan, const struct channel *channel) {
    if (channel->kind != CHANNEL_RELAY || channel->inward)
        return -1;
    for (size_t i = 0; i < plan->channels.count; i++) {
        const struct channel *other = &plan->channels.at[i];
        if (other->kind == CHANNEL_RELAY && !other->inward && other->same_as < 0 &&
            other->descriptor.dev == channel->descriptor.dev && other->descriptor.ino == channel->descriptor.ino)
            return (int)i;
    }
    return -1;
}

int compile_channels(struct arena *arena, struct plan *plan, struct error *err) {
    for (size_t i = 0; i < plan->probe->descriptors.count; i++) {
        struct channel channel = {.number = plan->probe->descriptors.at[i].number,
                                  .descriptor = plan->probe->descriptors.at[i]};
        if (channel_for(&channel.descriptor, &channel, err))
            return -1;
        channel.same_as = shared_with(plan, &channel);
        struct channel *added = list_add(arena, &plan->channels);
        if (!added)
            return error_memory(err);
        *added = channel;
        plan->terminal |= channel.kind == CHANNEL_TTY;
        plan->relay |= channel.kind == CHANNEL_RELAY || channel.kind == CHANNEL_TTY;
    }
    return 0;
}
