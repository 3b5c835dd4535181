/* choice.h: settings that are one of a few words, and what no later layer may open. Pure. */
#ifndef PINFOLD_POLICY_CHOICE_H
#define PINFOLD_POLICY_CHOICE_H

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

/* Toolchains of the home that PATH shows, read-only. */
enum toolchains {
    TOOLCHAINS_NONE,
    TOOLCHAINS_AUTO,
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
