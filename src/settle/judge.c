/* judge.c (touching: a process). See judge.h. The supervisor hands texts over unread and gets a word back. */
#include "settle/judge.h"

#include "base/fd.h"
#include "linux/fds.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct question {
    enum judge_kind kind;
    int steps;
    size_t size, before_size;
};

struct answer {
    int harmless;
    char why[HARMLESS_WHY];
};

static void judge_loop(int link, char *texts[2]) {
    struct question question;
    while (fd_read_all(link, &question, sizeof question) == (ssize_t)sizeof question) {
        struct answer answer = {0};
        if (question.size > JUDGE_TEXT_MAX || question.before_size > JUDGE_TEXT_MAX ||
            fd_read_all(link, texts[0], question.size) != (ssize_t)question.size ||
            fd_read_all(link, texts[1], question.before_size) != (ssize_t)question.before_size)
            return;
        const struct text text = {texts[0], question.size}, before = {texts[1], question.before_size};
        answer.harmless = question.kind == JUDGE_CONFIG ? harmless_config(&text, &before, question.steps, answer.why)
                                                        : harmless_todo(&text, answer.why);
        if (fd_write_all(link, &answer, sizeof answer))
            return;
    }
}

static _Noreturn void judge_main(const struct confinement *confinement, int link, pid_t supervisor) {
    int keep[] = {link};
    /* shared, so that a limit of data doesn't count it */
    char *both = mmap(NULL, 2 * JUDGE_TEXT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED)
        _exit(1);
    char *texts[2] = {both, both + JUDGE_TEXT_MAX};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != supervisor || fds_keep(keep, 1))
        _exit(1);
    struct confined confined = confine_to_descriptors(confinement);
    if (fd_write_all(link, &confined, sizeof confined) || confined.step != STEP_COUNT)
        _exit(1);
    judge_loop(link, texts);
    _exit(0);
}

/* A judge that has gone is an answer too, and no signal. */
static int tell(int link, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(link, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -1;
        at += sent;
        size -= (size_t)sent;
    }
    return 0;
}

static int begin(struct judge *judge) {
    int pair[2];
    struct confined confined;
    pid_t supervisor = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return -1;
    pid_t pid = fork();
    if (!pid)
        judge_main(&judge->confinement, pair[1], supervisor);
    int saved = errno;
    close(pair[1]);
    judge->link = pair[0];
    judge->pid = pid;
    errno = saved;
    if (pid < 0) {
        fd_close(&judge->link);
        judge->pid = 0;
        return -1;
    }
    if (fd_read_all(judge->link, &confined, sizeof confined) == (ssize_t)sizeof confined && confined.step == STEP_COUNT)
        return 0;
    judge_end(judge);
    errno = EPERM;
    return -1;
}

int judge_ask(struct judge *judge, enum judge_kind kind, const struct text *text, const struct text *before, int steps,
              char why[HARMLESS_WHY]) {
    const struct question question = {kind, steps, text->size, before->size};
    struct answer answer;
    if (judge->pid <= 0 && begin(judge))
        return -1;
    if (tell(judge->link, &question, sizeof question) || tell(judge->link, text->at, text->size) ||
        tell(judge->link, before->at, before->size))
        return -1;
    if (fd_read_all(judge->link, &answer, sizeof answer) != (ssize_t)sizeof answer) {
        errno = EIO;
        return -1;
    }
    answer.why[HARMLESS_WHY - 1] = '\0';
    for (char *at = answer.why; *at; at++) /* whatever has become of the process */
        *at = *at < ' ' || *at > '~' ? '?' : *at;
    memcpy(why, answer.why, HARMLESS_WHY);
    return answer.harmless == 1;
}

void judge_end(struct judge *judge) {
    if (judge->pid <= 0)
        return;
    fd_close(&judge->link);
    (void)kill(judge->pid, SIGKILL);
    while (waitpid(judge->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    judge->pid = 0;
}
