/* degrade's supervisor: answers the calls that the filter cannot decide alone. Touching: the seccomp listener.
 *
 * A delayed call is put aside with the time it is due, so that others are answered meanwhile. The supervisor ends when
 * no process under the filter is left; if it ended earlier, the kernel would answer ENOSYS in its place. */
#include "degrade.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PENDING_MAX = 256 };

/* Room for the structures of kernels to come, which may be longer than those known here. */
union request {
    struct seccomp_notif known;
    char room[512];
};

union response {
    struct seccomp_notif_resp known;
    char room[512];
};

struct pending {
    uint64_t id;
    int error;
    bool kill;
    int64_t due_ms;
};

struct queue {
    size_t count;
    struct pending list[PENDING_MAX];
};

static int64_t now_ms(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool rule_matches(const struct rule *rule, const struct seccomp_data *data) {
    if (rule->call != data->nr)
        return false;
    if (rule->argument == ANY_ARGUMENT)
        return true;
    uint32_t value = (uint32_t)data->args[rule->argument];
    return rule->any_bit ? (value & rule->value) != 0 : value == rule->value;
}

/* Every rule that matches is counted; delays add up, and the first error that is due wins. */
static struct pending call_judge(struct rules *rules, const struct seccomp_notif *call) {
    struct pending verdict = {.id = call->id, .due_ms = now_ms()};
    for (size_t i = 0; i < rules->count; i++) {
        struct rule *rule = &rules->list[i];
        if (rules->over || !rule_matches(rule, &call->data))
            continue;
        rules->over = rule->ends;
        rule->seen++;
        if (rule->nth != 0 && rule->nth != rule->seen)
            continue;
        verdict.due_ms += rule->delay_ms;
        verdict.kill = verdict.kill || rule->kill;
        if (verdict.error == 0)
            verdict.error = rule->error;
    }
    return verdict;
}

/* musl's ioctl takes an int, which these numbers do not fit. */
static long listener_ioctl(int listener, unsigned long request, void *data) {
    return syscall(SYS_ioctl, listener, request, data);
}

/* ENOENT: the caller has died meanwhile. There is no one to tell of other errors either. */
static void verdict_send(int listener, const struct pending *verdict) {
    union response response = {.room = {0}};
    response.known.id = verdict->id;
    response.known.error = -(verdict->error % DONE);
    response.known.flags = verdict->error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
    while (listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0 && errno == EINTR)
        continue;
}

/* Answer what is due; how long until the next is, in milliseconds, or -1. */
static int queue_answer(struct queue *queue, int listener) {
    int64_t now = now_ms();
    int64_t next = -1;
    size_t kept = 0;
    for (size_t i = 0; i < queue->count; i++) {
        struct pending one = queue->list[i];
        if (one.due_ms <= now) {
            verdict_send(listener, &one);
            continue;
        }
        if (next < 0 || one.due_ms - now < next)
            next = one.due_ms - now;
        queue->list[kept++] = one;
    }
    queue->count = kept;
    return (int)next;
}

/* Returns once the process is dead: what comes after the call sees the world without it. */
static void command_kill(int command) {
    struct pollfd dead = {.fd = command, .events = POLLIN};
    syscall(SYS_pidfd_send_signal, command, SIGKILL, NULL, 0);
    while (poll(&dead, 1, -1) < 0 && errno == EINTR)
        continue;
}

static void call_receive(struct queue *queue, struct rules *rules, int listener, int command) {
    union request request = {.room = {0}};
    if (listener_ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
        return;
    struct pending verdict = call_judge(rules, &request.known);
    if (verdict.kill)
        command_kill(command);
    queue->list[queue->count++] = verdict;
}

static void sizes_check(void) {
    struct seccomp_notif_sizes sizes = {0};
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0 || sizes.seccomp_notif > sizeof(union request) ||
        sizes.seccomp_notif_resp > sizeof(union response))
        abort();
}

_Noreturn void supervisor_run(struct rules *rules, int listener, int command) {
    struct queue queue = {0};
    sizes_check();
    for (;;) {
        int wait_ms = queue_answer(&queue, listener);
        bool room = queue.count < PENDING_MAX;
        struct pollfd poll_fd = {.fd = listener, .events = room ? POLLIN : 0};
        if (poll(&poll_fd, 1, wait_ms) <= 0)
            continue;
        if ((poll_fd.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
            _exit(0);
        if ((poll_fd.revents & POLLIN) != 0)
            call_receive(&queue, rules, listener, command);
    }
}
