/* spawn.c: times commands from outside: spawn [-c CORE] [-p] ROUNDS , COMMAND... , COMMAND... (a comma stands before
 * each)
 *
 * Each round runs every command once, one after the other, so that a change of the machine's speed touches all alike.
 * Prints one line a round: for each command microseconds from before vfork until it began, and until after wait. It
 * says itself when it began (bench/true.c), on descriptor 3, a socket. One that doesn't, or that doesn't end with
 * status 0, ends the benchmark. Standard input is /dev/null; so are standard output and error, or with
 * -p each a pipe that is read to its end before the wait, as a test harness does it. -c pins everything to one core.
 * Small and static, because what is timed is small. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { COMMANDS_MAX = 16 };

static _Noreturn void stop(const char *what, const char *why) {
    fprintf(stderr, "spawn: %s: %s\n", what, why);
    exit(1);
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void drain(int first, int second) {
    struct pollfd wait[] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
    char bytes[4096];
    for (int open = 2; open > 0;) {
        if (poll(wait, 2, -1) < 0)
            stop("poll", strerror(errno));
        for (int i = 0; i < 2; i++)
            if (wait[i].revents && read(wait[i].fd, bytes, sizeof bytes) <= 0) {
                wait[i].fd = -1;
                open--;
            }
    }
}

struct times {
    int64_t began, ended; /* nanoseconds after the spawn */
};

static struct times run(char **command, int piped, int null) {
    int out[2] = {null, null}, err[2] = {null, null}, said[2], status;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    struct times times;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, said))
        stop("socketpair", strerror(errno));
    int64_t start = nanoseconds();
    if (piped && (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)))
        stop("pipe", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, null, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    posix_spawn_file_actions_adddup2(&actions, said[1], 3);
    int failed = posix_spawn(&pid, command[0], &actions, NULL, command, environ); /* vfork and exec */
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        stop(command[0], strerror(failed));
    if (piped) {
        close(out[1]);
        close(err[1]);
        drain(out[0], err[0]);
        close(out[0]);
        close(err[0]);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            stop("wait", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        stop(command[0], "did not end with status 0");
    times.ended = nanoseconds() - start;
    if (read(said[0], &times.began, sizeof times.began) != sizeof times.began)
        stop(command[0], "did not say when it began");
    times.began -= start;
    close(said[0]);
    close(said[1]);
    return times;
}

int main(int argc, char **argv) {
    char **command[COMMANDS_MAX];
    int count = 0, piped = 0, option, null = open("/dev/null", O_RDWR | O_CLOEXEC);
    while ((option = getopt(argc, argv, "+c:p")) != -1) {
        cpu_set_t core;
        CPU_ZERO(&core);
        if (option == 'p')
            piped = 1;
        else if (option == 'c' && atoi(optarg) >= 0 && atoi(optarg) < CPU_SETSIZE) {
            CPU_SET(atoi(optarg), &core);
            if (sched_setaffinity(0, sizeof core, &core))
                stop("core", strerror(errno));
        } else
            stop("usage", "spawn [-c CORE] [-p] ROUNDS , COMMAND... , COMMAND...");
    }
    int rounds = optind < argc ? atoi(argv[optind]) : 0;
    for (int i = optind + 1; i < argc; i++)
        if (strcmp(argv[i], ",") == 0) {
            argv[i] = NULL;
            if (count == COMMANDS_MAX || i + 1 == argc)
                stop("usage", "1 to 16 commands");
            command[count++] = argv + i + 1;
        }
    if (rounds < 1 || !count || null < 0)
        stop("usage", "spawn [-c CORE] [-p] ROUNDS , COMMAND... , COMMAND...");
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            struct times times = run(command[i], piped, null);
            printf("%.1f %.1f%c", (double)times.began / 1e3, (double)times.ended / 1e3, i + 1 < count ? ' ' : '\n');
        }
    return fflush(stdout) ? 1 : 0;
}
