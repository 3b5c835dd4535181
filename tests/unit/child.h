/* child.h: checks in a forked child, for what can't be undone. */
#ifndef PINFOLD_TESTS_CHILD_H
#define PINFOLD_TESTS_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The line of the check that failed, or 0. */
static inline int in_child(int (*check)(void)) {
    int status, line = -1, pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (!pid) {
        line = check();
        _exit(write(pipes[1], &line, sizeof line) == sizeof line ? 0 : 1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &line, sizeof line), sizeof line);
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return line;
}
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return __LINE__;                                                                                           \
    } while (0)

#endif
