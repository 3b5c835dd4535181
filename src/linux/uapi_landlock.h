/* uapi_landlock.h: Landlock's constants; Debian 12's header stops at ABI 2. */
#ifndef PINFOLD_LINUX_UAPI_LANDLOCK_H
#define PINFOLD_LINUX_UAPI_LANDLOCK_H

#include <stdint.h>

enum { LANDLOCK_ABI_USED = 9 }; /* the last one that landlock.c has something for */

/* Landlock (5.13): filesystem rights by bit; what an ABI knows is in landlock.c. */
enum {
    LANDLOCK_EXECUTE = 1 << 0,
    LANDLOCK_WRITE_FILE = 1 << 1,
    LANDLOCK_READ_FILE = 1 << 2,
    LANDLOCK_READ_DIR = 1 << 3,
    LANDLOCK_REMOVE_DIR = 1 << 4,
    LANDLOCK_REMOVE_FILE = 1 << 5,
    LANDLOCK_MAKE_CHAR = 1 << 6,
    LANDLOCK_MAKE_DIR = 1 << 7,
    LANDLOCK_MAKE_REG = 1 << 8,
    LANDLOCK_MAKE_SOCK = 1 << 9,
    LANDLOCK_MAKE_FIFO = 1 << 10,
    LANDLOCK_MAKE_BLOCK = 1 << 11,
    LANDLOCK_MAKE_SYM = 1 << 12,
    LANDLOCK_REFER = 1 << 13,        /* ABI 2, 5.19 */
    LANDLOCK_TRUNCATE = 1 << 14,     /* ABI 3, 6.2 */
    LANDLOCK_IOCTL_DEV = 1 << 15,    /* ABI 5, 6.10 */
    LANDLOCK_RESOLVE_UNIX = 1 << 16, /* ABI 9, 7.1 */
    LANDLOCK_BIND_TCP = 1 << 0,      /* ABI 4, 6.7 */
    LANDLOCK_CONNECT_TCP = 1 << 1,
    LANDLOCK_BIND_UDP = 1 << 2, /* ABI 10, 7.2 */
    LANDLOCK_CONNECT_SEND_UDP = 1 << 3,
    LANDLOCK_SCOPE_ABSTRACT_UNIX = 1 << 0, /* ABI 6, 6.12 */
    LANDLOCK_SCOPE_SIGNAL = 1 << 1,
    LANDLOCK_VERSION_QUERY = 1, /* flag of landlock_create_ruleset */
    LANDLOCK_RULE_BENEATH = 1,  /* rule type */
};

struct landlock_ruleset { /* struct landlock_ruleset_attr; the kernel takes shorter ones from older callers */
    uint64_t handled_access_fs, handled_access_net, scoped;
};

struct landlock_beneath { /* struct landlock_path_beneath_attr */
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

#endif
