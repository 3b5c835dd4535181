/* grant.h: what a policy is made of: one grant, one variable, one number, one ban. Pure.
 *
 * Where something was asked for stands beside it, for messages: an option ("--read"), or FILE:LINE:COLUMN: KEY. */
#ifndef PINFOLD_POLICY_GRANT_H
#define PINFOLD_POLICY_GRANT_H

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

/* What becomes of the git directories of writable roots. */
enum git {
    GIT_READONLY, /* protected */
    GIT_WRITABLE, /* changed like everything else */
};

/* A path that must not change although it lies in a writable root. */
struct protect {
    const char *path, *origin;
};

/* Toolchains of the home that PATH shows, read-only. */
enum toolchains {
    TOOLCHAINS_NONE,
    TOOLCHAINS_AUTO,
};

struct grant {
    enum access access;
    const char *path; /* as the operator wrote it */
    const char *origin;
    unsigned layer; /* in a merged policy: which layer asked for it; bans of earlier ones apply */
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

enum ban_kind {
    BAN_READ,
    BAN_WRITE,
    BAN_SOCKET,
    BAN_DESCRIPTOR,
    BAN_VARIABLE,
    BAN_WAIVER,
    BAN_MODE,
    BAN_GIT,
    BAN_LIMIT,
    BAN_PROFILE,
    BAN_SESSION,
    BAN_TOOLCHAINS,
};

/* What no later layer may open (the key "never"). */
struct ban {
    enum ban_kind kind;
    const char *value; /* a path and all below and above it, a variable, a guarantee; NULL: all of the kind */
    const char *origin;
    unsigned layer;
};

/* "direct", "discard", "readonly"; -1 for another word. */
int mode_find(const char *name) __attribute__((nonnull));
const char *mode_name(enum mode mode);

/* "read-only", "writable"; -1 for another word. */
int git_find(const char *name) __attribute__((nonnull));
const char *git_name(enum git git);

/* "none", "auto"; -1 for another word. */
int toolchains_find(const char *name) __attribute__((nonnull));
const char *toolchains_name(enum toolchains toolchains);

#endif
