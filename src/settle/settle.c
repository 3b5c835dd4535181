/* settle.c (touching: the clock; glue). See settle.h.
 *
 * What the command left is told from what was there by the time of its last change, which nobody can set. Where file
 * systems don't tell all changes by that, what is there is read before the run, and compared. */
#include "settle/settle.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/store.h"
#include "settle/before.h"
#include "settle/remember.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char refused[] = "refused, nothing was started: ";

/* What went wrong, without what was to follow from it. */
static void copy_cause(const struct error *err, char text[sizeof err->text]) {
    size_t skip = strncmp(err->text, refused, sizeof refused - 1) == 0 ? sizeof refused - 1 : 0;
    memcpy(text, err->text + skip, sizeof err->text - skip);
    text[sizeof err->text - skip - 1] = '\0';
}

/* After a run: a failure that is told as before one. */
static int tell_after(struct error *err) {
    char text[sizeof err->text];
    copy_cause(err, text);
    return error_set(err, EXIT_USAGE, "the folders that the command could change are not settled: %s", text);
}

/* Why a run can't be settled, before it begins. 125 is the caller's to mend, and its text says how. */
static int tell_before(struct error *err) {
    const char *waive = error_is_passing(errno) ? "" : "; or give it up by name: --waive fs-settle";
    char text[sizeof err->text];
    copy_cause(err, text);
    if (err->status == EXIT_USAGE)
        return error_set(err, EXIT_USAGE, "%s%s", text, waive);
    return error_set(err, EXIT_REFUSED, "%scan't %s (%s), so fs-settle can't be promised; remedy: %s%s", refused,
                     step_text[STEP_SETTLE].what, text, step_text[STEP_SETTLE].mend, waive);
}

static bool is_before(const struct timespec *time, const struct timespec *other) {
    return time->tv_sec != other->tv_sec ? time->tv_sec < other->tv_sec : time->tv_nsec < other->tv_nsec;
}

static struct timespec minus(struct timespec time, const struct timespec *other) {
    time.tv_sec -= other->tv_sec;
    time.tv_nsec -= other->tv_nsec;
    if (time.tv_nsec < 0) {
        time.tv_nsec += 1000000000;
        time.tv_sec--;
    }
    return time;
}

/* When the run began by the clock of files as it goes now: it may have been set back meanwhile. */
static struct timespec since_of(const struct run *run) {
    struct timespec now, running;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &running);
    if (is_before(&running, &run->running)) /* another boot */
        return run->since;
    const struct timespec tick = {0, 20000000}; /* that clock goes in steps */
    const struct timespec took = minus(running, &run->running), began = minus(now, &took);
    const struct timespec earlier = minus(run->since, &tick);
    return is_before(&began, &earlier) ? minus(began, &tick) : run->since;
}

/* Everything that a run left. */
static int settle_run(struct arena *arena, const struct plan *plan, const struct run *run, repository_list *met,
                      struct settlement *out, struct error *err) {
    struct examine examine = {.arena = arena,
                              .err = err,
                              .policy = plan->policy,
                              .probe = plan->probe,
                              .run = run,
                              .since = since_of(run),
                              .out = out,
                              .quarantine = {.state = plan->policy->keep, .folder = -1},
                              .judge = {.confinement = confinement_of(plan)}};
    int result = examine_roots(&examine);
    judge_end(&examine.judge);
    quarantine_close(&examine.quarantine);
    met->at = examine.repositories.at;
    met->count = examine.repositories.count;
    return result;
}

/* What is no success after a run is no start before one. */
static int refuse(struct error *err) {
    char text[sizeof err->text];
    copy_cause(err, text);
    return error_set(err, EXIT_REFUSED, "%s", text);
}

struct visit {
    struct settle *settle;
    struct settlement *found;
    struct error *err;
};

static int tell_gone(const struct visit *visit, const struct run *run) {
    const char *text = arena_copy(visit->settle->arena, visit->err->text);
    struct stat status;
    bool there = false;
    for (size_t i = 0; i < run->roots.count; i++)
        there |= !lstat(run->roots.at[i].path, &status);
    visit->err->status = 0;
    if (text && !there)
        return 0;
    return text && !text_add(visit->settle->arena, &visit->found->warnings, text) ? 0 : error_memory(visit->err);
}

/* A dead run is settled; what another that goes on does in the same folders may come to light when it has ended, so
 * that its beginning counts. */
static int visit_run(void *context, const struct run *run, bool live) {
    const struct visit *visit = context;
    struct run *own = &visit->settle->run;
    repository_list met = {0};
    bool meet = false;
    if (!live) {
        bool failed = settle_run(visit->settle->arena, visit->settle->plan, run, &met, visit->found, visit->err);
        if (failed && !visit->found->gone)
            return refuse(visit->err);
        if (!failed)
            return 0;
        visit->found->gone = false; /* for good: it can only be told, where something is there to look at */
        return tell_gone(visit, run);
    }
    for (size_t i = 0; i < run->roots.count; i++)
        for (size_t k = 0; k < own->roots.count; k++)
            meet |= path_is_under(run->roots.at[i].path, own->roots.at[k].path) ||
                    path_is_under(own->roots.at[k].path, run->roots.at[i].path);
    struct run *other = meet ? list_add(visit->settle->arena, &visit->settle->others) : NULL;
    if (meet && !other)
        return error_memory(visit->err);
    if (other)
        *other = *run;
    if (meet && is_before(&run->since, &own->since))
        own->since = run->since;
    return 0;
}

/* Nobody knows any more where its command was: that can only be told. */
static int tell_damaged(void *context, const char *name) {
    const struct visit *visit = context;
    const char *text = arena_printf(visit->settle->arena,
                                    "warning: the record %s of an earlier run is damaged: what its command left is not "
                                    "looked for",
                                    name);
    return text && !text_add(visit->settle->arena, &visit->found->warnings, text) ? 0 : error_memory(visit->err);
}

/* What must be known before. */
static int look_before(struct arena *arena, const struct plan *plan, struct run *run, struct error *err) {
    struct settlement none = {0};
    struct examine examine = {.arena = arena,
                              .err = err,
                              .policy = plan->policy,
                              .probe = plan->probe,
                              .run = run,
                              .recording = run,
                              .out = &none,
                              .quarantine = {.folder = -1}};
    if (before_texts(&examine, run))
        return -1;
    return run->by_content ? examine_roots(&examine) : 0;
}

static int open_records(struct settle *settle, struct settlement *found, struct error *err) {
    struct visit context = {settle, found, err};
    const struct record_visit visit = {&context, visit_run, tell_damaged};
    const char *keep = settle->plan->policy->keep;
    settle->record.store = store_open(keep, "runs", settle->run.roots.count > 0, err);
    if (settle->record.store >= 0)
        return record_each(settle->arena, settle->record.store, &visit, err);
    if (err->status)
        return -1;
    return settle->run.roots.count ? error_set(err, EXIT_REFUSED, "%s is not there and can't be made", keep) : 0;
}

int settle_open(struct settle *settle, struct arena *arena, const struct plan *plan, struct settlement *found,
                struct error *err) {
    *settle = (struct settle){.arena = arena, .plan = plan, .record = {.store = -1, .file = -1}};
    if (plan->policy->waived & G(FS_SETTLE))
        return 0;
    if (before_roots(arena, plan, &settle->run))
        return error_memory(err);
    for (int failed = 0; !failed;) {
        size_t aside = found->aside;
        /* from now on: another run that begins meanwhile sees the record of this one, or is seen */
        clock_gettime(CLOCK_REALTIME_COARSE, &settle->run.since);
        clock_gettime(CLOCK_BOOTTIME, &settle->run.running);
        settle->others.count = 0;
        fd_close(&settle->record.store);
        failed = open_records(settle, found, err);
        if (!failed && found->aside == aside) /* else what was put aside now has changed its folders */
            return 0;
    }
    settle_abandon(settle);
    return tell_before(err);
}

/* A limit of file sizes is an errno, not the end of pinfold. */
static int make_record(struct settle *settle, struct error *err) {
    void (*before)(int number) = signal(SIGXFSZ, SIG_IGN);
    if (before == SIG_ERR)
        return store_cannot("record of this run", errno, err);
    int failed = record_make(settle->arena, &settle->record, &settle->run, err);
    return signal(SIGXFSZ, before) == SIG_ERR ? store_cannot("record of this run", errno, err) : failed;
}

int settle_begin(struct settle *settle, struct error *err) {
    const struct plan *plan = settle->plan;
    struct run *run = &settle->run;
    if (!run->roots.count)
        return 0;
    errno = ENOMEM;
    if (before_note(settle->arena, plan, run)) {
        (void)store_cannot("record of this run", errno, err);
        settle_abandon(settle);
        return tell_before(err);
    }
    int failed = look_before(settle->arena, plan, run, err) ? refuse(err) : 0;
    if (!failed) {
        overlap_reduce(run, &settle->others);
        run_sort(run);
        failed = make_record(settle, err);
    }
    if (!failed)
        return 0;
    settle_abandon(settle);
    return tell_before(err);
}

static int remember(const struct settle *settle, const repository_list *met, struct error *err) {
    repository_list kept = {0};
    for (size_t i = 0; i < met->count; i++) {
        const char *path = met->at[i].path, *inside = strstr(path, "/.git/");
        bool root = false;
        for (size_t k = 0; k < settle->run.roots.count; k++) {
            size_t size = strlen(settle->run.roots.at[k].path);
            root |= strncmp(path, settle->run.roots.at[k].path, size) == 0 &&
                    (!path[size] || strcmp(path + size, "/.git") == 0);
        }
        struct repository *added = inside || root ? NULL : list_add(settle->arena, &kept);
        if (!added && !inside && !root)
            return error_memory(err);
        if (added)
            *added = met->at[i];
    }
    for (size_t i = 0; i < settle->run.roots.count; i++)
        if (!examine_in_another(&settle->run, i) &&
            remember_write(settle->arena, settle->plan->policy->keep, settle->run.roots.at[i].path, &kept,
                           &settle->plan->probe->protection, err))
            return -1;
    return 0;
}

int settle_end(struct settle *settle, struct settlement *found, struct error *err) {
    repository_list met = {0};
    if (settle->record.file < 0)
        return 0;
    (void)signal(SIGXFSZ, SIG_IGN); /* the command has ended */
    bool failed =
        settle_run(settle->arena, settle->plan, &settle->run, &met, found, err) || remember(settle, &met, err);
    found->done = !failed;
    if (record_end(&settle->record, !failed || found->gone) && !failed)
        failed = store_cannot("record of this run", errno, err) != 0;
    return failed ? tell_after(err) : 0;
}

void settle_abandon(struct settle *settle) {
    (void)!record_end(&settle->record, true); /* a record of nothing: who finds it finds nothing */
}

/* Which of the folders that a record needs aren't there: the last one first. */
static void list_absent(const char *keep, struct settle_trial *trial) {
    struct stat status;
    snprintf(trial->path, sizeof trial->path, "%s/runs", keep);
    for (char *slash; trial->absent < 4 && (slash = strrchr(trial->path, '/')) && slash != trial->path; *slash = '\0') {
        if (!lstat(trial->path, &status))
            break;
        trial->absent++;
    }
    snprintf(trial->path, sizeof trial->path, "%s/runs", keep);
}

int settle_try(struct settle_trial *trial, struct arena *arena, const struct plan *plan, struct error *err) {
    struct settle *settle = &trial->settle;
    *trial = (struct settle_trial){.settle = {.arena = arena, .plan = plan, .record = {.store = -1, .file = -1}}};
    if (!plan->needed[STEP_SETTLE] || !plan->policy->keep) /* without the operator's files nothing is kept */
        return 0;
    list_absent(plan->policy->keep, trial);
    if (before_roots(arena, plan, &settle->run))
        return error_memory(err);
    settle->record.store = store_open(plan->policy->keep, "runs", true, err);
    if (settle->record.store < 0 && !err->status)
        (void)error_set(err, EXIT_REFUSED, "%s is not there and can't be made", plan->policy->keep);
    return settle->record.store < 0 ? tell_before(err) : settle_begin(settle, err);
}

void settle_try_end(struct settle_trial *trial) {
    settle_abandon(&trial->settle);
    for (; trial->absent > 0; trial->absent--) {
        (void)!rmdir(trial->path); /* unless another run uses it now */
        *strrchr(trial->path, '/') = '\0';
    }
}
