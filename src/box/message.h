/* message.h: the control channel between the supervisor and pid 1 of the box: typed messages of fixed size over a
 * SEQPACKET socketpair, with descriptors where the type carries some. Both ends are the same binary; the version
 * guards against a pinfold that was replaced while it ran. */
#ifndef PINFOLD_BOX_MESSAGE_H
#define PINFOLD_BOX_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_VERSION = 2, MESSAGE_DESCRIPTORS = 200 };

enum message_type {
    MESSAGE_NONE,
    MESSAGE_GO,          /* to init: the id maps are written; carries prepared mounts of a root caller, in parts */
    MESSAGE_SIGNAL,      /* to init: send `value` to the command's process group, or with `step` 1 to all processes */
    MESSAGE_FAILED,      /* from init or the command: `step` failed with errno `value`; `detail` says where */
    MESSAGE_TERMINAL,    /* from init: carries the master of the box's pty */
    MESSAGE_READY,       /* from the command: everything holds, exec is next */
    MESSAGE_REHEARSED,   /* from the command's process of a rehearsal: everything holds, and that was all */
    MESSAGE_EXEC_FAILED, /* from the command: errno `value` */
    MESSAGE_ENDED,       /* from init: the command's wait status is `value` */
};

struct message {
    uint32_t version, type;
    int32_t step, value;
    uint32_t more;     /* MESSAGE_GO: another part follows */
    char detail[1004]; /* NUL-terminated */
};

/* 0, or -1 with errno set. `descriptors` may be NULL when count is 0. Never blocks on a full queue: EAGAIN is an error.
 */
int message_send(int fd, const struct message *message, const int *descriptors, size_t count)
    __attribute__((nonnull(2), warn_unused_result));

/* The same, for what the end of the channel says as well when it can't be sent. */
void message_tell(int fd, const struct message *message) __attribute__((nonnull));

/* 1 for a message, 0 at end of file, -1 with errno set (EPROTO: not a message of ours). Received descriptors are
 * close-on-exec; *count is the room on entry and their number on return. */
int message_receive(int fd, struct message *message, int *descriptors, size_t *count)
    __attribute__((nonnull, warn_unused_result));

#endif
