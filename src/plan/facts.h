/* facts.h: what kind of host this is and how it is set, as doctor needs it. A launch never looks at any of it. */
#ifndef PINFOLD_PLAN_FACTS_H
#define PINFOLD_PLAN_FACTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum host_kind {
    HOST_PLAIN,
    HOST_WSL1,
    HOST_WSL2,
    HOST_CHROOT,
    HOST_USER_NAMESPACE, /* another's namespaces, and no container that names itself */
    HOST_CONTAINER,      /* of an unknown make */
    HOST_DOCKER,
    HOST_PODMAN,
    HOST_KUBERNETES,
    HOST_LXC,
    HOST_NSPAWN,
    HOST_GVISOR,
    HOST_KINDS
};

struct evidence {
    const char *source, *says; /* a file, variable or field, and what it says */
};

enum { FACTS_LIMITS = 7, FACTS_SYS_ADMIN = 21 /* CAP_SYS_ADMIN */ };
extern const char *const facts_limit[FACTS_LIMITS]; /* user.max_*_namespaces: user, mnt, pid, net, ipc, uts, cgroup */

/* Numbers are -1 and texts NULL where the host has no such thing or doesn't show it. */
struct facts {
    unsigned uid;
    bool foreign_namespaces; /* pid, ipc, uts or cgroup are not the kernel's first ones */
    bool user_namespace;     /* the user namespace isn't the first one */
    bool chrooted;           /* the root folder is seen to be another than its mount namespace's */
    bool docker_file;        /* /.dockerenv, which images leave behind as well */
    bool rootless;           /* Podman says so */
    const char *manager;     /* what a container's manager says of itself: "docker", "lxc", "systemd-nspawn", ... */
    const char *ci;          /* the continuous integration service whose variables are set */
    const char *system, *version;       /* name in os-release; /proc/version */
    const char *label;                  /* of the security module, such as docker-default (enforce) */
    const char *modules;                /* active security modules, comma-separated */
    const char *core_pattern;           /* kernel.core_pattern */
    bool selinux;                       /* SELinux enforces */
    long seccomp;                       /* 2: a filter is around pinfold */
    uint64_t bounding;                  /* capability bounding set */
    long userns_clone, userns_apparmor; /* kernel.unprivileged_userns_clone, .apparmor_restrict_unprivileged_userns */
    long most[FACTS_LIMITS];            /* user.max_*_namespaces */
    long panic_on_oom, oom_kills_asker, swap_kib, open_files, processes;
    text_list covered; /* what is mounted over parts of /proc */
    /* what follows from these: facts_judge */
    enum host_kind kind;
    bool docker_like; /* a filter, /proc covered, CAP_SYS_ADMIN out of reach: at least two of them, or all three */
    const char *words;
    LIST(struct evidence) evidence;
};

/* Note where something was seen. 0, or -1 when out of memory. */
int facts_note(struct arena *arena, struct facts *facts, const char *source, const char *says)
    __attribute__((nonnull, warn_unused_result));

/* Pure: kind and words from the rest. 0, or -1 when out of memory. */
int facts_judge(struct arena *arena, struct facts *facts) __attribute__((nonnull, warn_unused_result));

/* Pure: a user namespace was refused with `error`. In a chroot the kernel does that and nothing shows it; where nothing
 * that is seen explains it, a chroot is the reason. 0, or -1 when out of memory. */
int facts_refused(struct arena *arena, struct facts *facts, int error) __attribute__((nonnull, warn_unused_result));

/* The kind's name in --json: "plain", "docker", ... */
const char *facts_kind(enum host_kind kind);

/* Is it a container, whose own options decide what is allowed in it? */
bool facts_contained(const struct facts *facts) __attribute__((nonnull));
/* Is pinfold under a profile of a security module? */
bool facts_labelled(const struct facts *facts) __attribute__((nonnull));

#endif
