/* Attacks through descriptors that the process was born with (touching). */
#include "attacker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd_of(const char *word) {
    return (int)number_of(word);
}

static int attack_fd_stat(int count, char **words) {
    (void)count;
    struct stat now;
    return report(fstat(fd_of(words[0]), &now));
}

/* `ok` and the type of what a descriptor is: the letter that `ls -l` shows. */
static int attack_fd_type(int count, char **words) {
    (void)count;
    struct stat now;
    if (fstat(fd_of(words[0]), &now))
        return report(-1);
    const mode_t type = now.st_mode & S_IFMT;
    return report_ok("%s", type == S_IFREG    ? "file"
                           : type == S_IFDIR  ? "directory"
                           : type == S_IFIFO  ? "pipe"
                           : type == S_IFSOCK ? "socket"
                           : type == S_IFCHR  ? "character"
                           : type == S_IFBLK  ? "block"
                                              : "other");
}

static int attack_fd_write(int count, char **words) {
    (void)count;
    return report(write(fd_of(words[0]), "x", 1));
}

static int attack_fd_overwrite(int count, char **words) {
    (void)count;
    const int fd = fd_of(words[0]);
    return report(lseek(fd, 0, SEEK_SET) < 0 ? -1 : write(fd, "x", 1));
}

static int attack_fd_pwrite(int count, char **words) {
    (void)count;
    return report(pwrite(fd_of(words[0]), "x", 1, 0));
}

static int attack_fd_read(int count, char **words) {
    (void)count;
    char byte;
    return report(read(fd_of(words[0]), &byte, 1));
}

static int attack_fd_truncate(int count, char **words) {
    (void)count;
    return report(ftruncate(fd_of(words[0]), 0));
}

static int attack_fd_allocate(int count, char **words) {
    (void)count;
    return report(fallocate(fd_of(words[0]), 0, 0, 8192));
}

static int attack_fd_chmod(int count, char **words) {
    (void)count;
    return report(fchmod(fd_of(words[0]), 0600));
}

static int attack_fd_copy_range(int count, char **words) {
    (void)count;
    loff_t to = 0;
    const int from = open(words[0], O_RDONLY | O_CLOEXEC);
    return report(from < 0 ? -1 : copy_file_range(from, NULL, fd_of(words[1]), &to, 1, 0));
}

static int attack_fd_splice(int count, char **words) {
    (void)count;
    int ends[2];
    loff_t to = 0;
    if (pipe2(ends, O_CLOEXEC) || write(ends[1], "x", 1) != 1)
        return report(-1);
    return report(splice(ends[0], NULL, fd_of(words[0]), &to, 1, 0));
}

static int attack_fd_sendfile(int count, char **words) {
    (void)count;
    const int from = open(words[0], O_RDONLY | O_CLOEXEC);
    return report(from < 0 ? -1 : sendfile(fd_of(words[1]), from, NULL, 1));
}

static int attack_fd_create(int count, char **words) {
    (void)count;
    return report(openat(fd_of(words[0]), words[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
}

static int attack_fd_open(int count, char **words) {
    (void)count;
    char byte;
    const int fd = openat(fd_of(words[0]), words[1], O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : read(fd, &byte, 1));
}

static int attack_fd_chdir(int count, char **words) {
    (void)count;
    return report(fchdir(fd_of(words[0])));
}

/* The file behind a descriptor is opened again, through its name in /proc, for what HOW says. */
static int attack_fd_reopen(int count, char **words) {
    (void)count;
    char name[64], byte;
    const int fd = fd_of(words[0]);
    const char *how = words[1];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (!strcmp(how, "truncate"))
        return report(open(name, O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!strcmp(how, "write")) {
        const int again = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        return report(again < 0 ? -1 : write(again, "x", 1));
    }
    const int again = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const ssize_t size = again < 0 ? -1 : read(again, &byte, 1);
    return size == 0 ? report_errno(ENODATA) : report(size);
}

/* Any descriptor besides 0 to 2 that the program was born with: `ok` with their numbers, else EBADF. */
static int attack_fd_list(int count, char **words) {
    (void)count, (void)words;
    char list[512] = "";
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return report(-1);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const int fd = atoi(entry->d_name);
        if (fd > 2 && fd != dirfd(folder) && strlen(list) < 480)
            sprintf(list + strlen(list), "%d ", fd);
    }
    return list[0] ? report_ok("%s", list) : report_errno(EBADF);
}

static int attack_fd_socket(int count, char **words) {
    (void)count;
    int type;
    socklen_t size = sizeof type;
    return report(getsockopt(fd_of(words[0]), SOL_SOCKET, SO_TYPE, &type, &size));
}

const struct attack attacks_descriptors[] = {
    {"fd-stat", attack_fd_stat, "FD"},
    {"fd-type", attack_fd_type, "FD"},
    {"fd-write", attack_fd_write, "FD"},
    {"fd-overwrite", attack_fd_overwrite, "FD"},
    {"fd-pwrite", attack_fd_pwrite, "FD"},
    {"fd-read", attack_fd_read, "FD"},
    {"fd-truncate", attack_fd_truncate, "FD"},
    {"fd-allocate", attack_fd_allocate, "FD"},
    {"fd-chmod", attack_fd_chmod, "FD"},
    {"fd-copy-range", attack_fd_copy_range, "FROM FD"},
    {"fd-splice", attack_fd_splice, "FD"},
    {"fd-sendfile", attack_fd_sendfile, "FROM FD"},
    {"fd-create", attack_fd_create, "FD NAME"},
    {"fd-open", attack_fd_open, "FD NAME"},
    {"fd-chdir", attack_fd_chdir, "FD"},
    {"fd-reopen", attack_fd_reopen, "FD HOW"},
    {"fd-list", attack_fd_list, ""},
    {"fd-socket", attack_fd_socket, "FD"},
    {0},
};
