/* uapi.h: kernel constants that Debian 12's headers lack, or that clash with libc's. Kernel versions in comments say
 * from when a thing exists. */
#ifndef PINFOLD_LINUX_UAPI_H
#define PINFOLD_LINUX_UAPI_H

#include <stdint.h>
#include <sys/syscall.h>

/* The mount API of 5.2, mount_setattr of 5.12. */
enum {
    OPEN_TREE_CLONE_ = 1,
    OPEN_TREE_CLOEXEC_ = 02000000,
    MOVE_MOUNT_F_EMPTY = 0x4,
    MOVE_MOUNT_T_EMPTY = 0x40,
    AT_RECURSIVE_ = 0x8000,
    FSOPEN_CLOEXEC_ = 1,
    FSMOUNT_CLOEXEC_ = 1,
    FSCONFIG_SET_FLAG_ = 0,
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
