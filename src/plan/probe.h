/* probe.h: what this host has and what the names in the policy mean on it. Filled by a backend, read by compilers. */
#ifndef PINFOLD_PLAN_PROBE_H
#define PINFOLD_PLAN_PROBE_H

#include "plan/guarantee.h"
#include "plan/secret.h"
#include "plan/session.h"
#include "plan/protected.h"
#include "plan/place.h"

#include <stdbool.h>
#include <sys/types.h>

enum descriptor_kind {
    DESCRIPTOR_CLOSED,
    DESCRIPTOR_NULL, /* /dev/null */
    DESCRIPTOR_PIPE,
    DESCRIPTOR_FILE, /* regular file, memfd */
    DESCRIPTOR_SOCKET,
    DESCRIPTOR_TTY,
    DESCRIPTOR_DIRECTORY,
    DESCRIPTOR_OTHER,
};

struct descriptor {
    int number;
    enum descriptor_kind kind;
    bool readable, writable;
    dev_t dev;
    ino_t ino;
    bool from_argument; /* a command argument /dev/fd/N named it */
};

struct probe {
    char release[65]; /* of the kernel */
    int landlock_abi; /* 0: none */
    unsigned uid, gid;
    bool outer_root;         /* the caller is uid 0 here */
    int missing[STEP_COUNT]; /* errno with which a step was seen to fail; 0: not known to */
    const char *detail;      /* of the last step that failed: on what, or NULL */
    enum step detail_of;     /* that step */
    struct place executable; /* pinfold itself */
    struct place workspace;
    struct place current;      /* the current directory */
    struct place home;         /* the folder $HOME names; path is set also when it doesn't exist */
    struct place account_home; /* the home in the passwd file, if another */
    struct place work_tree;    /* a git work tree around the workspace, if any */
    struct place temporary[3], session[SESSION_FOLDERS]; /* /tmp, /var/tmp, /run; what is kept, once it is open */
    LIST(struct place) system;                           /* the system roots that exist as folders */
    LIST(struct place) grants;                           /* one for each of policy->grants */
    LIST(struct place) bans; /* one for each of policy->bans, all zero for those that name no path */
    shown_list mounts;       /* all that this process sees, the later on top */
    link_list links;
    bool aliased;                        /* another mount shows some of a home */
    text_list denials;                   /* one for each of policy->denials, absolute */
    secret_list secrets;                 /* of the floor and --deny: what is there, and what isn't but would be shown */
    text_list sockets;                   /* unix sockets found on the host, as canonical paths */
    struct protection protection;        /* what in writable roots must not change */
    LIST(struct piece) toolchains;       /* those of the home that PATH shows (unless the policy says none) */
    LIST(struct left_out) left_out;      /* what PATH names in the home, and isn't among them */
    LIST(struct place) private_places;   /* under /etc, not for everyone to read (looked for when root is kept) */
    LIST(struct descriptor) descriptors; /* 0, 1, 2, then the granted ones */
};

#endif
