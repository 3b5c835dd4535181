/* Attacks on modes, owners, times, extended attributes and inode flags, by path and by descriptor (touching). */
#include "attacker.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static mode_t mode_of(const char *word) {
    return (mode_t)number_of(word);
}

static int open_read(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int attack_chmod(int count, char **words) {
    (void)count;
    return report(chmod(words[0], mode_of(words[1])));
}

static int attack_fchmod(int count, char **words) {
    (void)count;
    const int fd = open_read(words[0]);
    return report(fd < 0 ? -1 : fchmod(fd, mode_of(words[1])));
}

static int attack_fchmodat2(int count, char **words) {
    const int flags = count > 2 && !strcmp(words[2], "nofollow") ? AT_SYMLINK_NOFOLLOW : 0;
    return report(syscall(CALL_FCHMODAT2, AT_FDCWD, words[0], mode_of(words[1]), flags));
}

static int attack_chmod_opath(int count, char **words) {
    (void)count;
    char name[64];
    const int fd = open(words[0], O_PATH | O_CLOEXEC);
    if (fd < 0)
        return report(-1);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return report(chmod(name, mode_of(words[1])));
}

static int attack_chmod_opath_empty(int count, char **words) {
    (void)count;
    const int fd = open(words[0], O_PATH | O_CLOEXEC);
    return report(fd < 0 ? -1 : syscall(CALL_FCHMODAT2, fd, "", mode_of(words[1]), AT_EMPTY_PATH));
}

static int attack_chown(int count, char **words) {
    (void)count;
    return report(chown(words[0], (uid_t)number_of(words[1]), (gid_t)number_of(words[2])));
}

static int attack_lchown(int count, char **words) {
    (void)count;
    return report(lchown(words[0], (uid_t)number_of(words[1]), (gid_t)number_of(words[2])));
}

static int attack_fchown(int count, char **words) {
    (void)count;
    const int fd = open_read(words[0]);
    return report(fd < 0 ? -1 : fchown(fd, (uid_t)number_of(words[1]), (gid_t)number_of(words[2])));
}

static int attack_chown_opath(int count, char **words) {
    (void)count;
    const int fd = open(words[0], O_PATH | O_CLOEXEC);
    if (fd < 0)
        return report(-1);
    return report(fchownat(fd, "", (uid_t)number_of(words[1]), (gid_t)number_of(words[2]), AT_EMPTY_PATH));
}

static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

static int attack_utimes(int count, char **words) {
    (void)count;
    return report(utimensat(AT_FDCWD, words[0], long_ago, 0));
}

static int attack_utimes_now(int count, char **words) {
    (void)count;
    return report(utimensat(AT_FDCWD, words[0], NULL, 0));
}

static int attack_lutimes(int count, char **words) {
    (void)count;
    return report(utimensat(AT_FDCWD, words[0], long_ago, AT_SYMLINK_NOFOLLOW));
}

static int attack_futimes(int count, char **words) {
    (void)count;
    const int fd = open_read(words[0]);
    return report(fd < 0 ? -1 : futimens(fd, long_ago));
}

static int attack_setxattr(int count, char **words) {
    (void)count;
    return report(setxattr(words[0], words[1], words[2], strlen(words[2]), 0));
}

static int attack_lsetxattr(int count, char **words) {
    (void)count;
    return report(lsetxattr(words[0], words[1], words[2], strlen(words[2]), 0));
}

static int attack_fsetxattr(int count, char **words) {
    (void)count;
    const int fd = open_read(words[0]);
    return report(fd < 0 ? -1 : fsetxattr(fd, words[1], words[2], strlen(words[2]), 0));
}

static int attack_setxattrat(int count, char **words) {
    (void)count;
    struct call_xattr_args value = {.value = (uintptr_t)words[2], .size = (uint32_t)strlen(words[2])};
    return report(syscall(CALL_SETXATTRAT, AT_FDCWD, words[0], 0, words[1], &value, sizeof value));
}

static int attack_removexattr(int count, char **words) {
    (void)count;
    return report(removexattr(words[0], words[1]));
}

static int attack_removexattrat(int count, char **words) {
    (void)count;
    return report(syscall(CALL_REMOVEXATTRAT, AT_FDCWD, words[0], 0, words[1]));
}

/* A POSIX access list that lets everybody write: user, group, mask-free minimum and other, all rwx. */
static int attack_set_acl(int count, char **words) {
    (void)count;
    static const unsigned char acl[] = {
        2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 4, 0, 7, 0, 255, 255, 255, 255, 32, 0, 7, 0, 255, 255, 255, 255,
    };
    return report(setxattr(words[0], "system.posix_acl_access", acl, sizeof acl, 0));
}

/* File capabilities, revision 2: CAP_NET_RAW permitted and effective. */
static int attack_set_capability(int count, char **words) {
    (void)count;
    static const unsigned char capability[] = {1, 0, 0, 2, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    return report(setxattr(words[0], "security.capability", capability, sizeof capability, 0));
}

/* musl's ioctl takes the request as an int, which the kernel's numbers overflow. */
static long control(int fd, unsigned long request, void *value) {
    return syscall(SYS_ioctl, fd, request, value);
}

/* chattr +d, which an owner may do. */
static int attack_setflags(int count, char **words) {
    (void)count;
    int flags = 0;
    const int fd = open_read(words[0]);
    if (fd < 0 || control(fd, FS_IOC_GETFLAGS, &flags))
        return report(-1);
    flags |= FS_NODUMP_FL;
    return report(control(fd, FS_IOC_SETFLAGS, &flags));
}

/* For how long what is written there will live; it stays with the inode, and is seen by everybody. */
static int attack_write_hint(int count, char **words) {
    (void)count;
    uint64_t hint = 5;
    const int fd = open_read(words[0]);
    return report(fd < 0 ? -1 : fcntl(fd, 1036 /* F_SET_RW_HINT */, &hint));
}

static int attack_fssetxattr(int count, char **words) {
    (void)count;
    struct fsxattr attributes;
    const int fd = open_read(words[0]);
    if (fd < 0 || control(fd, FS_IOC_FSGETXATTR, &attributes))
        return report(-1);
    attributes.fsx_xflags |= FS_XFLAG_NODUMP;
    return report(control(fd, FS_IOC_FSSETXATTR, &attributes));
}

static int attack_file_setattr(int count, char **words) {
    (void)count;
    struct call_file_attr attributes = {.xflags = FS_XFLAG_NODUMP};
    return report(syscall(CALL_FILE_SETATTR, AT_FDCWD, words[0], &attributes, sizeof attributes, 0));
}

const struct attack attacks_metadata[] = {
    {"chmod", attack_chmod, "PATH MODE"},
    {"fchmod", attack_fchmod, "PATH MODE"},
    {"fchmodat2", attack_fchmodat2, "PATH MODE [nofollow]"},
    {"chmod-opath", attack_chmod_opath, "PATH MODE"},
    {"chmod-opath-empty", attack_chmod_opath_empty, "PATH MODE"},
    {"chown", attack_chown, "PATH UID GID"},
    {"lchown", attack_lchown, "PATH UID GID"},
    {"fchown", attack_fchown, "PATH UID GID"},
    {"chown-opath", attack_chown_opath, "PATH UID GID"},
    {"utimes", attack_utimes, "PATH"},
    {"utimes-now", attack_utimes_now, "PATH"},
    {"lutimes", attack_lutimes, "PATH"},
    {"futimes", attack_futimes, "PATH"},
    {"setxattr", attack_setxattr, "PATH NAME VALUE"},
    {"lsetxattr", attack_lsetxattr, "PATH NAME VALUE"},
    {"fsetxattr", attack_fsetxattr, "PATH NAME VALUE"},
    {"setxattrat", attack_setxattrat, "PATH NAME VALUE"},
    {"removexattr", attack_removexattr, "PATH NAME"},
    {"removexattrat", attack_removexattrat, "PATH NAME"},
    {"set-acl", attack_set_acl, "PATH"},
    {"set-capability", attack_set_capability, "PATH"},
    {"setflags", attack_setflags, "PATH"},
    {"fssetxattr", attack_fssetxattr, "PATH"},
    {"write-hint", attack_write_hint, "PATH"},
    {"file-setattr", attack_file_setattr, "PATH"},
    {0},
};
