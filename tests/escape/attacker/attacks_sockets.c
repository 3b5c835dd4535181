/* Attacks by sockets: the host's Unix sockets, its loopback, the network, families and protocols (touching).
 * A Unix address is a path, or @NAME for an abstract one; an internet address is written as inet_pton reads it. */
#include "attacker.h"
#include "calls_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAIT_MS = 1500, SEND_FAST_OPEN = 0x20000000 };

union address {
    struct sockaddr any;
    struct sockaddr_un local;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t address_local(union address *address, const char *word) {
    memset(address, 0, sizeof *address);
    address->local.sun_family = AF_UNIX;
    strncpy(address->local.sun_path, word, sizeof address->local.sun_path - 1);
    const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(address->local.sun_path));
    if (word[0] != '@')
        return length + 1;
    address->local.sun_path[0] = 0;
    return length;
}

/* WORD is 127.0.0.1, ::1, fe80::1%lo; the family follows from it. */
static socklen_t address_internet(union address *address, const char *word, const char *port) {
    char host[64];
    memset(address, 0, sizeof *address);
    snprintf(host, sizeof host, "%s", word);
    char *const zone = strchr(host, '%');
    if (zone)
        *zone = 0;
    if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons((uint16_t)number_of(port));
        return sizeof address->v4;
    }
    if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) != 1) {
        fprintf(stderr, "usage: `%s` is no address\n", word);
        exit(2);
    }
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons((uint16_t)number_of(port));
    address->v6.sin6_scope_id = zone ? if_nametoindex(zone + 1) : 0;
    return sizeof address->v6;
}

static int type_of(const char *word) {
    return !strcmp(word, "stream") ? SOCK_STREAM : !strcmp(word, "dgram") ? SOCK_DGRAM : SOCK_SEQPACKET;
}

static int unix_connect(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_local(&to, words[1]);
    const int fd = socket(AF_UNIX, type_of(words[0]), 0);
    return report(fd < 0 ? -1 : connect(fd, &to.any, length));
}

static long message_send(int fd, union address *to, socklen_t length) {
    struct iovec part = {(char[]){"attack"}, 6};
    const struct msghdr message = {.msg_name = to, .msg_namelen = length, .msg_iov = &part, .msg_iovlen = 1};
    return syscall(CALL_SENDMSG, fd, &message, (long)MSG_NOSIGNAL);
}

static int unix_sendmsg(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_local(&to, words[0]);
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return report(fd < 0 ? -1 : message_send(fd, &to, length));
}

static int unix_sendto(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_local(&to, words[0]);
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return report(fd < 0 ? -1 : syscall(CALL_SENDTO, fd, "attack", 6L, 0L, &to, (long)length));
}

/* One end of a pair aimed anew at a socket of the host, by HOW: sendmsg or connect. */
static int unix_pair(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_local(&to, words[1]);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
        return report(-1);
    if (!strcmp(words[0], "sendmsg"))
        return report(message_send(pair[0], &to, length));
    return report(connect(pair[0], &to.any, length) ? -1 : write(pair[0], "attack", 6));
}

static int unix_bind(int count, char **words) {
    (void)count;
    union address at;
    const socklen_t length = address_local(&at, words[0]);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return report(fd < 0 || bind(fd, &at.any, length) ? -1 : listen(fd, 1));
}

/* Receives a descriptor over the inherited socket FD and reads from it. */
static int descriptor_receive(int count, char **words) {
    (void)count;
    char byte, text[16] = "";
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg((int)number_of(words[0]), &message, 0) < 0)
        return report(-1);
    const struct cmsghdr *const head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_type != SCM_RIGHTS)
        return report_errno(EBADMSG);
    int fd;
    memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return read(fd, text, sizeof text - 1) < 0 ? report(-1) : report_ok("%.4s", text);
}

static int stream_connect(int protocol, char **words) {
    union address to;
    const socklen_t length = address_internet(&to, words[0], words[1]);
    const int fd = socket(to.any.sa_family, SOCK_STREAM, protocol);
    return report(fd < 0 ? -1 : connect(fd, &to.any, length));
}

static int tcp_connect(int count, char **words) {
    (void)count;
    return stream_connect(0, words);
}

static int protocol_connect(int count, char **words) {
    (void)count;
    return stream_connect((int)number_of(words[2]), words);
}

/* Data in the first packet: the address is never passed to connect(). */
static int tcp_fast_open(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_internet(&to, words[0], words[1]);
    const int fd = socket(to.any.sa_family, SOCK_STREAM, 0);
    return report(fd < 0 ? -1 : syscall(CALL_SENDTO, fd, "attack", 6L, (long)SEND_FAST_OPEN, &to, (long)length));
}

static int udp_connect(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_internet(&to, words[0], words[1]);
    const int fd = socket(to.any.sa_family, SOCK_DGRAM, 0);
    return report(fd < 0 ? -1 : connect(fd, &to.any, length));
}

static int udp_send(int count, char **words) {
    (void)count;
    union address to;
    const socklen_t length = address_internet(&to, words[0], words[1]);
    const int fd = socket(to.any.sa_family, SOCK_DGRAM, 0);
    return report(fd < 0 ? -1 : message_send(fd, &to, length));
}

/* Sends a question and waits for the answer; the answer of nobody is ECONNREFUSED, silence is ETIMEDOUT. */
static int udp_ask(int count, char **words) {
    (void)count;
    union address to;
    char answer[64];
    const socklen_t length = address_internet(&to, words[0], words[1]);
    const int fd = socket(to.any.sa_family, SOCK_DGRAM, 0);
    struct pollfd wait = {fd, POLLIN, 0};
    if (fd < 0 || connect(fd, &to.any, length) || write(fd, "attack", 6) < 0)
        return report(-1);
    if (poll(&wait, 1, WAIT_MS) == 0)
        return report_errno(ETIMEDOUT);
    return report(read(fd, answer, sizeof answer));
}

/* Listens without bind on a port that the kernel chooses, reports it and waits SECONDS for a caller. */
static int tcp_listen(int count, char **words) {
    (void)count;
    union address at = {0};
    socklen_t length = sizeof at;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct pollfd wait = {fd, POLLIN, 0};
    if (fd < 0 || listen(fd, 1) || getsockname(fd, &at.any, &length))
        return report(-1);
    report_ok("%d", ntohs(at.v4.sin_port));
    return poll(&wait, 1, (int)number_of(words[0]) * 1000) > 0 ? 0 : 3;
}

/* Every argument is passed as it is, in 64 bits. */
static int socket_make(int count, char **words) {
    (void)count;
    return report(syscall(CALL_SOCKET, number_of(words[0]), number_of(words[1]), number_of(words[2])));
}

static int socketpair_make(int count, char **words) {
    (void)count;
    int pair[2];
    return report(syscall(CALL_SOCKETPAIR, number_of(words[0]), number_of(words[1]), number_of(words[2]), pair));
}

/* ok when an interface other than the loopback one is seen. */
static int interface_find(int count, char **words) {
    (void)count, (void)words;
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list))
        return report(-1);
    for (const struct ifaddrs *at = list; at; at = at->ifa_next)
        if (strcmp(at->ifa_name, "lo"))
            return report_ok("%s", at->ifa_name);
    return list ? report_errno(ENODEV) : report_errno(ENOENT);
}

const struct attack attacks_sockets[] = {
    {"unix_connect", unix_connect, "TYPE ADDRESS"},
    {"unix_sendmsg", unix_sendmsg, "ADDRESS"},
    {"unix_sendto", unix_sendto, "ADDRESS"},
    {"unix_pair", unix_pair, "HOW ADDRESS"},
    {"unix_bind", unix_bind, "ADDRESS"},
    {"descriptor_receive", descriptor_receive, "FD"},
    {"tcp_connect", tcp_connect, "ADDRESS PORT"},
    {"protocol_connect", protocol_connect, "ADDRESS PORT PROTOCOL"},
    {"tcp_fast_open", tcp_fast_open, "ADDRESS PORT"},
    {"udp_connect", udp_connect, "ADDRESS PORT"},
    {"udp_send", udp_send, "ADDRESS PORT"},
    {"udp_ask", udp_ask, "ADDRESS PORT"},
    {"tcp_listen", tcp_listen, "SECONDS"},
    {"socket", socket_make, "FAMILY TYPE PROTOCOL"},
    {"socketpair", socketpair_make, "FAMILY TYPE PROTOCOL"},
    {"interface_find", interface_find, ""},
    {0},
};
