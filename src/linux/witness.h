/* witness.h: what the supervisor shows of the outside, so that the command can see for itself that it can't reach it.
 */
#ifndef PINFOLD_LINUX_WITNESS_H
#define PINFOLD_LINUX_WITNESS_H

#include "plan/plan.h"

#include <stddef.h>
#include <sys/types.h>

enum { WITNESS_NAMESPACES = 7 };

struct witness {
    pid_t supervisor;
    ino_t namespaces[WITNESS_NAMESPACES]; /* of the supervisor, as witness_namespaces gives them */
    dev_t root_dev;                       /* of the host's root folder */
    ino_t root_ino;
    long session_keyring; /* serial number; -1: none */
    const char *hidden;   /* a folder that can be read outside and is in no root; NULL: none found */
    int socket, listener; /* the supervisor's own abstract socket and TCP listener; -1: none */
    char abstract[16];    /* its name, `abstract_size` bytes after the NUL */
    size_t abstract_size;
    unsigned short port; /* of the listener on 127.0.0.1; 0: none */
};

extern const struct witness_namespace {
    const char *name; /* below /proc/self/ns */
    enum step step;
} witness_namespace[WITNESS_NAMESPACES];

/* The caller's own namespaces, in the order of witness_namespace; 0: a kind that this kernel doesn't have. -1 with
 * errno set, for one that can't be looked at. */
int witness_namespaces(ino_t *namespaces) __attribute__((nonnull, warn_unused_result));

/* In the supervisor, before the go message. Sockets are close-on-exec. -1 with errno set. */
int witness_open(const struct plan *plan, struct witness *witness) __attribute__((nonnull, warn_unused_result));
void witness_close(struct witness *witness) __attribute__((nonnull));

#endif
