/* message.c (touching: sendmsg and recvmsg). See message.h. */
#include "box/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(MESSAGE_DESCRIPTORS * sizeof(int))];
};

int message_send(int fd, const struct message *message, const int *descriptors, size_t count) {
    struct message copy = *message;
    copy.version = MESSAGE_VERSION;
    struct iovec part = {&copy, sizeof copy};
    union control control;
    struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > MESSAGE_DESCRIPTORS) {
        errno = E2BIG;
        return -1;
    }
    if (count) {
        memset(&control, 0, sizeof control);
        head.msg_control = control.bytes;
        head.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = &control.header; /* CMSG_FIRSTHDR of it */
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(fd, &head, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent == (ssize_t)sizeof copy)
        return 0;
    if (sent >= 0)
        errno = EPROTO;
    return -1;
}

void message_tell(int fd, const struct message *message) {
    if (message_send(fd, message, NULL, 0))
        return;
}

/* Take the descriptors out of a received message; those beyond the room are closed and make it an error. */
static int take_descriptors(struct msghdr *head, int *descriptors, size_t room) {
    size_t taken = 0;
    int failed = head->msg_flags & (MSG_CTRUNC | MSG_TRUNC) ? -1 : 0;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(head); item; item = CMSG_NXTHDR(head, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(item) + i * sizeof fd, sizeof fd);
            if (taken < room) {
                descriptors[taken++] = fd;
            } else {
                close(fd);
                failed = -1;
            }
        }
    }
    for (size_t i = 0; failed && i < taken; i++)
        close(descriptors[i]);
    return failed ? -1 : (int)taken;
}

int message_receive(int fd, struct message *message, int *descriptors, size_t *count) {
    struct iovec part = {message, sizeof *message};
    union control control;
    struct msghdr head = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(fd, &head, MSG_CMSG_CLOEXEC);
    /* the other end was closed with something unread: told once, before what it had sent itself */
    while (got < 0 && (errno == EINTR || errno == ECONNRESET));
    if (got <= 0) {
        *count = 0;
        return got < 0 ? -1 : 0;
    }
    int taken = take_descriptors(&head, descriptors, *count);
    if (taken < 0 || got != (ssize_t)sizeof *message || message->version != MESSAGE_VERSION) {
        *count = taken < 0 ? 0 : (size_t)taken;
        errno = EPROTO;
        return -1;
    }
    message->detail[sizeof message->detail - 1] = '\0';
    *count = (size_t)taken;
    return 1;
}
