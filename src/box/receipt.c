/* receipt.c (touching: one file). See receipt.h. */
#include "box/receipt.h"

#include "base/fd.h"
#include "base/path.h"
#include "plan/describe.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A receipt that the command can write is worth nothing. */
/* `place` is its folder, or the file itself. */
static int check_outside(const struct policy *policy, int place, struct error *err) {
    char link[32], real[PATH_MAX], root[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    ssize_t size = readlink(link, real, sizeof real - 1);
    if (size <= 0)
        return error_set(err, EXIT_USAGE, "--receipt %s: the folder: %s", policy->receipt, strerror(errno));
    real[size] = '\0';
    for (size_t i = 0; i <= policy->grants.count; i++) {
        const char *path = i < policy->grants.count ? policy->grants.at[i].path
                           : policy->workspace      ? policy->workspace
                                                    : ".";
        if (i < policy->grants.count && policy->grants.at[i].access != ACCESS_WRITE)
            continue;
        if (realpath(path, root) && path_is_under(real, root))
            return error_set(err, EXIT_USAGE,
                             "--receipt %s: the command can write there and forge it; name a file outside "
                             "%s, or use fd:N",
                             policy->receipt, root);
    }
    return 0;
}

static bool same_object(int a, int b) {
    struct stat one, other;
    return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* fd:N must not be something that the command is given, nor a file where it can write. */
static int check_descriptor(const struct policy *policy, int number, struct error *err) {
    struct stat status;
    bool shared = number <= 2;
    for (int i = 0; i <= 2; i++)
        shared |= same_object(number, i) && !fstat(number, &status) && !S_ISCHR(status.st_mode);
    for (size_t i = 0; i < policy->descriptors.count; i++)
        shared |= same_object(number, policy->descriptors.at[i]);
    if (shared)
        return error_set(err, EXIT_USAGE,
                         "--receipt %s: the command writes there too and could forge it; use a descriptor "
                         "of its own, such as fd:3 with 3>FILE",
                         policy->receipt);
    /* a file without a name, such as a memfd, is nowhere that the command could write to it */
    return fstat(number, &status) || !S_ISREG(status.st_mode) || !status.st_nlink ? 0
                                                                                  : check_outside(policy, number, err);
}

/* The folder is opened once, looked at, and the file opened in it: a folder that is swapped meanwhile changes nothing.
 */
static int open_file(const struct policy *policy, struct error *err) {
    char path[PATH_MAX];
    const char *slash = strrchr(policy->receipt, '/');
    size_t size = slash ? (size_t)(slash - policy->receipt) : 0;
    err->status = 0;
    if (size >= sizeof path)
        return error_set(err, EXIT_USAGE, "--receipt: the path is too long");
    snprintf(path, sizeof path, "%.*s", (int)size, policy->receipt);
    autoclose int folder = open(!slash ? "." : size ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return error_set(err, EXIT_USAGE, "--receipt %s: the folder: %s", policy->receipt, strerror(errno));
    if (check_outside(policy, folder, err))
        return -1;
    return openat(folder, slash ? slash + 1 : policy->receipt,
                  O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
}

int receipt_open(const struct policy *policy, int *fd, struct error *err) {
    *fd = -1;
    if (!policy->receipt)
        return 0;
    if (strncmp(policy->receipt, "fd:", 3) == 0) {
        char *end;
        long number = strtol(policy->receipt + 3, &end, 10);
        int flags =
            *end || end == policy->receipt + 3 || number < 1 || number > INT_MAX ? -1 : fcntl((int)number, F_GETFL);
        if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY)
            return error_set(err, EXIT_USAGE, "--receipt %s: not a descriptor that is open for writing",
                             policy->receipt);
        if (check_descriptor(policy, (int)number, err))
            return -1;
        *fd = fcntl((int)number, F_DUPFD_CLOEXEC, 3);
    } else {
        *fd = open_file(policy, err);
        if (*fd < 0 && err->status)
            return -1;
    }
    if (*fd < 0)
        return error_set(err, EXIT_USAGE, "--receipt %s: %s", policy->receipt, strerror(errno));
    return 0;
}

static json_t *command_of(const struct policy *policy) {
    json_t *words = json_array();
    for (char *const *at = policy->command; at && *at; at++)
        if (json_array_append_new(words, describe_bytes(*at))) {
            json_decref(words);
            return NULL;
        }
    return words;
}

static const char *stream_error(const struct box *box, size_t stream) {
    int error = box->result.relay.stream[stream].error;
    return error ? error_name(error) : "";
}

static json_t *output_of(const struct box *box) {
    json_t *all = json_array();
    size_t stream = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < box->plan.channels.count && stream < RELAY_STREAMS; i++) {
            const struct channel *channel = &box->plan.channels.at[i];
            bool relayed = pass ? channel->kind == CHANNEL_TTY : channel->kind == CHANNEL_RELAY && channel->same_as < 0;
            bool counted = relayed && (pass == 0 || channel->inward || channel->number == 1 || channel->number == 2);
            if (!counted)
                continue;
            if (json_array_append_new(all, json_pack("{s:i, s:I, s:I, s:s}", "number", channel->number, "bytes",
                                                     (json_int_t)box->result.relay.stream[stream].seen, "left_out",
                                                     (json_int_t)box->result.relay.stream[stream].dropped, "error",
                                                     stream_error(box, stream)))) {
                json_decref(all);
                return NULL;
            }
            stream++;
            if (pass && !channel->inward)
                break;
        }
    return all;
}

static json_t *receipt_json(const struct box *box, const struct error *err) {
    const struct result *result = &box->result;
    bool ran = result->outcome != OUTCOME_REFUSED && result->outcome != OUTCOME_USAGE;
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:s, s:i, s:o}", "receipt", RECEIPT_VERSION, "version", PINFOLD_VERSION, "outcome",
                  outcome_name(result->outcome), "confined", ran ? plan_confined(&box->plan) : "not-started", "exit",
                  result->status, "command", command_of(&box->policy));
    int failed = !root;
    if (err->status)
        failed |= json_object_set_new(root, "error", describe_bytes(err->text));
    if (result->exec_error)
        failed |= json_object_set_new(root, "exec_error", json_string(error_name(result->exec_error)));
    if (result->outcome == OUTCOME_SIGNALLED || result->outcome == OUTCOME_TERMINATED)
        failed |= json_object_set_new(root, "signal", json_integer(result->status - 128));
    if (box->planned) {
        json_t *plan = describe_plan(&box->plan);
        failed |= !plan || json_object_update(root, plan);
        json_decref(plan);
        failed |= json_object_set_new(root, "guarantees", describe_guarantees(&box->plan, ran));
    }
    if (ran) {
        failed |= json_object_set_new(root, "wall_us", json_integer((json_int_t)result->wall));
        failed |= json_object_set_new(root, "cpu_us", json_integer((json_int_t)result->processor));
        failed |= json_object_set_new(root, "peak_kib", json_integer((json_int_t)result->peak));
        failed |= json_object_set_new(root, "output", output_of(box));
    }
    if (!failed)
        return root;
    json_decref(root);
    return NULL;
}

int receipt_write(int fd, const struct box *box, const struct error *err) {
    struct stat status;
    json_t *json = receipt_json(box, err);
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    errno = ENOMEM;
    if (!text)
        return -1;
    int failed = 0;
    sigset_t size;
    sigemptyset(&size);
    sigaddset(&size, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &size, NULL); /* a file size limit is an errno, not an end */
    if (!fstat(fd, &status) && S_ISREG(status.st_mode) && strncmp(box->policy.receipt, "fd:", 3) != 0)
        failed = ftruncate(fd, 0);
    failed = failed || fd_write_all(fd, text, strlen(text)) || fd_write_all(fd, "\n", 1);
    free(text);
    return failed ? -1 : 0;
}
