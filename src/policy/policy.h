/* policy.h: what is granted and waived. All zero grants nothing beyond the system roots and waives nothing.
 *
 * A policy is made of layers, each a struct policy itself: what pinfold has built in, the operator's files, a profile,
 * the command line; see merge.h. */
#ifndef PINFOLD_POLICY_POLICY_H
#define PINFOLD_POLICY_POLICY_H

#include "base/arena.h"
#include "base/error.h"
#include "plan/guarantee.h"

#include <stdbool.h>
#include <stdint.h>

enum access {
    ACCESS_READ,   /* read and execute */
    ACCESS_WRITE,  /* read, execute and change */
    ACCESS_SOCKET, /* connect to one unix socket */
};

/* What becomes of changes in the workspace, from the widest to the narrowest. */
enum mode {
    MODE_DIRECT,   /* they are made */
    MODE_DISCARD,  /* made in the box, gone at its end */
    MODE_READONLY, /* refused */
};

/* Where something was asked for stands beside it, for messages: an option ("--read"), or FILE:LINE:COLUMN: KEY. */
struct grant {
    enum access access;
    const char *path; /* as the operator wrote it */
    const char *origin;
    unsigned layer; /* in a merged policy: which layer asked for it; bans of earlier ones apply */
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

enum ban_kind {
    BAN_READ,
    BAN_WRITE,
    BAN_SOCKET,
    BAN_DESCRIPTOR,
    BAN_VARIABLE,
    BAN_WAIVER,
    BAN_MODE,
    BAN_LIMIT,
    BAN_PROFILE
};

/* What no later layer may open (the key "never"). */
struct ban {
    enum ban_kind kind;
    const char *value; /* a path and all below and above it, a variable, a guarantee; NULL: all of the kind */
    const char *origin;
    unsigned layer;
};

struct policy;
struct profile {
    const char *name, *origin;
    const char *extends, *extends_origin; /* NULL: none */
    struct policy *policy;
};

struct policy {
    const char *workspace; /* NULL: the current directory */
    struct setting mode;   /* enum mode */
    LIST(struct grant) grants;
    LIST(struct variable) environment;
    LIST(int) descriptors;                      /* --fd N */
    bool no_descriptors;                        /* --fd none: also no /dev/fd/N arguments */
    uint32_t waived;                            /* set of guarantees */
    const char *waived_origin[GUARANTEE_COUNT]; /* of those waived */
    struct setting timeout;                     /* milliseconds; 0: none */
    struct setting grace;                       /* milliseconds between SIGTERM and SIGKILL */
    struct setting output_limit;                /* bytes for each of stdout and stderr; 0: none */
    LIST(struct ban) bans;
    LIST(struct profile) profiles;
    const char *profile, *profile_origin; /* the profile that is asked for; NULL: none */
    LIST(const char *) files;             /* the operator's policy files it was made from, as they were opened */
    unsigned layers;                      /* in a merged policy: how many were merged */
    const char *policy;                   /* --policy FILE or fd:N; NULL: none */
    const char *receipt;                  /* FILE or fd:N; NULL: none */
    const char *backend;                  /* NULL: the best that the host has */
    char *const *command;                 /* NULL-terminated */
};

/* "direct", "discard", "readonly"; -1 for another word. */
int mode_find(const char *name) __attribute__((nonnull));
const char *mode_name(enum mode mode);

#endif
