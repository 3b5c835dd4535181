/* channels.h: the box's 0 to 2 and granted descriptors, and the relay that moves their bytes. */
#ifndef PINFOLD_LINUX_CHANNELS_H
#define PINFOLD_LINUX_CHANNELS_H

#include "linux/mounts.h"
#include "supervise/relay.h"

#include <termios.h>

struct launch;

/* The relay's side of the channels, as the supervisor makes them before the box. */
struct channels {
    int box[RELAY_STREAMS]; /* for each channel of the plan: the box's end, or -1 */
    struct relay_stream stream[RELAY_STREAMS];
    size_t streams;
    struct termios terminal; /* what the box's pty starts with, when the plan has one */
    bool raw;                /* the caller's terminal is read and written: it is to be in raw mode during the run */
};

/* The channels of a plan: pipes now, the pty when init has made it (channels.c). */
int channels_open(const struct plan *plan, struct channels *channels, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));
int channels_terminal(const struct plan *plan, struct channels *channels, int master, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));
int channels_give(const struct plan *plan, const struct channels *channels, struct failure *failure)
    __attribute__((nonnull, warn_unused_result));
void channels_close(struct channels *channels) __attribute__((nonnull));

/* Start the relay for these streams; wait until it says that it is confined; let it move bytes, when the command is
 * certain to run (relay_process.c). */
int relay_start(const struct plan *plan, const struct channels *channels, struct launch *launch,
                struct failure *failure) __attribute__((nonnull, warn_unused_result));
int relay_confirm(const struct launch *launch, struct failure *failure) __attribute__((nonnull, warn_unused_result));
int relay_go(const struct launch *launch) __attribute__((nonnull, warn_unused_result));

#endif
