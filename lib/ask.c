/* ask.c (glue): what pinfold answers without running a command: explain, path, doctor, check. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLICY_LARGEST = 1024 * 1024 };

/* Run a prepared launch to its end. Its exit status, with *err filled when it told an error; or -1 with *err when
 * it said nothing that can be believed. *output, if not NULL, gets what it wrote to descriptor 1. */
static int ask(struct launch *launch, const char *policy, char **output, struct pinfold_error *err) {
    struct pinfold_report report;
    int ended, status = -1;
    if (pinfold_launch_spawn(launch, &ended, err))
        return -1;
    int waited = pinfold_child_wait(ended, -1);
    if (waited != 1)
        pinfold_child_kill(ended); /* nobody will ever ask for it again */
    pinfold_child_reap(ended);
    pinfold_shut(&ended);
    size_t size = 0;
    char *text = waited == 1 ? pinfold_memory_read(launch->report, &size) : NULL;
    char *messages = malloc(size + 1), *named = NULL;
    if (text && messages) {
        pinfold_report_parse(text, messages, &report);
        named = pinfold_report_named(report.error, launch->policy_number, policy);
        status = named ? report.exit : -1;
    }
    if (status >= 0 && output && !(*output = pinfold_memory_read(launch->output, NULL)))
        status = -1;
    if (status < 0)
        pinfold_fail(err, STATUS_REFUSED, "%s ended without an answer", launch->pinfold->path);
    else if (status)
        pinfold_fail(err, status == STATUS_WRONG ? STATUS_WRONG : STATUS_REFUSED, "%s",
                     *named ? named : "pinfold gave no reason");
    free(named);
    free(messages);
    free(text);
    return status;
}

/* JSON counts only when it is there. */
static int keep_json(int status, char **output, char **json, struct pinfold_error *err) {
    if (status >= 0 && status != STATUS_WRONG && *output && (*output)[0] == '{') {
        *json = *output;
        *output = NULL;
        return 0;
    }
    return status ? -1 : pinfold_fail(err, STATUS_REFUSED, "pinfold gave no answer in JSON");
}

/* A subcommand that says in JSON what it has to say of a run. Its exit status, or -1 with *err. */
static int ask_of_run(const struct pinfold *pinfold, const char *subcommand, const struct pinfold_run *run, char **json,
                      struct pinfold_error *err) {
    struct launch launch;
    char *output = NULL;
    int status = -1;
    *json = NULL;
    pinfold_launch_open(&launch, pinfold);
    if (!pinfold_launch_ask(&launch, subcommand, run, err)) {
        status = ask(&launch, run->policy ? run->policy->name : NULL, &output, err);
        if (keep_json(status, &output, json, err))
            status = -1;
    }
    free(output);
    pinfold_launch_close(&launch);
    return status;
}

int pinfold_explain(const struct pinfold *pinfold, const struct pinfold_run *run, char **json,
                    struct pinfold_error *err) {
    return ask_of_run(pinfold, "explain", run, json, err) ? -1 : 0;
}

int pinfold_path(const struct pinfold *pinfold, const struct pinfold_run *run, int write, const char *const *paths,
                 char **json, struct pinfold_error *err) {
    struct pinfold_run asked = run ? *run : (struct pinfold_run)PINFOLD_RUN_INIT;
    size_t count = 0;
    while (paths && paths[count])
        count++;
    const char **words = calloc(count + 2, sizeof *words);
    *json = NULL;
    if (!words)
        return pinfold_fail_system(err, "begin", ENOMEM);
    words[0] = write ? "write" : "read";
    for (size_t i = 0; i < count; i++)
        words[i + 1] = paths[i];
    asked.arguments = words;
    int status = ask_of_run(pinfold, "path", &asked, json, err);
    free(words);
    return status < 0 ? -1 : 0;
}

int pinfold_doctor(const struct pinfold *pinfold, char **json, int *starts, struct pinfold_error *err) {
    struct launch launch;
    char *output = NULL;
    int status = -1;
    *json = NULL;
    *starts = 0;
    pinfold_launch_open(&launch, pinfold);
    launch.output = pinfold_memory_make(NULL, 0, err);
    const int standard[] = {-1, launch.output, -1};
    if (launch.output >= 0 && !pinfold_launch_front(&launch, standard, NULL, 0, 2, err)) {
        pinfold_launch_word(&launch, "doctor");
        pinfold_launch_word(&launch, "--json");
        status = ask(&launch, NULL, &output, err);
    }
    int result = status < 0 ? -1 : keep_json(status, &output, json, err);
    *starts = !result && status == 0;
    free(output);
    pinfold_launch_close(&launch);
    return result;
}

static int check(const struct pinfold *pinfold, const struct pinfold_policy *policy, struct pinfold_error *err) {
    static const int standard[] = {-1, -1, -1};
    struct launch launch;
    int status = -1;
    pinfold_launch_open(&launch, pinfold);
    if (!pinfold_launch_front(&launch, standard, NULL, 0, 2, err)) {
        pinfold_launch_word(&launch, "check");
        if (!pinfold_launch_policy(&launch, NULL, policy, err))
            status = ask(&launch, policy->name, NULL, err);
    }
    pinfold_launch_close(&launch);
    return status ? -1 : 0;
}

int pinfold_policy_parse(const struct pinfold *pinfold, struct pinfold_policy **policy, const char *text, size_t size,
                         const char *name, struct pinfold_error *err) {
    *policy = NULL;
    if (!text || size > POLICY_LARGEST)
        return pinfold_fail(err, STATUS_WRONG, "%.1024s: %s", name ? name : "policy",
                            text ? "larger than 1 MiB" : "there is no text");
    struct pinfold_policy *made = calloc(1, sizeof *made);
    if (made) {
        made->name = strdup(name ? name : "policy");
        made->text = malloc(size + 1);
        made->size = size;
    }
    int result = -1;
    if (made && made->name && made->text) {
        memcpy(made->text, text, size);
        made->text[size] = '\0';
        result = check(pinfold, made, err);
    } else {
        pinfold_fail_system(err, "keep a policy", ENOMEM);
    }
    if (result)
        pinfold_policy_free(made);
    else
        *policy = made;
    return result;
}

/* Up to one byte more than a policy may have. NULL with errno. */
static char *read_file(int fd, size_t *size) {
    char *text = malloc(POLICY_LARGEST + 1);
    *size = 0;
    while (text && *size <= POLICY_LARGEST) {
        ssize_t got = read(fd, text + *size, POLICY_LARGEST + 1 - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            break;
        if (got < 0) {
            int saved = errno;
            free(text);
            errno = saved;
            return NULL;
        }
        *size += (size_t)got;
    }
    return text;
}

static int cannot_read(const char *file, struct pinfold_error *err) {
    return pinfold_is_shortage(errno) ? pinfold_fail_system(err, "read a policy", errno)
                                      : pinfold_fail(err, STATUS_WRONG, "%.1024s: %s", file, strerrordesc_np(errno));
}

int pinfold_policy_read(const struct pinfold *pinfold, struct pinfold_policy **policy, const char *file,
                        struct pinfold_error *err) {
    struct stat status;
    size_t size = 0;
    *policy = NULL;
    int fd = pinfold_above(open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (fd < 0)
        return cannot_read(file, err);
    bool regular = !fstat(fd, &status) && S_ISREG(status.st_mode);
    char *text = regular ? read_file(fd, &size) : NULL;
    pinfold_shut(&fd);
    int result = text      ? pinfold_policy_parse(pinfold, policy, text, size, file, err)
                 : regular ? cannot_read(file, err)
                           : pinfold_fail(err, STATUS_WRONG, "%.1024s: not a regular file", file);
    free(text);
    return result;
}

void pinfold_policy_free(struct pinfold_policy *policy) {
    if (!policy)
        return;
    free(policy->name);
    free(policy->text);
    free(policy);
}
