/* seccomp.h: the system call filter. The tables are data (seccomp_table.c), the compiler is pure (seccomp_compile.c):
 * a search tree over ranges of call numbers, arch check first. */
#ifndef PINFOLD_LINUX_SECCOMP_H
#define PINFOLD_LINUX_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum seccomp_action {
    ACTION_ALLOW,
    ACTION_KILL,
    ACTION_EPERM,
    ACTION_ENOSYS,
    /* by argument; see seccomp_arguments.c */
    ACTION_SOCKET,
    ACTION_SOCKETPAIR,
    ACTION_CLONE,
    ACTION_UNSHARE,
    ACTION_IOCTL,
    ACTION_RELAY_IOCTL,
    ACTION_PERSONALITY,
    ACTION_SETRLIMIT,
    ACTION_PRLIMIT,
    ACTION_RENAME,
    ACTION_FCNTL,
    ACTION_CHMOD,
    ACTION_FCHMODAT,
    /* of a root caller's box; else allowed */
    ACTION_ROOT_OPEN,
    ACTION_ROOT_OPENAT,
    ACTION_ROOT_CREATE,
    ACTION_ROOT_MKNODAT,
    ACTION_ROOT_ENOSYS,
    /* of a box with one id; else allowed */
    ACTION_SETUID,
    ACTION_SETREUID,
    ACTION_SETRESUID,
    ACTION_SETGID,
    ACTION_SETREGID,
    ACTION_SETRESGID,
    ACTION_CHOWN,
    ACTION_FCHOWNAT
};

struct seccomp_rule {
    int number; /* of the call; negative: this architecture doesn't have it */
    enum seccomp_action action;
};

/* A table: rules for single calls; what the other known numbers get; what numbers above the known ones get. */
struct seccomp_table {
    const struct seccomp_rule *rules;
    size_t count;
    enum seccomp_action others, above;
    int highest; /* the highest known number */
};

extern const struct seccomp_table seccomp_command; /* the command in the box */
extern const struct seccomp_table seccomp_relay;   /* our own relay: everything else kills */

struct seccomp_program {
    struct sock_filter code[2048];
    unsigned short count;
    bool too_long;
};

/* Whose box it is. */
struct seccomp_ids {
    bool single;       /* one mapped id: setuid and chown to another get EPERM as outside, not the kernel's EINVAL */
    bool root;         /* of a root caller: its files are root's on the disk, so setgid is closed as well as setuid */
    unsigned uid, gid; /* the mapped ones, when single */
};

/* 0, or -1 when the program would be too long or the table is not sound. */
int seccomp_compile(const struct seccomp_table *table, const struct seccomp_ids *ids, struct seccomp_program *program)
    __attribute__((nonnull, warn_unused_result));

#endif
