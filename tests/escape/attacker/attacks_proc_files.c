/* Attacks through /proc: other processes' files, roots, memory and settings (touching). */
#include "attacker.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tries `/proc/N/PLACE/PATH` for every process but this one; act opens it. The first success counts, else the last
 * errno, or ESRCH when there was no other process. */
static int try_each_process(const char *place, const char *path, int flags) {
    char name[4096];
    int last = ESRCH;
    DIR *proc = opendir("/proc");
    if (!proc)
        return report(-1);
    for (struct dirent *entry = readdir(proc); entry; entry = readdir(proc)) {
        if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid())
            continue;
        snprintf(name, sizeof name, "/proc/%s/%s/%s", entry->d_name, place, path);
        const int fd = open(name, flags | O_CLOEXEC, 0644);
        if (fd >= 0)
            return report_ok("%s", name);
        last = errno;
    }
    closedir(proc);
    return report_errno(last);
}

static int attack_each_process_create(int count, char **words) {
    (void)count;
    return try_each_process(words[0], words[1], O_WRONLY | O_CREAT | O_EXCL);
}

static int attack_each_process_read(int count, char **words) {
    (void)count;
    return try_each_process(words[0], words[1], O_RDONLY);
}

/* Climbs out of the working directory or the root of this process: PLACE is `root` or `cwd`. */
static int attack_climb_create(int count, char **words) {
    (void)count;
    char name[4096];
    snprintf(name, sizeof name, "/proc/self/%s/../../../../../../../../../../../../%s", words[0], words[1]);
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return report(fd < 0 ? -1 : write(fd, "x", 1));
}

static int attack_climb_read(int count, char **words) {
    (void)count;
    char name[4096], byte;
    snprintf(name, sizeof name, "/proc/self/%s/../../../../../../../../../../../../%s", words[0], words[1]);
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : read(fd, &byte, 1));
}

/* Takes hold of the program that another process executes, waits until it is no longer executed, and writes to it. */
static int attack_exe_write(int count, char **words) {
    (void)count;
    char name[64];
    snprintf(name, sizeof name, "/proc/%ld/exe", number_of(words[0]));
    const int held = open(name, O_PATH | O_CLOEXEC);
    if (held < 0)
        return report(-1);
    snprintf(name, sizeof name, "/proc/self/fd/%d", held);
    for (int i = 0; i < 400; i++) {
        const int fd = open(name, O_WRONLY | O_CLOEXEC);
        if (fd >= 0 || errno != ETXTBSY)
            return report(fd < 0 ? -1 : write(fd, "x", 1));
        usleep(10000);
    }
    return report_errno(ETXTBSY);
}

static int attack_proc_read(int count, char **words) {
    (void)count;
    char name[256], entry[8]; /* pagemap gives whole entries only */
    snprintf(name, sizeof name, "/proc/%ld/%s", number_of(words[0]), words[1]);
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : read(fd, entry, sizeof entry));
}

static int attack_proc_list(int count, char **words) {
    (void)count;
    char name[256];
    snprintf(name, sizeof name, "/proc/%ld/%s", number_of(words[0]), words[1]);
    DIR *folder = opendir(name);
    return report(folder ? 0 : -1);
}

static int attack_proc_readlink(int count, char **words) {
    (void)count;
    char name[256], target[4096];
    snprintf(name, sizeof name, "/proc/%ld/%s", number_of(words[0]), words[1]);
    return report(readlink(name, target, sizeof target));
}

/* Opens another process's memory for writing, and nothing more. */
static int attack_proc_mem(int count, char **words) {
    (void)count;
    char name[64];
    snprintf(name, sizeof name, "/proc/%ld/mem", number_of(words[0]));
    return report(open(name, O_RDWR | O_CLOEXEC));
}

/* Writes VALUE to a setting of another process. */
static int attack_proc_set(int count, char **words) {
    (void)count;
    char name[256];
    snprintf(name, sizeof name, "/proc/%ld/%s", number_of(words[0]), words[1]);
    const int fd = open(name, O_WRONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : write(fd, words[2], strlen(words[2])));
}

const struct attack attacks_proc_files[] = {
    {"each-process-create", attack_each_process_create, "PLACE PATH"},
    {"each-process-read", attack_each_process_read, "PLACE PATH"},
    {"climb-create", attack_climb_create, "PLACE PATH"},
    {"climb-read", attack_climb_read, "PLACE PATH"},
    {"exe-write", attack_exe_write, "PID"},
    {"proc-read", attack_proc_read, "PID NAME"},
    {"proc-list", attack_proc_list, "PID NAME"},
    {"proc-readlink", attack_proc_readlink, "PID NAME"},
    {"proc-mem", attack_proc_mem, "PID"},
    {"proc-set", attack_proc_set, "PID NAME VALUE"},
    {0},
};
