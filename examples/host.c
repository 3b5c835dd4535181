/* host.c: an example: a program with 8 threads, each of which runs boxes one after the other.
 *
 *     cc host.c $(pkg-config --cflags --libs pinfold) -pthread -o host
 *     ./host 100              # a hundred boxes, in the current folder
 *     ./host 100 PROGRAM      # by this pinfold, as the tests do
 */
#include <pinfold.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8 };

struct work {
    const struct pinfold *pinfold;
    atomic_int next, wrong;
    int count;
};

/* Everything that the command writes, until its end. */
static void read_all(int fd, char *text, size_t size) {
    size_t count = 0;
    ssize_t got;
    while (count < size - 1 && (got = read(fd, text + count, size - 1 - count)) > 0)
        count += (size_t)got;
    text[count] = '\0';
}

/* One box: its output comes by a pipe, its end by pinfold_box_wait. Says whether all was as it must be. */
static int run(const struct pinfold *pinfold, int number) {
    char word[16], want[32], text[256];
    snprintf(word, sizeof word, "%d", number);
    snprintf(want, sizeof want, "job %d\n", number);
    const char *const arguments[] = {"sh", "-c", "echo job $1; exit $(($1 % 7))", "sh", word, NULL};
    struct pinfold_run options = PINFOLD_RUN_INIT;
    struct pinfold_error err;
    struct pinfold_box *box;
    int out[2];
    if (pipe(out))
        return 0;
    options.arguments = arguments;
    options.standard[1] = out[1];
    options.timeout_ms = 60000;
    int failed = pinfold_box_start(pinfold, &options, &box, &err);
    close(out[1]); /* or the pipe never ends */
    if (failed) {
        fprintf(stderr, "job %d: %s\n", number, err.text);
        close(out[0]);
        return 0;
    }
    read_all(out[0], text, sizeof text);
    close(out[0]);
    pinfold_box_wait(box, -1);
    const struct pinfold_result *result = pinfold_box_result(box);
    int right = result && strcmp(result->outcome, "exited") == 0 && strcmp(result->confined, "full") == 0 &&
                result->exit == number % 7 && result->receipt && strcmp(text, want) == 0;
    if (!right && result)
        fprintf(stderr, "job %d: %s, exit %d, %s, said \"%s\"\n", number, result->outcome, result->exit, result->error,
                text);
    pinfold_box_free(box);
    return right;
}

static void *work(void *argument) {
    struct work *work = argument;
    for (int number; (number = atomic_fetch_add(&work->next, 1)) < work->count;)
        if (!run(work->pinfold, number))
            atomic_fetch_add(&work->wrong, 1);
    return NULL;
}

int main(int argc, char **argv) {
    struct work all = {.count = argc > 1 ? atoi(argv[1]) : 8};
    struct pinfold *pinfold;
    struct pinfold_error err;
    pthread_t threads[THREADS];
    int started = 0;
    if (pinfold_open(&pinfold, argc > 2 ? argv[2] : NULL, &err)) {
        fprintf(stderr, "host: %s\n", err.text);
        return err.status;
    }
    all.pinfold = pinfold;
    while (started < THREADS && !pthread_create(&threads[started], NULL, work, &all))
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pinfold_close(pinfold);
    printf("%d boxes, %d threads, %d wrong\n", all.count, started, atomic_load(&all.wrong));
    return started < THREADS || atomic_load(&all.wrong) ? 1 : 0;
}
