/* grant.h: what a policy is made of: one grant, one variable, one number, one ban. Pure.
 *
 * Where something was asked for stands beside it, for messages: an option ("--read"), or FILE:LINE:COLUMN: KEY. */
#ifndef PINFOLD_POLICY_GRANT_H
#define PINFOLD_POLICY_GRANT_H

#include <stdbool.h>
#include <stdint.h>

enum access {
    ACCESS_READ,   /* read and execute */
    ACCESS_WRITE,  /* read, execute and change */
    ACCESS_SOCKET, /* connect to one unix socket */
};

/* A path that must not change although it lies in a writable root. */
struct protect {
    const char *path, *origin;
};

struct grant {
    enum access access;
    const char *path; /* as the operator wrote it */
    const char *origin;
    unsigned layer; /* in a merged policy: which layer asked for it; bans of earlier ones apply */
    bool create;    /* in a merged policy: a folder to be made where there is nothing */
};

/* What must not be read, also where it is granted. */
struct denial {
    const char *word; /* a path or, with wildcards, several: see pattern.h */
    const char *origin;
};

struct variable {
    const char *entry; /* NAME passes the caller's, NAME=VALUE sets one */
    const char *origin;
};

/* One number. */
struct setting {
    uint64_t value;
    const char *origin; /* NULL: not set, and value is 0 */
};

#endif
