/* Attacks on devices, terminals, FIFOs and set-user-ID programs (touching). */
#include "attacker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An ioctl with an int argument: musl's own wrapper takes the request as an int, which would overflow. */
static long control(int fd, unsigned long request, int *value) {
    return syscall(SYS_ioctl, fd, request, value);
}

static int attack_ioctl(int count, char **words) {
    (void)count;
    int value[256] = {0};
    const int fd = open(words[0], O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return report(fd < 0 ? -1 : control(fd, (unsigned long)number_of(words[1]), value));
}

/* Asks the random device how much it has: a harmless ioctl that everybody may make on a host. */
static int attack_random_ioctl(int count, char **words) {
    (void)count;
    int value = 0;
    const int fd = open(words[0], O_RDONLY | O_CLOEXEC);
    return report(fd < 0 ? -1 : control(fd, RNDGETENTCNT, &value));
}

/* Makes a terminal through PTMX and prints its number. */
static int attack_ptmx(int count, char **words) {
    (void)count;
    int number = -1;
    const int fd = open(words[0], O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || control(fd, TIOCGPTN, &number))
        return report(-1);
    return report_ok("%d", number);
}

/* `ok` when this program runs with another effective user or group, or any permitted capability that its real user
 * does not give; for a set-user-ID copy of this program. */
static int attack_gain_identity(int count, char **words) {
    (void)count, (void)words;
    if (geteuid() != getuid() || getegid() != getgid())
        return report_ok("effective %u:%u, real %u:%u", geteuid(), getegid(), getuid(), getgid());
    return report_errno(EPERM);
}

/* Sets a mode with set-user-ID in it on PATH and says which mode the file then has. */
static int attack_make_setuid(int count, char **words) {
    (void)count;
    struct stat now;
    if (chmod(words[0], (mode_t)number_of(words[1])) || stat(words[0], &now))
        return report(-1);
    return report_ok("%o", now.st_mode & 07777);
}

/* The permitted capabilities of this process, for a copy of this program with file capabilities. */
static int attack_gain_capability(int count, char **words) {
    (void)count, (void)words;
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");
    if (!status)
        return report(-1);
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, "CapPrm:", 7))
            return strtoull(line + 7, NULL, 16) ? report_ok("%s", strtok(line + 7, " \t\n")) : report_errno(EPERM);
    return report_errno(ENODATA);
}

const struct attack attacks_devices[] = {
    {"ioctl", attack_ioctl, "PATH REQUEST"},
    {"random-ioctl", attack_random_ioctl, "PATH"},
    {"ptmx", attack_ptmx, "PATH"},
    {"gain-identity", attack_gain_identity, ""},
    {"gain-capability", attack_gain_capability, ""},
    {"make-setuid", attack_make_setuid, "PATH MODE"},
    {0},
};
