/* tie.h: what a box is tied to: with the end of any of these the box ends too. For programs that run boxes, whose own
 * death by SIGKILL nobody could tell otherwise. */
#ifndef PINFOLD_SUPERVISE_TIE_H
#define PINFOLD_SUPERVISE_TIE_H

#include "base/error.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum { TIES = 4 };

enum tie_kind {
    TIE_PIPE,    /* the read end: ends when all write ends are closed */
    TIE_SOCKET,  /* ends when the other end is closed; its bytes are orders */
    TIE_PROCESS, /* a pidfd: ends with the process */
};

struct tie {
    size_t count;
    struct {
        int fd; /* -1: has ended, and was told */
        enum tie_kind kind;
    } at[TIES];
};

/* One byte on a socket. */
struct order {
    int signal; /* 1 to 64 */
    bool all;   /* to every process of the box, not to the command's group alone */
};
enum { ORDERS = 32 }; /* that are taken at once */

/* Add "fd:N". The descriptor stays the caller's, and becomes close-on-exec. 125 when it is nothing that can end. */
int tie_add(struct tie *tie, const char *value, struct error *err) __attribute__((nonnull, warn_unused_result));

/* Fill `wait`, which has room for TIES, for poll; returns how many. */
size_t tie_watch(const struct tie *tie, struct pollfd *wait) __attribute__((nonnull));

/* After poll: what `wait` says of the tie at this index. Returns true when it has ended, once; or else the orders that
 * came are in `orders`, *count of them. Never waits. */
bool tie_take(struct tie *tie, size_t index, short revents, struct order *orders, size_t *count)
    __attribute__((nonnull));

#endif
