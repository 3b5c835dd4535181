/* probe_descriptors.c (touching: fstat, fcntl): what the caller handed in: 0 to 2, --fd, and /dev/fd/N among the
 * command's arguments (a shell's process substitution), which counts only as the read end of a FIFO. */
#include "linux/probe.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Namespaces and, from 6.9 on, pidfds look like regular files. */
static bool is_kernel_object(int number) {
    static const unsigned long magics[] = {0x6e736673 /* nsfs */, 0x50494446 /* pidfs */,
                                           0x09041934 /* anon_inodefs */};
    struct statfs system;
    if (fstatfs(number, &system))
        return true;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if ((unsigned long)system.f_type == magics[i])
            return true;
    return false;
}

static struct descriptor look_at(int number) {
    struct descriptor descriptor = {.number = number};
    struct stat status;
    int flags = fcntl(number, F_GETFL);
    if (flags < 0 || fstat(number, &status))
        return descriptor;
    descriptor.dev = status.st_dev;
    descriptor.ino = status.st_ino;
    descriptor.readable = (flags & O_ACCMODE) != O_WRONLY;
    descriptor.writable = (flags & O_ACCMODE) != O_RDONLY;
    if (flags & O_PATH)
        descriptor.kind = DESCRIPTOR_OTHER;
    else if (S_ISFIFO(status.st_mode))
        descriptor.kind = DESCRIPTOR_PIPE;
    else if (S_ISREG(status.st_mode) && is_kernel_object(number))
        descriptor.kind = DESCRIPTOR_OTHER;
    else if (S_ISREG(status.st_mode))
        descriptor.kind = DESCRIPTOR_FILE;
    else if (S_ISSOCK(status.st_mode))
        descriptor.kind = DESCRIPTOR_SOCKET;
    else if (S_ISDIR(status.st_mode))
        descriptor.kind = DESCRIPTOR_DIRECTORY;
    else if (S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3))
        descriptor.kind = DESCRIPTOR_NULL;
    else if (S_ISCHR(status.st_mode) && isatty(number))
        descriptor.kind = DESCRIPTOR_TTY;
    else
        descriptor.kind = DESCRIPTOR_OTHER;
    return descriptor;
}

static int add(struct arena *arena, struct probe *probe, struct descriptor descriptor) {
    for (size_t i = 0; i < probe->descriptors.count; i++)
        if (probe->descriptors.at[i].number == descriptor.number)
            return 0;
    struct descriptor *added = list_add(arena, &probe->descriptors);
    if (!added)
        return -1;
    *added = descriptor;
    return 0;
}

/* The N of an argument that is exactly /dev/fd/N, or -1. */
static int argument_number(const char *argument) {
    static const char prefix[] = "/dev/fd/";
    if (strncmp(argument, prefix, sizeof prefix - 1) != 0)
        return -1;
    const char *digits = argument + sizeof prefix - 1;
    size_t size = strspn(digits, "0123456789");
    return size && size <= 6 && !digits[size] ? atoi(digits) : -1;
}

int probe_descriptors(struct arena *arena, const struct policy *policy, struct probe *probe) {
    for (int number = 0; number <= 2; number++) {
        const struct descriptor none = {.number = number, .kind = DESCRIPTOR_NULL};
        if (add(arena, probe, policy->unheard ? none : look_at(number)))
            return -1;
    }
    for (size_t i = 0; i < policy->descriptors.count; i++)
        if (add(arena, probe, look_at(policy->descriptors.at[i])))
            return -1;
    for (char *const *at = policy->command; at && *at && !policy->no_descriptors; at++) {
        int number = argument_number(*at);
        struct descriptor descriptor = number > 2 ? look_at(number) : (struct descriptor){0};
        descriptor.from_argument = true;
        if (descriptor.kind == DESCRIPTOR_PIPE && descriptor.readable && !descriptor.writable &&
            add(arena, probe, descriptor))
            return -1;
    }
    return 0;
}
