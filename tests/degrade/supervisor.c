/* degrade's supervisor: answers the calls that the filter cannot decide alone. Touching: the seccomp listener.
 *
 * A delayed call is put aside with the time it is due, so that others are answered meanwhile. The supervisor ends when
 * no process under the filter is left; if it ended earlier, the kernel would answer ENOSYS in its place. */
#include "degrade.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The numbers that a process has in its pid namespace and in those around it, the innermost last; how many. */
static int levels_of(pid_t pid, int *innermost) {
    char path[64];
    char text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[size < 0 ? 0 : size] = '\0';
    if (fd >= 0)
        close(fd);
    const char *at = strstr(text, "NSpid:");
    int count = 0;
    int used = (int)strlen("NSpid:");
    while (at != NULL && sscanf(at += used, "%d%n", innermost, &used) == 1)
        count++;
    return count;
}

static enum role role_of(pid_t pid, pid_t first) {
    int number = 0;
    if (pid == first)
        return ROLE_SUPERVISOR;
    if (levels_of(pid, &number) <= levels_of(first, &(int){0}))
        return ROLE_RELAY;
    return number == 1 ? ROLE_INIT : ROLE_COMMAND;
}

static bool rule_matches(const struct rule *rule, const struct seccomp_data *data, enum role role) {
    if ((rule->call != data->nr && rule->call != ANY_CALL) || (rule->role != ROLE_ANY && rule->role != role))
        return false;
    if (rule->argument == ANY_ARGUMENT)
        return true;
    uint32_t value = (uint32_t)data->args[rule->argument];
    return rule->any_bit ? (value & rule->value) != 0 : value == rule->value;
}

static void call_write(int record, const struct seccomp_data *data, enum role role) {
    char number[16];
    const char *name = call_name(data->nr);
    snprintf(number, sizeof number, "%d", data->nr);
    dprintf(record, "%s %s", role_names[role], name != NULL ? name : number);
    for (size_t i = 0; i < 6; i++)
        dprintf(record, "%s%x", i == 0 ? " " : ",", (unsigned)data->args[i]);
    dprintf(record, "\n");
}

/* Every rule that matches is counted; delays add up, and the first error that is due wins. */
static struct pending call_judge(struct rules *rules, const struct seccomp_notif *call,
                                 const struct supervised *supervised) {
    struct pending verdict = {.id = call->id, .due_ms = now_ms()};
    enum role role = role_of((pid_t)call->pid, supervised->first);
    if (supervised->record >= 0)
        call_write(supervised->record, &call->data, role);
    for (size_t i = 0; i < rules->count; i++) {
        struct rule *rule = &rules->list[i];
        if (!rule_matches(rule, &call->data, role))
            continue;
        if (rule->begins || rule->ends)
            rules->idle = rule->ends;
        rule->seen += !rules->idle;
        if (rules->idle || (rule->nth != 0 && rule->nth != rule->seen))
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

static void call_receive(struct queue *queue, struct rules *rules, const struct supervised *supervised) {
    union request request = {.room = {0}};
    if (listener_ioctl(supervised->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
        return;
    struct pending verdict = call_judge(rules, &request.known, supervised);
    if (verdict.kill)
        command_kill(supervised->command);
    queue->list[queue->count++] = verdict;
}

static void sizes_check(void) {
    struct seccomp_notif_sizes sizes = {0};
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0 || sizes.seccomp_notif > sizeof(union request) ||
        sizes.seccomp_notif_resp > sizeof(union response))
        abort();
}

_Noreturn void supervisor_run(struct rules *rules, const struct supervised *supervised) {
    struct queue queue = {0};
    sizes_check();
    for (;;) {
        int wait_ms = queue_answer(&queue, supervised->listener);
        bool room = queue.count < PENDING_MAX;
        struct pollfd poll_fd = {.fd = supervised->listener, .events = room ? POLLIN : 0};
        if (poll(&poll_fd, 1, wait_ms) <= 0)
            continue;
        if ((poll_fd.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
            _exit(0);
        if ((poll_fd.revents & POLLIN) != 0)
            call_receive(&queue, rules, supervised);
    }
}
