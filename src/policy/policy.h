/* policy.h: what is granted and waived. All zero grants nothing beyond the system roots and waives nothing.
 *
 * A policy is made of layers, each a struct policy itself: what pinfold has built in, the operator's files, a profile,
 * the command line; see merge.h. */
#ifndef PINFOLD_POLICY_POLICY_H
#define PINFOLD_POLICY_POLICY_H

#include "base/arena.h"
#include "base/error.h"
#include "plan/guarantee.h"
#include "policy/choice.h"
#include "policy/grant.h"

#include <stdbool.h>

struct policy;
struct profile {
    const char *name, *origin;
    const char *extends, *extends_origin; /* NULL: none */
    struct policy *policy;
};

struct policy {
    const char *workspace;     /* NULL: the current directory */
    struct setting mode;       /* enum mode */
    struct setting git;        /* enum git */
    struct setting toolchains; /* enum toolchains */
    struct setting create;     /* of one layer, for its own grants: 1: folders of --write are made */
    LIST(struct grant) grants;
    LIST(struct denial) denials;
    LIST(struct protect) protects;
    LIST(struct variable) environment;
    LIST(int) descriptors; /* --fd N */
    bool unheard;          /* its 0 to 2 are /dev/null, whatever the caller's are: for a box in which nothing is run */
    bool idle;             /* nothing is run in it, so no folder is made for it either */
    bool no_descriptors;   /* --fd none: also no /dev/fd/N arguments */
    uint32_t waived;       /* set of guarantees */
    const char *waived_origin[GUARANTEE_COUNT]; /* of those waived */
    struct setting timeout;                     /* milliseconds; 0: none */
    struct setting grace;                       /* milliseconds between SIGTERM and SIGKILL */
    struct setting output_limit;                /* bytes for each of stdout and stderr; 0: none */
    LIST(struct ban) bans;
    LIST(struct profile) profiles;
    const char *profile, *profile_origin; /* the profile that is asked for; NULL: none */
    text_list files;                      /* the operator's policy files it was made from, as they were opened */
    text_list guards;                     /* what no writable root may hold: those files, what leads to them, and where
                                           * pinfold looks for them */
    const char *workspace_file;           /* the workspace's .pinfold.json, if it took part */
    bool workspace_trusted;               /* and was pinned */
    unsigned layers;                      /* in a merged policy: how many were merged */
    const char *session, *session_origin; /* its id; "none" in a layer takes an earlier one's away; NULL: none */
    const char *state;                    /* in a merged policy: where sessions are kept, canonical; NULL: nowhere */
    const char *keep;    /* in a merged policy: where all else is kept, canonical: state, if it can be */
    const char *policy;  /* --policy FILE or fd:N; NULL: none */
    const char *receipt; /* FILE or fd:N; NULL: none */
    const char *backend, *backend_origin; /* NULL: the best that the host has */
    char *const *command;                 /* NULL-terminated */
};

#endif
