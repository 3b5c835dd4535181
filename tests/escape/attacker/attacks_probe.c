/* Attacks that only look, watch or lock: existence, contents, activity, host facts (touching). */
#include "attacker.h"
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

static int attack_stat(int count, char **words) {
    (void)count;
    struct stat now;
    return report(stat(words[0], &now));
}

static int attack_lstat(int count, char **words) {
    (void)count;
    struct stat now;
    return report(lstat(words[0], &now));
}

static int attack_statx(int count, char **words) {
    (void)count;
    unsigned char now[256];
    return report(syscall(SYS_statx, AT_FDCWD, words[0], 0, 0x7ff, now));
}

static int attack_access(int count, char **words) {
    (void)count;
    return report(access(words[0], F_OK));
}

static int attack_readlink(int count, char **words) {
    (void)count;
    char target[4096];
    return report(readlink(words[0], target, sizeof target));
}

static int attack_list(int count, char **words) {
    (void)count;
    DIR *folder = opendir(words[0]);
    return report(folder ? 0 : -1);
}

/* `ok` when the folder has an entry of this name, else ENOENT. */
static int attack_list_name(int count, char **words) {
    (void)count;
    DIR *folder = opendir(words[0]);
    if (!folder)
        return report(-1);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (!strcmp(entry->d_name, words[1]))
            return report_ok("%s", words[1]);
    return report_errno(ENOENT);
}

/* `ok` when the folder has any entry, else ENODATA. */
static int attack_list_any(int count, char **words) {
    (void)count;
    DIR *folder = opendir(words[0]);
    if (!folder)
        return report(-1);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            return report_ok("%s", entry->d_name);
    return report_errno(ENODATA);
}

static int attack_statfs(int count, char **words) {
    (void)count;
    struct statfs now;
    return report(statfs(words[0], &now));
}

static int attack_listxattr(int count, char **words) {
    (void)count;
    char names[4096];
    return report(listxattr(words[0], names, sizeof names));
}

static int attack_name_to_handle(int count, char **words) {
    (void)count;
    struct call_file_handle handle = {.bytes = sizeof handle.handle};
    int mount_id;
    return report(syscall(SYS_name_to_handle_at, AT_FDCWD, words[0], &handle, &mount_id, 0));
}

static int attack_chdir(int count, char **words) {
    (void)count;
    return report(chdir(words[0]));
}

static int attack_open_path(int count, char **words) {
    (void)count;
    return report(open(words[0], O_PATH | O_CLOEXEC));
}

static int attack_read(int count, char **words) {
    (void)count;
    char byte;
    const int fd = open(words[0], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, &byte, 1);
    return size == 0 ? report_errno(ENODATA) : report(size);
}

static int attack_execute(int count, char **words) {
    char *arguments[] = {words[0], count > 1 ? words[1] : NULL, NULL};
    execv(words[0], arguments);
    return report(-1);
}

/* `ok` when a line of the file holds the text, else ENODATA. */
static int attack_find_text(int count, char **words) {
    (void)count;
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(words[0], "re");
    if (!file)
        return report(-1);
    while (getline(&line, &room, file) >= 0)
        if (strstr(line, words[1]))
            return report_ok("%s", strtok(line, "\n"));
    return report_errno(ENODATA);
}

/* `ok` when a kernel address can be read in a list such as /proc/kallsyms, ENODATA when all are zero. */
static int attack_kernel_addresses(int count, char **words) {
    (void)count;
    char line[512];
    FILE *file = fopen(words[0], "re");
    if (!file)
        return report(-1);
    for (int i = 0; i < 2000 && fgets(line, sizeof line, file); i++)
        if (strtoull(line, NULL, 16) > 0xffff000000000000)
            return report_ok("%s", strtok(line, "\n"));
    return report_errno(ENODATA);
}

static int attack_hostname(int count, char **words) {
    (void)count, (void)words;
    struct utsname names;
    return uname(&names) ? report(-1) : report_ok("%s", names.nodename);
}

static int attack_inotify(int count, char **words) {
    (void)count;
    const int fd = inotify_init1(IN_CLOEXEC);
    return report(fd < 0 ? -1 : inotify_add_watch(fd, words[0], IN_ALL_EVENTS));
}

static int attack_fanotify(int count, char **words) {
    (void)count;
    const long fd = syscall(SYS_fanotify_init, 0x200 /* FAN_REPORT_FID */, O_RDONLY);
    return report(
        fd < 0 ? -1 : syscall(SYS_fanotify_mark, fd, 1 /* FAN_MARK_ADD */, 2UL /* FAN_MODIFY */, AT_FDCWD, words[0]));
}

static int attack_flock(int count, char **words) {
    (void)count;
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : flock(fd, LOCK_EX | LOCK_NB));
}

static int attack_posix_lock(int count, char **words) {
    (void)count;
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : fcntl(fd, F_SETLK, &lock));
}

static int attack_lease(int count, char **words) {
    (void)count;
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : fcntl(fd, F_SETLEASE, F_RDLCK));
}

static int attack_dnotify(int count, char **words) {
    (void)count;
    signal(SIGIO, SIG_IGN);
    const int fd = open(words[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return report(fd < 0 ? -1 : fcntl(fd, F_NOTIFY, DN_CREATE | DN_MODIFY));
}

const struct attack attacks_probe[] = {
    {"stat", attack_stat, "PATH"},
    {"lstat", attack_lstat, "PATH"},
    {"statx", attack_statx, "PATH"},
    {"access", attack_access, "PATH"},
    {"readlink", attack_readlink, "PATH"},
    {"list", attack_list, "DIR"},
    {"list-name", attack_list_name, "DIR NAME"},
    {"list-any", attack_list_any, "DIR"},
    {"statfs", attack_statfs, "PATH"},
    {"listxattr", attack_listxattr, "PATH"},
    {"name-to-handle", attack_name_to_handle, "PATH"},
    {"chdir", attack_chdir, "DIR"},
    {"open-path", attack_open_path, "PATH"},
    {"read", attack_read, "PATH"},
    {"execute", attack_execute, "PATH [word]"},
    {"find-text", attack_find_text, "PATH TEXT"},
    {"kernel-addresses", attack_kernel_addresses, "PATH"},
    {"hostname", attack_hostname, ""},
    {"inotify", attack_inotify, "PATH"},
    {"fanotify", attack_fanotify, "PATH"},
    {"flock", attack_flock, "PATH"},
    {"posix-lock", attack_posix_lock, "PATH"},
    {"lease", attack_lease, "PATH"},
    {"dnotify", attack_dnotify, "DIR"},
    {0},
};
