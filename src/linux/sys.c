/* sys.c (touching: everything). See sys.h. */
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <string.h>
#include <unistd.h>

pid_t sys_clone3_or_clone(struct clone_arguments *arguments) {
    long pid = syscall(SYS_clone3, arguments, sizeof *arguments);
    if (pid < 0 && errno == ENOSYS)
        pid = syscall(SYS_clone, arguments->flags | arguments->exit_signal, 0L, arguments->pidfd, 0L, 0L);
    return (pid_t)pid;
}

int sys_openat2(int folder, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how_ how = {.flags = flags, .resolve = resolve};
    long fd;
    do
        fd = syscall(SYS_openat2, folder, path, &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    return (int)fd;
}

int sys_open_tree(int folder, const char *path, unsigned flags) {
    return (int)syscall(SYS_open_tree, folder, path, flags);
}

int sys_move_mount(int from, const char *from_path, int to, const char *to_path, unsigned flags) {
    return (int)syscall(SYS_move_mount, from, from_path, to, to_path, flags);
}

int sys_fsopen(const char *type, unsigned flags) {
    return (int)syscall(SYS_fsopen, type, flags);
}

int sys_fsconfig(int fd, unsigned command, const char *key, const void *value, int aux) {
    return (int)syscall(SYS_fsconfig, fd, command, key, value, aux);
}

int sys_fsmount(int fd, unsigned flags, unsigned attributes) {
    return (int)syscall(SYS_fsmount, fd, flags, attributes);
}

int sys_mount_setattr(int fd, const char *path, unsigned flags, struct mount_attributes *attributes) {
    return (int)syscall(SYS_mount_setattr, fd, path, flags, attributes, sizeof *attributes);
}

int sys_pivot_root(const char *new_root, const char *put_old) {
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}

/* statx, of which musl 1.2.3 has no function: mask and time of birth at their places in its 256 bytes. */
int sys_birth(int at, const char *name, struct timespec *birth) {
    enum { BTIME = 0x800, SECONDS = 80, NANOSECONDS = 88, SIZE = 256 };
    unsigned char status[SIZE];
    uint32_t mask, nanoseconds;
    int64_t seconds;
    if (syscall(SYS_statx, at, name, AT_SYMLINK_NOFOLLOW, BTIME, status))
        return -1;
    memcpy(&mask, status, sizeof mask);
    memcpy(&seconds, status + SECONDS, sizeof seconds);
    memcpy(&nanoseconds, status + NANOSECONDS, sizeof nanoseconds);
    *birth = (struct timespec){seconds, nanoseconds};
    errno = ENODATA;
    return mask & BTIME ? 0 : -1;
}

int sys_rename_new(int at, const char *name, int to, const char *new_name) {
    enum { NOREPLACE = 1 };
    return (int)syscall(SYS_renameat2, at, name, to, new_name, NOREPLACE);
}

int sys_getdents(int fd, void *buffer, unsigned size) {
    return (int)syscall(SYS_getdents64, fd, buffer, size);
}

int sys_close_range(unsigned first, unsigned last) {
    return (int)syscall(SYS_close_range, first, last, 0);
}

int sys_landlock_abi(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_QUERY);
}

int sys_landlock_create_ruleset(const struct landlock_ruleset *ruleset, size_t size) {
    return (int)syscall(SYS_landlock_create_ruleset, ruleset, size, 0);
}

int sys_landlock_add_beneath(int ruleset, const struct landlock_beneath *rule) {
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_BENEATH, rule, 0);
}

int sys_landlock_restrict_self(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

int sys_seccomp_filter(const struct sock_filter *code, unsigned short count) {
    const struct sock_fprog program = {.len = count, .filter = (struct sock_filter *)code};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

enum { KEYCTL_GET_KEYRING_ID_ = 0, KEYCTL_JOIN_SESSION_KEYRING_ = 1, KEY_SPEC_SESSION_KEYRING_ = -3 };

long sys_keyctl_join_session(void) {
    return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING_, NULL, 0, 0, 0);
}

long sys_keyctl_session_id(void) {
    return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID_, KEY_SPEC_SESSION_KEYRING_, 0, 0, 0);
}

int sys_capabilities_get(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    memset(data, 0xff, sizeof data);
    if (syscall(SYS_capget, &header, data))
        return -1;
    *effective = data[0].effective | (uint64_t)data[1].effective << 32;
    *permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    *inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
    return 0;
}

int sys_capabilities_clear(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}, {0}};
    return (int)syscall(SYS_capset, &header, data);
}

long sys_futex_wait(const atomic_uint *at, unsigned value) {
    return syscall(SYS_futex, at, FUTEX_WAIT, value, NULL, NULL, 0);
}

long sys_futex_wake(const atomic_uint *at, int count) {
    return syscall(SYS_futex, at, FUTEX_WAKE, count, NULL, NULL, 0);
}

long sys_call(long number, long a, long b, long c) {
    return syscall(number, a, b, c, 0L, 0L, 0L);
}
