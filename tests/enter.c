/* enter: what the tests put in front of a command, in whose place it then comes. Static, and so a tenth of the cost of
 * setpriv(1), unshare(1) and mount(8), which some ten thousand commands would start.
 *
 *   enter user ID COMMAND...           as this user and group, without supplementary groups
 *   enter etc FOLDER COMMAND...        in a mount namespace of its own, where FOLDER lies over /etc
 *   enter limit NAME VALUE COMMAND...  in a user namespace with every id of this one, where /proc/sys/user/NAME is
 * VALUE
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "enter: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
        fail(path);
}

static void user(const char *id) {
    gid_t number = (gid_t)strtoul(id, NULL, 10);
    if (setgroups(0, NULL) || setresgid(number, number, number) || setresuid(number, number, number))
        fail(id);
}

static void etc(const char *folder) {
    char layers[4096];
    if (snprintf(layers, sizeof layers, "lowerdir=%s:/etc", folder) >= (int)sizeof layers)
        fail(folder);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        fail("a mount namespace");
    if (mount("overlay", "/etc", "overlay", 0, layers))
        fail(layers);
}

/* A child that stays outside writes the maps: unshare(1) would need newuidmap. */
static void limit(const char *name, const char *value) {
    char path[64], byte;
    int begun[2], status = 0;
    if (pipe2(begun, O_CLOEXEC))
        fail("pipe");
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (!child) {
        close(begun[1]);
        if (read(begun[0], &byte, 1) != 1)
            _exit(125);
        const char *const maps[] = {"uid_map", "gid_map"};
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), maps[i]);
            put(path, "0 0 4294967295");
        }
        _exit(0);
    }
    if (unshare(CLONE_NEWUSER) || write(begun[1], "", 1) != 1)
        fail("a user namespace");
    if (close(begun[0]) || close(begun[1]) || waitpid(child, &status, 0) != child || status)
        fail("its maps");
    if (snprintf(path, sizeof path, "/proc/sys/user/%s", name) >= (int)sizeof path)
        fail(name);
    put(path, value);
}

int main(int count, char **words) {
    char **command = NULL;
    if (count > 3 && strcmp(words[1], "user") == 0) {
        user(words[2]);
        command = words + 3;
    } else if (count > 3 && strcmp(words[1], "etc") == 0) {
        etc(words[2]);
        command = words + 3;
    } else if (count > 4 && strcmp(words[1], "limit") == 0) {
        limit(words[2], words[3]);
        command = words + 4;
    } else {
        fprintf(stderr, "usage: enter user ID | etc FOLDER | limit NAME VALUE COMMAND...\n");
        return 125;
    }
    execvp(command[0], command);
    fprintf(stderr, "enter: %s: %s\n", command[0], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}
