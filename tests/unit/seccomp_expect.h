/* seccomp_expect.h: what the filters must answer, written down by hand from the numbers of the kernel's tables and not
 * from pinfold's: calls by {name, x86_64, arm64, answer}, -1 where an architecture doesn't have one. */
#ifndef PINFOLD_TESTS_SECCOMP_EXPECT_H
#define PINFOLD_TESTS_SECCOMP_EXPECT_H

#include <stddef.h>
#include <stdint.h>

enum answer {
    OPEN,     /* the kernel decides */
    NO_PERM,  /* EPERM */
    NO_CALL,  /* ENOSYS */
    DEADLY,   /* SIGSYS to the whole process */
    BY_FLAGS, /* clone and unshare: no namespaces */
    BY_SOCKET,
    BY_PAIR,
    BY_IOCTL,
    BY_PERSONALITY,
    BY_IDS,       /* with one mapped id: that one or -1 */
    BY_OWNER,     /* the same, of files */
    BY_OPEN,      /* of a root caller: no such bits where a file is made */
    BY_MAKE,      /* of a root caller: no such bits */
    ROOT_NO_CALL, /* of a root caller: ENOSYS */
    BY_RENAME,    /* no whiteout */
    BY_FCNTL,     /* no write hint */
    BY_RLIMIT,    /* the core limit stays, with success */
    BY_PRLIMIT,   /* the same; EPERM with the old value, and for pid 1 */
    BY_MODE,      /* no set-user-ID bit; for a root caller no set-group-ID bit either */
};

struct expected {
    const char *name;
    int x86_64, arm64;
    enum answer answer;
    unsigned first, last; /* BY_IDS and BY_OWNER: which arguments are ids */
    int group;            /* BY_IDS: they are gids */
};

/* Most are not judged by arguments that are ids or modes. */
#define CALL(name, x86_64, arm64, answer)                                                                              \
    { name, x86_64, arm64, answer, 0, 0, 0 }

static const struct expected expected_command[] = {
    CALL("unshare", 272, 97, BY_FLAGS),
    CALL("setrlimit", 160, 164, BY_RLIMIT),
    CALL("prlimit64", 302, 261, BY_PRLIMIT),
    {"open", 2, -1, BY_OPEN, 1, 2, 0},
    {"openat", 257, 56, BY_OPEN, 2, 3, 0},
    {"creat", 85, -1, BY_MAKE, 1, 1, 0},
    {"mknod", 133, -1, BY_MAKE, 1, 1, 0},
    {"mknodat", 259, 33, BY_MAKE, 2, 2, 0},
    CALL("openat2", 437, 437, ROOT_NO_CALL),
    {"renameat2", 316, 276, BY_RENAME, 4, 4, 0},
    CALL("fcntl", 72, 25, BY_FCNTL),
    {"chmod", 90, -1, BY_MODE, 1, 1, 0},
    {"fchmod", 91, 52, BY_MODE, 1, 1, 0},
    {"fchmodat", 268, 53, BY_MODE, 2, 2, 0},
    {"fchmodat2", 452, 452, BY_MODE, 2, 2, 0},
    CALL("clone", 56, 220, BY_FLAGS),
    CALL("clone3", 435, 435, NO_CALL),
    CALL("setns", 308, 268, NO_PERM),
    CALL("mount", 165, 40, NO_PERM),
    CALL("umount2", 166, 39, NO_PERM),
    CALL("pivot_root", 155, 41, NO_PERM),
    CALL("chroot", 161, 51, NO_PERM),
    CALL("open_tree", 428, 428, NO_PERM),
    CALL("move_mount", 429, 429, NO_PERM),
    CALL("fsopen", 430, 430, NO_PERM),
    CALL("fsconfig", 431, 431, NO_PERM),
    CALL("fsmount", 432, 432, NO_PERM),
    CALL("fspick", 433, 433, NO_PERM),
    CALL("mount_setattr", 442, 442, NO_PERM),
    CALL("quotactl_fd", 443, 443, NO_PERM),
    CALL("statmount", 457, 457, NO_PERM),
    CALL("listmount", 458, 458, NO_PERM),
    CALL("open_tree_attr", 467, 467, NO_PERM),
    CALL("open_by_handle_at", 304, 265, NO_PERM),
    CALL("swapon", 167, 224, NO_PERM),
    CALL("swapoff", 168, 225, NO_PERM),
    CALL("quotactl", 179, 60, NO_PERM),
    CALL("io_uring_setup", 425, 425, NO_PERM),
    CALL("io_uring_enter", 426, 426, NO_PERM),
    CALL("io_uring_register", 427, 427, NO_PERM),
    CALL("bpf", 321, 280, NO_PERM),
    CALL("perf_event_open", 298, 241, NO_PERM),
    CALL("userfaultfd", 323, 282, NO_PERM),
    CALL("fanotify_init", 300, 262, NO_PERM),
    CALL("fanotify_mark", 301, 263, NO_PERM),
    CALL("kcmp", 312, 272, NO_PERM),
    CALL("lookup_dcookie", 212, 18, NO_CALL),
    CALL("add_key", 248, 217, NO_PERM),
    CALL("request_key", 249, 218, NO_PERM),
    CALL("keyctl", 250, 219, NO_PERM),
    CALL("init_module", 175, 105, NO_PERM),
    CALL("finit_module", 313, 273, NO_PERM),
    CALL("delete_module", 176, 106, NO_PERM),
    CALL("kexec_load", 246, 104, NO_PERM),
    CALL("kexec_file_load", 320, 294, NO_PERM),
    CALL("reboot", 169, 142, NO_PERM),
    CALL("acct", 163, 89, NO_PERM),
    CALL("syslog", 103, 116, NO_PERM),
    CALL("vhangup", 153, 58, NO_PERM),
    CALL("settimeofday", 164, 170, NO_PERM),
    CALL("clock_settime", 227, 112, NO_PERM),
    CALL("adjtimex", 159, 171, NO_PERM),
    CALL("clock_adjtime", 305, 266, NO_PERM),
    CALL("sethostname", 170, 161, NO_PERM),
    CALL("setdomainname", 171, 162, NO_PERM),
    CALL("nfsservctl", 180, 42, NO_CALL),
    CALL("modify_ldt", 154, -1, NO_PERM),
    CALL("iopl", 172, -1, NO_PERM),
    CALL("ioperm", 173, -1, NO_PERM),
    CALL("uselib", 134, -1, NO_CALL),
    CALL("ustat", 136, -1, NO_CALL),
    CALL("sysfs", 139, -1, NO_CALL),
    CALL("_sysctl", 156, -1, NO_CALL),
    CALL("create_module", 174, -1, NO_CALL),
    CALL("get_kernel_syms", 177, -1, NO_CALL),
    CALL("query_module", 178, -1, NO_CALL),
    CALL("socket", 41, 198, BY_SOCKET),
    CALL("socketpair", 53, 199, BY_PAIR),
    CALL("ioctl", 16, 29, BY_IOCTL),
    CALL("personality", 135, 92, BY_PERSONALITY),
    CALL("setuid", 105, 146, BY_IDS),
    {"setreuid", 113, 145, BY_IDS, 0, 1, 0},
    {"setresuid", 117, 147, BY_IDS, 0, 2, 0},
    {"setgid", 106, 144, BY_IDS, 0, 0, 1},
    {"setregid", 114, 143, BY_IDS, 0, 1, 1},
    {"setresgid", 119, 149, BY_IDS, 0, 2, 1},
    {"chown", 92, -1, BY_OWNER, 1, 2, 0},
    {"lchown", 94, -1, BY_OWNER, 1, 2, 0},
    {"fchown", 93, 55, BY_OWNER, 1, 2, 0},
    {"fchownat", 260, 54, BY_OWNER, 2, 3, 0},
};

/* The relay moves bytes and nothing else; every call that is not here kills it. */
static const struct expected expected_relay[] = {
    CALL("read", 0, 63, OPEN),       CALL("write", 1, 64, OPEN),        CALL("close", 3, 57, OPEN),
    CALL("poll", 7, -1, OPEN),       CALL("ppoll", 271, 73, OPEN),      CALL("lseek", 8, 62, OPEN),
    CALL("ioctl", 16, 29, BY_IOCTL), CALL("sendto", 44, 206, OPEN),     CALL("recvfrom", 45, 207, OPEN),
    CALL("exit", 60, 93, OPEN),      CALL("exit_group", 231, 94, OPEN), CALL("restart_syscall", 219, 128, OPEN),
};

#undef CALL

#endif
