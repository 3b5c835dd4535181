/* acts.c: what single acts cost: acts SECONDS FILE. Prints a line for each, its name and nanoseconds for one: getppid,
 * stat of FILE, open and read and close of it, a byte to another process and back by pipes. Each is repeated for that
 * many seconds (a fraction is fine); timed in here, since it is microseconds. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 100 }; /* acts between two looks at the clock */

static int to[2], from[2];

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int act_getppid(const char *file) {
    (void)file;
    return syscall(SYS_getppid) < 0;
}

static int act_stat(const char *file) {
    struct stat status;
    return stat(file, &status);
}

static int act_open(const char *file) {
    char bytes[512];
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    return fd < 0 || read(fd, bytes, sizeof bytes) < 0 || close(fd);
}

static int act_pingpong(const char *file) {
    char byte = *file;
    return write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1;
}

static void answer(void) {
    char byte;
    close(to[1]);
    while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
        continue;
    _exit(0);
}

static const struct {
    const char *name;
    int (*act)(const char *file);
} acts[] = {
    {"getppid", act_getppid},
    {"stat", act_stat},
    {"open+read+close", act_open},
    {"ping-pong", act_pingpong},
};

int main(int argc, char **argv) {
    double seconds = argc == 3 ? atof(argv[1]) : 0;
    if (seconds <= 0 || pipe(to) || pipe(from))
        return 2;
    pid_t other = fork();
    if (!other)
        answer();
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        int64_t start = nanoseconds(), now = start, count = 0;
        for (; now - start < (int64_t)(seconds * 1e9); now = nanoseconds(), count += CHUNK)
            for (int n = 0; n < CHUNK; n++)
                if (acts[i].act(argv[2])) {
                    perror(acts[i].name);
                    return 1;
                }
        printf("%s %.1f\n", acts[i].name, (double)(now - start) / (double)count);
    }
    close(to[1]);
    return fflush(stdout) || other < 0 || waitpid(other, NULL, 0) < 0;
}
