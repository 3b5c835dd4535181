/* policy.h: what the operator grants and waives. All zero grants nothing beyond the system roots and waives nothing. */
#ifndef PINFOLD_POLICY_POLICY_H
#define PINFOLD_POLICY_POLICY_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum access {
    ACCESS_READ,   /* read and execute */
    ACCESS_WRITE,  /* read, execute and change */
    ACCESS_SOCKET, /* connect to one unix socket */
};

struct grant {
    enum access access;
    const char *path;   /* as the operator wrote it */
    const char *option; /* the option it came from, for messages */
};

struct policy {
    const char *workspace; /* NULL: the current directory */
    LIST(struct grant) grants;
    LIST(const char *) environment; /* NAME or NAME=VALUE */
    LIST(int) descriptors;          /* --fd N */
    bool no_descriptors;            /* --fd none: also no /dev/fd/N arguments */
    uint32_t waived;                /* set of guarantees */
    uint64_t timeout;               /* milliseconds; 0: none */
    uint64_t grace;                 /* milliseconds between SIGTERM and SIGKILL */
    uint64_t output_limit;          /* bytes for each of stdout and stderr; 0: none */
    const char *receipt;            /* FILE or fd:N; NULL: none */
    const char *backend;            /* NULL: the best that the host has */
    char *const *command;           /* NULL-terminated */
};

enum { GRACE_DEFAULT = 500 };

#endif
