/* box.c (glue): one run, from start to result.
 *
 * Should: know its end by the process itself and its result by the report, whoever waits for the host's children. Must
 * not: need a process id. */
#include "child.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 2000 }; /* milliseconds that pinfold gets to end a box itself, which gives a receipt */

struct pinfold_box {
    pid_t host;           /* the process that it belongs to */
    int ended;            /* readable when pinfold has ended */
    pthread_mutex_t lock; /* of what follows */
    int tie, report, receipt;
    bool collected;
    int policy_number;
    char *policy_name; /* NULL: none */
    char *report_text, *messages, *error, *receipt_text;
    struct pinfold_result result;
};

static void free_box(struct pinfold_box *box) {
    if (!box)
        return;
    pinfold_shut(&box->ended);
    pinfold_shut(&box->tie);
    pinfold_shut(&box->report);
    pinfold_shut(&box->receipt);
    free(box->policy_name);
    free(box->report_text);
    free(box->messages);
    free(box->error);
    free(box->receipt_text);
    free(box);
}

static struct pinfold_box *new_box(void) {
    struct pinfold_box *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->host = getpid();
    box->ended = box->tie = box->report = box->receipt = -1;
    if (!pthread_mutex_init(&box->lock, NULL))
        return box;
    free(box);
    return NULL;
}

static int keep_name(struct pinfold_box *box, const struct pinfold_policy *policy, struct pinfold_error *err) {
    box->policy_name = policy ? strdup(policy->name) : NULL;
    return policy && !box->policy_name ? pinfold_fail_system(err, "begin", ENOMEM) : 0;
}

static void take(int *from, int *into) {
    *into = *from;
    *from = -1;
}

int pinfold_box_start(const struct pinfold *pinfold, const struct pinfold_run *run, struct pinfold_box **started,
                      struct pinfold_error *err) {
    struct launch launch;
    *started = NULL;
    struct pinfold_box *box = new_box();
    if (!box)
        return pinfold_fail_system(err, "begin", ENOMEM);
    pinfold_launch_open(&launch, pinfold);
    int result = pinfold_launch_run(&launch, run, err) || keep_name(box, run->policy, err) ||
                         pinfold_launch_spawn(&launch, &box->ended, err)
                     ? -1
                     : 0;
    if (!result) {
        take(&launch.tie[0], &box->tie);
        take(&launch.report, &box->report);
        take(&launch.receipt, &box->receipt);
        box->policy_number = launch.policy_number;
        *started = box;
    } else {
        pthread_mutex_destroy(&box->lock);
        free_box(box);
    }
    pinfold_launch_close(&launch);
    return result;
}

int pinfold_box_descriptor(const struct pinfold_box *box) {
    return box ? box->ended : -1;
}

/* Of a run that pinfold has not told the end of, nothing is known but that it is over. */
static void judge(struct pinfold_box *box, const struct pinfold_report *report) {
    bool whole = report->exit >= 0;
    box->result = (struct pinfold_result){
        .outcome = whole && *report->outcome ? report->outcome : "killed",
        .confined = whole && *report->confined ? report->confined : "unknown",
        .exit = whole ? report->exit : STATUS_KILLED,
        .error = whole ? box->error : "pinfold was killed, or could not tell how the run ended",
        .messages = report->messages,
        .receipt = whole && *box->receipt_text ? box->receipt_text : NULL,
    };
}

/* With the lock, after the end: everything that is left of it, once. -1 with errno ENOMEM or what reading said. */
static int collect(struct pinfold_box *box) {
    struct pinfold_report report;
    size_t size = 0;
    if (box->collected)
        return 0;
    if (box->host == getpid())
        pinfold_child_reap(box->ended);
    char *text = pinfold_memory_read(box->report, &size), *messages = text ? malloc(size + 1) : NULL, *error = NULL;
    char *receipt = messages ? pinfold_memory_read(box->receipt, NULL) : NULL;
    if (receipt) {
        pinfold_report_parse(text, messages, &report);
        error = pinfold_report_named(report.error, box->policy_number, box->policy_name);
    }
    if (!error) {
        int saved = errno;
        free(text);
        free(messages);
        free(receipt);
        errno = saved;
        return -1;
    }
    box->report_text = text;
    box->messages = messages;
    box->receipt_text = receipt;
    box->error = error;
    judge(box, &report);
    box->collected = true;
    pinfold_shut(&box->tie);
    pinfold_shut(&box->report);
    pinfold_shut(&box->receipt);
    return 0;
}

int pinfold_box_wait(struct pinfold_box *box, int timeout_ms) {
    if (!box || timeout_ms < -1) {
        errno = EINVAL;
        return -1;
    }
    int ended = pinfold_child_wait(box->ended, timeout_ms);
    if (ended != 1)
        return ended;
    pthread_mutex_lock(&box->lock);
    int failed = collect(box);
    pthread_mutex_unlock(&box->lock);
    return failed ? -1 : 1;
}

const struct pinfold_result *pinfold_box_result(struct pinfold_box *box) {
    return pinfold_box_wait(box, 0) == 1 ? &box->result : NULL;
}

/* With the lock. 0, or an errno. */
static int order(struct pinfold_box *box, int signal, bool all) {
    unsigned char byte = (unsigned char)(signal | (all ? 128 : 0));
    if (box->collected || pinfold_child_wait(box->ended, 0) == 1)
        return ESRCH;
    if (send(box->tie, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
        return 0;
    return errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN ? ESRCH : errno == ENOBUFS ? EAGAIN : errno;
}

int pinfold_box_kill(struct pinfold_box *box, int signal, int all) {
    if (!box || signal < 1 || signal > 64) {
        errno = EINVAL;
        return -1;
    }
    if (box->host != getpid()) {
        errno = EPERM;
        return -1;
    }
    pthread_mutex_lock(&box->lock);
    int failed = order(box, signal, all != 0);
    /* a pinfold that doesn't read: then without a receipt */
    if (failed && failed != ESRCH && signal == SIGKILL) {
        pinfold_child_kill(box->ended);
        failed = 0;
    }
    pthread_mutex_unlock(&box->lock);
    errno = failed ? failed : errno;
    return failed ? -1 : 0;
}

void pinfold_box_free(struct pinfold_box *box) {
    if (!box)
        return;
    if (box->host == getpid()) {
        if (!pinfold_box_kill(box, SIGKILL, 0) && pinfold_child_wait(box->ended, PATIENCE) != 1)
            pinfold_child_kill(box->ended);
        if (pinfold_child_wait(box->ended, -1) == 1)
            pinfold_child_reap(box->ended);
        pthread_mutex_destroy(&box->lock);
    }
    free_box(box);
}
