/* Numbers and structures of newer system calls that attacks on files and mounts make and that the C library's
 * headers don't have (pure declarations). Every number here is the same on all architectures. */
#ifndef CALLS_H
#define CALLS_H

#include <stdint.h>

enum {
    CALL_OPEN_TREE = 428,
    CALL_MOVE_MOUNT = 429,
    CALL_FSOPEN = 430,
    CALL_FSCONFIG = 431,
    CALL_FSMOUNT = 432,
    CALL_FSPICK = 433,
    CALL_OPENAT2 = 437,
    CALL_MOUNT_SETATTR = 442,
    CALL_FCHMODAT2 = 452,
    CALL_LISTMOUNT = 458,
    CALL_SETXATTRAT = 463,
    CALL_REMOVEXATTRAT = 466,
    CALL_OPEN_TREE_ATTR = 467,
    CALL_FILE_SETATTR = 469,
};

struct call_open_how {
    uint64_t flags, mode, resolve;
};

struct call_mount_attr {
    uint64_t attr_set, attr_clr, propagation, userns_fd;
};

struct call_xattr_args {
    uint64_t value;
    uint32_t size, flags;
};

struct call_file_attr {
    uint64_t xflags;
    uint32_t extsize, nextents, projid, cowextsize;
};

struct call_mount_id_request {
    uint32_t size, spare;
    uint64_t mount_id, parameter;
};

/* The kernel's struct file_handle without its flexible end, with room for the longest handle. */
struct call_file_handle {
    uint32_t bytes;
    int32_t type;
    unsigned char handle[128];
};

#endif
