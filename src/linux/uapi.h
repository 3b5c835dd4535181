/* uapi.h: kernel constants that Debian 12's headers lack, or that clash with libc's. Kernel versions in comments say
 * from when a thing exists. */
#ifndef PINFOLD_LINUX_UAPI_H
#define PINFOLD_LINUX_UAPI_H

#include <stdint.h>
#include <sys/syscall.h>

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
    LANDLOCK_VERSION_QUERY = 1,   /* flag of landlock_create_ruleset */
    LANDLOCK_RULE_BENEATH = 1,    /* rule type */
};

struct landlock_ruleset { /* struct landlock_ruleset_attr; the kernel takes shorter ones from older callers */
    uint64_t handled_access_fs, handled_access_net, scoped;
};

struct landlock_beneath { /* struct landlock_path_beneath_attr */
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

/* The mount API of 5.2, mount_setattr of 5.12. */
enum {
    OPEN_TREE_CLONE_ = 1,
    OPEN_TREE_CLOEXEC_ = 02000000,
    MOVE_MOUNT_F_EMPTY = 0x4,
    MOVE_MOUNT_T_EMPTY = 0x40,
    AT_RECURSIVE_ = 0x8000,
    FSOPEN_CLOEXEC_ = 1,
    FSMOUNT_CLOEXEC_ = 1,
    FSCONFIG_SET_STRING_ = 1,
    FSCONFIG_CMD_CREATE_ = 6,
    MOUNT_RDONLY = 0x1,
    MOUNT_NOSUID = 0x2,
    MOUNT_NODEV = 0x4,
    MOUNT_NOEXEC = 0x8,
    MOUNT_IDMAP = 0x100000,
};

struct mount_attributes { /* struct mount_attr */
    uint64_t attr_set, attr_clr, propagation, userns_fd;
};

struct clone_arguments { /* struct clone_args, 5.3 */
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* openat2, 5.6 */
enum { RESOLVE_NO_MAGICLINKS_ = 0x2, RESOLVE_NO_SYMLINKS_ = 0x4, RESOLVE_BENEATH_ = 0x8 };
struct open_how_ {
    uint64_t flags, mode, resolve;
};

/* Calls newer than the headers; from 424 on, numbers are the same on every architecture. */
enum { CALL_HIGHEST_KNOWN = 469 /* file_setattr, 6.17 */ };
enum {
    CALL_fchmodat2 = 452,
    CALL_statmount = 457,
    CALL_listmount = 458,
    CALL_open_tree_attr = 467,
};

#endif
