/* folder.h: a temporary folder for tests of code that looks at the file system. */
#ifndef PINFOLD_TESTS_FOLDER_H
#define PINFOLD_TESTS_FOLDER_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder_path[PATH_MAX]; /* canonical */

static inline const char *folder_in(const char *name) {
    static char paths[8][2 * PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder_path, name);
    return path;
}

static inline void folder_dir(const char *name) {
    assert_int_equal(mkdir(folder_in(name), 0755), 0);
}

static inline void folder_file(const char *name) {
    int fd = open(folder_in(name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
}

static inline void folder_link(const char *name, const char *target) {
    assert_int_equal(symlink(target, folder_in(name)), 0);
}

static inline int folder_make(void **state) {
    (void)state;
    char name[] = "/tmp/pinfold-unit-XXXXXX";
    return mkdtemp(name) && realpath(name, folder_path) ? 0 : -1;
}

static inline int folder_remove(void **state) {
    (void)state;
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder_path);
    return system(command);
}

#endif
