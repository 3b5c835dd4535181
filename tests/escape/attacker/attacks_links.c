/* Attacks on names: links, renames, removals, and making files of every kind (touching). */
#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

enum { FLAG_NOREPLACE = 1, FLAG_EXCHANGE = 2, FLAG_WHITEOUT = 4 };

static int write_byte(const char *path) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    return report(fd < 0 ? -1 : write(fd, "x", 1));
}

static int attack_link(int count, char **words) {
    (void)count;
    return report(link(words[0], words[1]));
}

/* The name's own hard link, also where it is a symbolic link; and through a descriptor's name in /proc. */
static int attack_link_fd(int count, char **words) {
    (void)count;
    char name[64];
    const int fd = open(words[0], O_PATH | O_CLOEXEC);
    if (fd < 0)
        return report(-1);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return report(linkat(AT_FDCWD, name, AT_FDCWD, words[1], AT_SYMLINK_FOLLOW));
}

static int attack_link_write(int count, char **words) {
    (void)count;
    return link(words[0], words[1]) ? report(-1) : write_byte(words[1]);
}

/* A nameless file made in DIR gets the name NEW. `empty` uses AT_EMPTY_PATH instead of the name in /proc. */
static int attack_link_tmpfile(int count, char **words) {
    char name[64];
    const int fd = open(words[0], O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return report(-1);
    if (count > 2 && !strcmp(words[2], "empty"))
        return report(linkat(fd, "", AT_FDCWD, words[1], AT_EMPTY_PATH));
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return report(linkat(AT_FDCWD, name, AT_FDCWD, words[1], AT_SYMLINK_FOLLOW));
}

static int attack_symlink(int count, char **words) {
    (void)count;
    return report(symlink(words[0], words[1]));
}

static int attack_symlink_write(int count, char **words) {
    (void)count;
    return symlink(words[0], words[1]) ? report(-1) : write_byte(words[1]);
}

/* COUNT links in DIR, each to the one before, the first to TARGET; then a write through the last. */
static int attack_symlink_chain(int count, char **words) {
    (void)count;
    char from[4096], to[4096];
    const long links = number_of(words[2]);
    snprintf(to, sizeof to, "%s", words[0]);
    for (long i = 0; i < links; i++) {
        snprintf(from, sizeof from, "%s/link%ld", words[1], i);
        if (symlink(to, from))
            return report(-1);
        memcpy(to, from, sizeof to);
    }
    return write_byte(to);
}

/* A link to the directory of TARGET, then a write through it with `//`, `.` and `..` between. */
static int attack_symlink_directory(int count, char **words) {
    (void)count;
    char path[4096];
    if (symlink(words[0], words[1]))
        return report(-1);
    snprintf(path, sizeof path, "%s//.///dir/..//./%s", words[1], words[2]);
    return write_byte(path);
}

static int rename_with(char **words, unsigned int flags) {
    return report(syscall(SYS_renameat2, AT_FDCWD, words[0], AT_FDCWD, words[1], flags));
}

static int attack_rename(int count, char **words) {
    (void)count;
    return report(rename(words[0], words[1]));
}

static int attack_rename_noreplace(int count, char **words) {
    (void)count;
    return rename_with(words, FLAG_NOREPLACE);
}

static int attack_exchange(int count, char **words) {
    (void)count;
    return rename_with(words, FLAG_EXCHANGE);
}

static int attack_whiteout(int count, char **words) {
    (void)count;
    return rename_with(words, FLAG_WHITEOUT);
}

static int attack_unlink(int count, char **words) {
    (void)count;
    return report(unlink(words[0]));
}

static int attack_rmdir(int count, char **words) {
    (void)count;
    return report(rmdir(words[0]));
}

static int attack_mkdir(int count, char **words) {
    (void)count;
    return report(mkdir(words[0], 0755));
}

static int attack_mkfifo(int count, char **words) {
    (void)count;
    return report(mkfifo(words[0], 0644));
}

static int attack_mksocket(int count, char **words) {
    (void)count;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(words[0]) >= sizeof address.sun_path)
        return report_errno(ENAMETOOLONG);
    memcpy(address.sun_path, words[0], strlen(words[0]) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return report(fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address));
}

/* mknod of a regular file, which makes a file without open. */
static int attack_mknod_regular(int count, char **words) {
    (void)count;
    return report(mknod(words[0], S_IFREG | 0644, 0));
}

/* Makes a device node and opens it: KIND is `char` or `block`. */
static int attack_mknod_device(int count, char **words) {
    (void)count;
    const mode_t kind = !strcmp(words[1], "block") ? S_IFBLK : S_IFCHR;
    const dev_t device = makedev((unsigned int)number_of(words[2]), (unsigned int)number_of(words[3]));
    if (mknod(words[0], kind | 0666, device))
        return report(-1);
    return report(open(words[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

const struct attack attacks_links[] = {
    {"link", attack_link, "OLD NEW"},
    {"link-fd", attack_link_fd, "OLD NEW"},
    {"link-write", attack_link_write, "OLD NEW"},
    {"link-tmpfile", attack_link_tmpfile, "DIR NEW [empty]"},
    {"symlink", attack_symlink, "TARGET PATH"},
    {"symlink-write", attack_symlink_write, "TARGET PATH"},
    {"symlink-chain", attack_symlink_chain, "TARGET DIR COUNT"},
    {"symlink-directory", attack_symlink_directory, "DIR PATH NAME"},
    {"rename", attack_rename, "OLD NEW"},
    {"rename-noreplace", attack_rename_noreplace, "OLD NEW"},
    {"exchange", attack_exchange, "OLD NEW"},
    {"whiteout", attack_whiteout, "OLD NEW"},
    {"unlink", attack_unlink, "PATH"},
    {"rmdir", attack_rmdir, "PATH"},
    {"mkdir", attack_mkdir, "PATH"},
    {"mkfifo", attack_mkfifo, "PATH"},
    {"mksocket", attack_mksocket, "PATH"},
    {"mknod-regular", attack_mknod_regular, "PATH"},
    {"mknod-device", attack_mknod_device, "PATH KIND MAJOR MINOR"},
    {0},
};
