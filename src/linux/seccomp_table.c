/* seccomp_table.c (pure, data): which calls are closed, and with which errno.
 *
 * A call that programs try in order to find out whether it is there gets ENOSYS, so that they fall back; one that is
 * refused to ordinary users anyway gets EPERM, as they know it. Numbers above the highest known one get ENOSYS: what
 * a newer kernel adds is closed until somebody has looked at it. */
#include "linux/seccomp.h"
#include "linux/uapi.h"

/* Calls that only some architectures have. */
#ifndef SYS_modify_ldt
#define SYS_modify_ldt -1
#define SYS_iopl -1
#define SYS_ioperm -1
#define SYS_uselib -1
#define SYS_ustat -1
#define SYS_sysfs -1
#define SYS_chown -1
#define SYS_chmod -1
#define SYS_open -1
#define SYS_creat -1
#define SYS_mknod -1
#define SYS_lchown -1
#define SYS_poll -1
#define SYS_create_module -1
#define SYS_get_kernel_syms -1
#define SYS_query_module -1
#define SYS__sysctl -1
#endif

static const struct seccomp_rule command_rules[] = {
    /* namespaces: a new one would give capabilities to mount, to reach the network, to set ids */
    {SYS_unshare, ACTION_UNSHARE},
    {SYS_clone, ACTION_CLONE},
    {SYS_clone3, ACTION_ENOSYS}, /* its flags are behind a pointer; libc falls back to clone */
    {SYS_setns, ACTION_EPERM},
    /* mounts, old and new interface */
    {SYS_mount, ACTION_EPERM},
    {SYS_umount2, ACTION_EPERM},
    {SYS_pivot_root, ACTION_EPERM},
    {SYS_chroot, ACTION_EPERM},
    {SYS_fsopen, ACTION_EPERM},
    {SYS_fsconfig, ACTION_EPERM},
    {SYS_fsmount, ACTION_EPERM},
    {SYS_fspick, ACTION_EPERM},
    {SYS_open_tree, ACTION_EPERM},
    {SYS_move_mount, ACTION_EPERM},
    {SYS_mount_setattr, ACTION_EPERM},
    {CALL_statmount, ACTION_EPERM},
    {CALL_listmount, ACTION_EPERM},
    {CALL_open_tree_attr, ACTION_EPERM},
    {SYS_open_by_handle_at, ACTION_EPERM},
    {SYS_swapon, ACTION_EPERM},
    {SYS_swapoff, ACTION_EPERM},
    {SYS_quotactl, ACTION_EPERM},
    {443 /* quotactl_fd, 5.14 */, ACTION_EPERM},
    /* large and young parts of the kernel, each a way around this filter or a frequent source of faults */
    {SYS_io_uring_setup, ACTION_EPERM},
    {SYS_io_uring_enter, ACTION_EPERM},
    {SYS_io_uring_register, ACTION_EPERM},
    {SYS_bpf, ACTION_EPERM},
    {SYS_perf_event_open, ACTION_EPERM},
    {SYS_userfaultfd, ACTION_EPERM},
    {SYS_fanotify_init, ACTION_EPERM},
    {SYS_fanotify_mark, ACTION_EPERM},
    {SYS_kcmp, ACTION_EPERM},
    {SYS_lookup_dcookie, ACTION_ENOSYS},
    /* keyrings are shared by user, not by namespace */
    {SYS_add_key, ACTION_EPERM},
    {SYS_request_key, ACTION_EPERM},
    {SYS_keyctl, ACTION_EPERM},
    /* the machine: modules, kexec, clock, accounting, ports */
    {SYS_init_module, ACTION_EPERM},
    {SYS_finit_module, ACTION_EPERM},
    {SYS_delete_module, ACTION_EPERM},
    {SYS_kexec_load, ACTION_EPERM},
    {SYS_kexec_file_load, ACTION_EPERM},
    {SYS_reboot, ACTION_EPERM},
    {SYS_acct, ACTION_EPERM},
    {SYS_syslog, ACTION_EPERM},
    {SYS_vhangup, ACTION_EPERM},
    {SYS_settimeofday, ACTION_EPERM},
    {SYS_clock_settime, ACTION_EPERM},
    {SYS_adjtimex, ACTION_EPERM},
    {SYS_clock_adjtime, ACTION_EPERM},
    {SYS_sethostname, ACTION_EPERM},
    {SYS_setdomainname, ACTION_EPERM},
    {SYS_nfsservctl, ACTION_ENOSYS},
    {SYS_modify_ldt, ACTION_EPERM},
    {SYS_iopl, ACTION_EPERM},
    {SYS_ioperm, ACTION_EPERM},
    {SYS_uselib, ACTION_ENOSYS},
    {SYS_ustat, ACTION_ENOSYS},
    {SYS_sysfs, ACTION_ENOSYS},
    {SYS_create_module, ACTION_ENOSYS},
    {SYS_get_kernel_syms, ACTION_ENOSYS},
    {SYS_query_module, ACTION_ENOSYS},
    {SYS__sysctl, ACTION_ENOSYS},
    /* by argument */
    {SYS_socket, ACTION_SOCKET},
    {SYS_socketpair, ACTION_SOCKETPAIR},
    {SYS_ioctl, ACTION_IOCTL},
    {SYS_personality, ACTION_PERSONALITY},
    /* a core limit of 0 would hand crashes to the host's handler */
    {SYS_setrlimit, ACTION_SETRLIMIT},
    {SYS_prlimit64, ACTION_PRLIMIT},
    /* a set-user-ID file left in the workspace would be run by others on the host */
    {SYS_chmod, ACTION_CHMOD},
    {SYS_fchmod, ACTION_CHMOD},
    {SYS_fchmodat, ACTION_FCHMODAT},
    {CALL_fchmodat2, ACTION_FCHMODAT},
    /* one that is created with the bit is empty, and a write takes the bit away, unless root writes: a root caller's
     * later `tee` into it would make it what the command wanted. openat2 has its mode behind a pointer. */
    {SYS_open, ACTION_ROOT_OPEN},
    {SYS_openat, ACTION_ROOT_OPENAT},
    {SYS_creat, ACTION_ROOT_CREATE},
    {SYS_mknod, ACTION_ROOT_CREATE},
    {SYS_mknodat, ACTION_ROOT_MKNODAT},
    {SYS_openat2, ACTION_ROOT_ENOSYS},
    /* no device nodes, not even whiteouts */
    {SYS_renameat2, ACTION_RENAME},
    {SYS_fcntl, ACTION_FCNTL},
    {SYS_setuid, ACTION_SETUID},
    {SYS_setreuid, ACTION_SETREUID},
    {SYS_setresuid, ACTION_SETRESUID},
    {SYS_setgid, ACTION_SETGID},
    {SYS_setregid, ACTION_SETREGID},
    {SYS_setresgid, ACTION_SETRESGID},
    {SYS_chown, ACTION_CHOWN},
    {SYS_lchown, ACTION_CHOWN},
    {SYS_fchown, ACTION_CHOWN},
    {SYS_fchownat, ACTION_FCHOWNAT},
};

const struct seccomp_table seccomp_command = {
    .rules = command_rules,
    .count = sizeof command_rules / sizeof command_rules[0],
    .others = ACTION_ALLOW,
    .above = ACTION_ENOSYS,
    .highest = CALL_HIGHEST_KNOWN,
};

static const struct seccomp_rule relay_rules[] = {
    {SYS_read, ACTION_ALLOW},  {SYS_write, ACTION_ALLOW},      {SYS_poll, ACTION_ALLOW},
    {SYS_ppoll, ACTION_ALLOW}, {SYS_sendto, ACTION_ALLOW},     {SYS_recvfrom, ACTION_ALLOW},
    {SYS_lseek, ACTION_ALLOW}, {SYS_close, ACTION_ALLOW},      {SYS_ioctl, ACTION_RELAY_IOCTL},
    {SYS_exit, ACTION_ALLOW},  {SYS_exit_group, ACTION_ALLOW}, {SYS_restart_syscall, ACTION_ALLOW},
};

const struct seccomp_table seccomp_relay = {
    .rules = relay_rules,
    .count = sizeof relay_rules / sizeof relay_rules[0],
    .others = ACTION_KILL,
    .above = ACTION_KILL,
    .highest = CALL_HIGHEST_KNOWN,
};
