/* lab.c: hosts of libpinfold that behave in every way a host may: `pinfold-lab PROGRAM WORD [NUMBER]` prints ok, or
 * what was wrong. Boxes run in the current folder. */
#include "lab.h"

/* What a library must leave alone. */
struct state {
    uintptr_t handlers[65];
    sigset_t mask;
    mode_t umask;
    char folder[4096];
    char **environment;
    struct rlimit files;
};

static void look(struct state *state) {
    memset(state, 0, sizeof *state);
    for (int i = 1; i <= 64; i++) {
        struct sigaction action = {0};
        (void)sigaction(i, NULL, &action);
        state->handlers[i] = (uintptr_t)action.sa_handler;
    }
    (void)pthread_sigmask(SIG_SETMASK, NULL, &state->mask);
    state->umask = umask(0);
    umask(state->umask);
    if (!getcwd(state->folder, sizeof state->folder) || getrlimit(RLIMIT_NOFILE, &state->files))
        wrong("getcwd");
    state->environment = environ;
}

static void unchanged(int number) {
    struct state before, after;
    bool open[4096] = {0}, during[4096] = {0};
    (void)number;
    umask(027);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    descriptors(open, NULL);
    look(&before);
    for (int i = 0; i < 5; i++) {
        struct pinfold_box *box = start_up(stubborn), *other = start("exit 3", -1);
        descriptors(during, open);
        expect(other, "exited", 3);
        if (pinfold_box_kill(box, SIGKILL, 0))
            wrong("kill");
        expect(box, "terminated", 137);
    }
    look(&after);
    if (memcmp(&before, &after, sizeof before) != 0)
        wrong("signals, mask, umask, folder, environment or limits have changed");
    same_descriptors(open);
}

static void ignored(int number) {
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < number; i++)
        expect(start("exit 5", -1), "exited", 5);
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
        wrong("a child is left");
}

static void *steal(void *stop) {
    while (!atomic_load((atomic_bool *)stop))
        if (waitpid(-1, NULL, 0) < 0)
            usleep(200);
    return NULL;
}

/* Another thread waits for whatever child there is. */
static void stolen(int number) {
    atomic_bool stop = false;
    pthread_t thief;
    pthread_create(&thief, NULL, steal, &stop);
    for (int i = 0; i < number; i++) {
        char script[32];
        snprintf(script, sizeof script, "exit %d", i % 100);
        expect(start(script, -1), "exited", i % 100);
    }
    atomic_store(&stop, true);
    pthread_join(thief, NULL);
}

static void closed(int number) {
    bool open[4096] = {0}, during[4096] = {0};
    (void)number;
    close(0);
    close(1);
    close(2);
    descriptors(open, NULL);
    for (int i = 0; i < 5; i++) {
        struct pinfold_box *box = start("exit 2", -1);
        descriptors(during, open);
        expect(box, "exited", 2);
    }
    same_descriptors(open);
}

/* With every limit of open files: a refusal with its remedy, or a result. */
/* A file that can't be opened for want of descriptors is nothing that is wrong with the file. */
static void read_with_few(int limit) {
    struct pinfold_error err = {0};
    struct pinfold_policy *policy = NULL;
    if (!pinfold_policy_read(pinfold, &policy, "/etc/passwd", &err) || policy ||
        (err.status != 126 && !strstr(err.text, "/etc/passwd:1:")))
        wrong("limit %d, a policy: %d %s", limit, err.status, err.text);
}

static void few(int number) {
    const char *const arguments[] = {"true", NULL};
    int refused = 0, ran = 0;
    bool open[4096] = {0};
    descriptors(open, NULL);
    for (int limit = 3; limit < number; limit++) {
        struct rlimit files;
        struct pinfold_run run = PINFOLD_RUN_INIT;
        struct pinfold_error err = {0};
        struct pinfold_box *box = NULL;
        run.arguments = arguments;
        getrlimit(RLIMIT_NOFILE, &files);
        rlim_t usual = files.rlim_cur;
        files.rlim_cur = (rlim_t)limit;
        setrlimit(RLIMIT_NOFILE, &files);
        read_with_few(limit);
        int failed = pinfold_box_start(pinfold, &run, &box, &err);
        files.rlim_cur = usual;
        setrlimit(RLIMIT_NOFILE, &files);
        if (failed && (err.status != 126 || !strstr(err.text, "ulimit -n") || box))
            wrong("limit %d: %d %s", limit, err.status, err.text);
        const struct pinfold_result *result =
            failed || pinfold_box_wait(box, 30000) != 1 ? NULL : pinfold_box_result(box);
        if (!failed && (!result || (result->exit != 0 && result->exit != 126 && result->exit != 137)))
            wrong("limit %d: %d %s", limit, result ? result->exit : -1, result ? result->error : "");
        refused += failed || result->exit;
        ran += !failed && !result->exit;
        pinfold_box_free(box);
    }
    same_descriptors(open);
    if (!refused || !ran)
        wrong("%d refused, %d ran", refused, ran);
}

static void *fork_on(void *stop) {
    pid_t children[2000];
    size_t count = 0;
    while (!atomic_load((atomic_bool *)stop) && count < 2000) {
        pid_t child = fork();
        if (!child) {
            for (;;)
                pause();
        }
        children[count++] = child;
        usleep(300);
    }
    while (!atomic_load((atomic_bool *)stop))
        usleep(1000);
    for (size_t i = 0; i < count; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    return NULL;
}

/* Copies of the host, which hold whatever was open, come into being at every moment and stay. */
static void forks(int number) {
    atomic_bool stop = false;
    pthread_t forker;
    pthread_create(&forker, NULL, fork_on, &stop);
    for (int i = 0; i < number; i++) {
        expect(start("exit 6", -1), "exited", 6);
        struct pinfold_box *box = start_up(stubborn);
        pinfold_box_free(box);
    }
    atomic_store(&stop, true);
    pthread_join(forker, NULL);
}

static void in_child(int number) {
    struct pinfold_box *box = start_up(stubborn);
    (void)number;
    pid_t child = fork();
    if (!child) {
        int refused = pinfold_box_kill(box, SIGKILL, 0) == -1 && errno == EPERM && !pinfold_box_result(box);
        pinfold_box_free(box);
        _exit(refused ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (status || pinfold_box_wait(box, 300) != 0)
        wrong("a child of the host could end the box");
    pinfold_box_free(box);
}

static void *use(void *box) {
    for (int i = 0; i < 50; i++) {
        (void)pinfold_box_kill(box, SIGUSR1, i & 1);
        (void)pinfold_box_wait(box, 1);
        (void)pinfold_box_result(box);
    }
    int said_again = 0;
    while (pinfold_box_kill(box, SIGTERM, 0) == -1 && errno == EAGAIN && said_again++ < 20000)
        usleep(1000); /* the signals before it are still being taken */
    if (pinfold_box_wait(box, 30000) != 1)
        wrong("no end, SIGTERM was sent %d times", said_again + 1);
    return (void *)pinfold_box_result(box);
}

static void shared(int number) {
    for (int i = 0; i < number; i++) {
        struct pinfold_box *box = start_up("trap 'exit 8' TERM; trap : USR1; echo up; while :; do sleep 0.01; done");
        pthread_t threads[8];
        void *results[8];
        for (int j = 0; j < 8; j++)
            pthread_create(&threads[j], NULL, use, box);
        for (int j = 0; j < 8; j++) {
            pthread_join(threads[j], &results[j]);
            if (!results[j] || results[j] != results[0])
                wrong("another result in another thread");
        }
        if (pinfold_box_kill(box, SIGTERM, 0) != -1 || errno != ESRCH)
            wrong("a box that has ended could be killed");
        expect(box, "exited", 8);
    }
}

/* The only child: pinfold. */
static pid_t find_pinfold(void) {
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &pid) != 1)
        wrong("no child");
    fclose(file);
    return pid;
}

static void vanished(int number) {
    (void)number;
    struct pinfold_box *box = start_up(stubborn);
    kill(find_pinfold(), SIGKILL);
    expect(box, "killed", 137);
}

/* A pinfold that is stopped obeys nobody. */
static void stopped(int number) {
    (void)number;
    struct pinfold_box *box = start_up(stubborn);
    kill(find_pinfold(), SIGSTOP);
    time_t since = time(NULL);
    pinfold_box_free(box);
    if (time(NULL) - since > 10 || waitpid(-1, NULL, WNOHANG) != -1)
        wrong("free took too long, or a child is left");
    box = start_up(stubborn);
    kill(find_pinfold(), SIGSTOP);
    int got, count = 0;
    while (!(got = pinfold_box_kill(box, SIGUSR1, 0)) && count < 100000)
        count++;
    if (got != -1 || errno != EAGAIN || pinfold_box_kill(box, SIGKILL, 0))
        wrong("kill of a stopped pinfold: %d after %d", errno, count);
    expect(box, "killed", 137);
}

static long microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int by_size(const void *one, const void *other) {
    return (*(const long *)one > *(const long *)other) - (*(const long *)one < *(const long *)other);
}

/* Microseconds of a start and of a whole run, in a host with so many MiB of touched memory: what an eighth of the
 * rounds stay below, since others use the machine too. */
static void large(int number) {
    enum { ROUNDS = 41 };
    long starts[ROUNDS], runs[ROUNDS];
    char *memory = malloc((size_t)number << 20);
    if (!memory)
        wrong("no memory");
    memset(memory, 1, (size_t)number << 20);
    for (int i = 0; i < ROUNDS; i++) {
        long begin = microseconds();
        struct pinfold_box *box = start("exit 0", -1);
        starts[i] = microseconds() - begin;
        if (pinfold_box_wait(box, 30000) != 1)
            wrong("no end");
        runs[i] = microseconds() - begin;
        expect(box, "exited", 0);
    }
    qsort(starts, ROUNDS, sizeof *starts, by_size);
    qsort(runs, ROUNDS, sizeof *runs, by_size);
    dprintf(said, "start %ld run %ld memory %d\n", starts[ROUNDS / 8], runs[ROUNDS / 8], memory[number]);
    free(memory);
}

/* So many boxes that don't want to end, with the third argument as a mark; then nothing until somebody kills us. */
static _Noreturn void held(int number, const char *mark) {
    char script[256];
    snprintf(script, sizeof script,
             "trap '' HUP INT TERM PIPE; echo up; (setsid sleep 300 &); while :; do sleep 300; done; : %s", mark);
    for (int i = 0; i < number; i++)
        (void)start(script, said);
    for (;;)
        pause();
}

int main(int argc, char **argv) {
    static const struct {
        const char *word;
        void (*run)(int number);
    } words[] = {{"unchanged", unchanged}, {"ignored", ignored}, {"stolen", stolen},
                 {"closed", closed},       {"few", few},         {"forks", forks},
                 {"in-child", in_child},   {"shared", shared},   {"vanished", vanished},
                 {"stopped", stopped},     {"large", large}};
    struct pinfold_error err;
    said = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int number = argc > 3 ? atoi(argv[3]) : 0;
    if (argc < 3)
        wrong("usage: lab PROGRAM WORD [NUMBER [MARK]]");
    if (pinfold_open(&pinfold, argv[1], &err))
        wrong("%d %s", err.status, err.text);
    if (strcmp(argv[2], "held") == 0)
        held(number, argc > 4 ? argv[4] : "");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(argv[2], words[i].word) == 0) {
            words[i].run(number);
            pinfold_close(pinfold);
            dprintf(said, "ok\n");
            return 0;
        }
    wrong("no such word: %s", argv[2]);
}
