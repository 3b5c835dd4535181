/* inquiry.c (pure): see inquiry.h. Nothing here says what a box allows: that is what the kernel said in it. Here is
 * only why, and what would mend it. */
#include "plan/inquiry.h"

#include "base/path.h"
#include "plan/roots.h"
#include "plan/secrets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *verdict_name(enum verdict verdict) {
    static const char *const names[] = {[VERDICT_DENIED] = "denied",
                                        [VERDICT_ABSENT] = "absent",
                                        [VERDICT_PRIVATE] = "private",
                                        [VERDICT_ALLOWED] = "allowed"};
    return names[verdict];
}

static bool is_hosts(const struct mount *mount) {
    return mount && (mount->kind == MOUNT_TREE || mount->kind == MOUNT_READONLY || mount->kind == MOUNT_HOLD) &&
           !mount->device && !mount->session;
}

/* "no such file": it, or a folder on the way, isn't there. */
static bool says_absent(int error) {
    return error == ENOENT || error == ENOTDIR;
}

static void parent_of(const char *path, char *parent) {
    const char *last = strrchr(path, '/');
    size_t size = last && last != path ? (size_t)(last - path) : 1;
    memcpy(parent, path, size);
    parent[size] = '\0';
}

/* Would it be accepted? Judged as the options of a run are. */
static bool can_grant(const struct plan *plan, enum access access, const struct look *look, const char *path) {
    struct grant grant = {.access = access, .path = path, .origin = access == ACCESS_WRITE ? "--write" : "--read"};
    grant.layer = UINT_MAX; /* an option's: behind all others */
    struct place place = {.path = path, .mode = look->mode ? look->mode : S_IFDIR, .dev = look->dev, .ino = look->ino};
    struct policy policy = *plan->policy;
    struct probe probe = *plan->probe;
    struct error err;
    policy.grants.at = &grant;
    probe.grants.at = &place;
    policy.grants.count = policy.grants.room = probe.grants.count = probe.grants.room = 1;
    return !roots_check(&policy, &probe, &err) && !secrets_check(&policy, &probe, &err);
}

/* The smallest grant with which the command could do it, where one would be accepted. */
static int suggest(struct arena *arena, const struct plan *plan, struct question *question) {
    const struct look *host = &question->outside;
    enum access access = question->write ? ACCESS_WRITE : ACCESS_READ;
    char path[PATH_MAX];
    if (host->error || !*host->path)
        return 0;
    snprintf(path, sizeof path, "%s", host->path);
    if (!host->mode) /* to be made: the folder that it would be made in */
        parent_of(host->path, path);
    if (!can_grant(plan, access, host, path))
        return 0;
    question->grant.option = question->write ? "--write" : "--read";
    question->grant.value = arena_copy(arena, path);
    return question->grant.value ? 0 : -1;
}

static int give(struct question *question, enum verdict verdict, const char *why) {
    question->verdict = verdict;
    question->why = why;
    return why || verdict == VERDICT_ALLOWED ? 0 : -1;
}

static int judge_working(struct arena *arena, const struct plan *plan, struct question *question) {
    const struct mount *mount = mount_over(&plan->mounts, question->inside.path);
    if (!is_hosts(mount))
        return give(question, VERDICT_PRIVATE,
                    mount ? arena_printf(arena, "%s is the box's own (%s)", mount->target, mount->why)
                          : "it is the box's own root");
    if (mount->discard && question->write)
        return give(question, VERDICT_PRIVATE, "mode discard: the change ends with the box");
    return give(question, VERDICT_ALLOWED, NULL);
}

/* A file for root alone below a read-only root: the kernel tells its mode first, and the mount is what matters. */
static bool is_readonly(const struct plan *plan, const struct question *question) {
    int error = question->inside.error;
    const struct mount *mount = mount_over(&plan->mounts, question->inside.path);
    return error == EROFS ||
           (question->write && (error == EACCES || error == EPERM) && is_hosts(mount) && !mount->writable);
}

/* The secret that it is or lies in. */
static const struct secret *secret_at(const struct plan *plan, const char *path) {
    for (size_t i = 0; i < plan->secrets.count; i++)
        if (plan->secrets.at[i] != SECRET_OPEN && path_is_under(path, plan->probe->secrets.at[i].path))
            return &plan->probe->secrets.at[i];
    return NULL;
}

/* In the box there is nothing of that name, and outside there is. */
static int judge_hidden(struct arena *arena, const struct plan *plan, struct question *question) {
    const struct mount *mount = mount_over(&plan->mounts, question->outside.path);
    const struct secret *secret = secret_at(plan, question->outside.path);
    if (secret)
        return give(question, VERDICT_DENIED,
                    arena_printf(arena, "%s is one of the secrets that this box doesn't show (%s)", secret->path,
                                 secret_origin(secret)));
    const char *why = !mount || is_hosts(mount)
                          ? "it is in none of the box's roots"
                          : arena_printf(arena, "the box has a %s of its own (%s)", mount->target, mount->why);
    if (question->outside.error && !says_absent(question->outside.error))
        return give(question, VERDICT_DENIED, "it is in none of the box's roots, and outside you may not either");
    return give(question, VERDICT_DENIED, why) || suggest(arena, plan, question) ? -1 : 0;
}

/* What is protected is opened by its own name, and git by --git. */
static int suggest_opening(struct arena *arena, const struct plan *plan, const struct mount *held,
                           struct question *question) {
    const struct protection *protection = &plan->probe->protection;
    for (size_t i = 0; i < protection->held.count; i++) {
        const struct protected *one = &protection->held.at[i];
        if (strcmp(one->place.path, held->target) != 0 || one->kind == PROTECTED_ASKED)
            continue;
        if (one->kind == PROTECTED_CONFIGURATION)
            return suggest(arena, plan, question);
        question->grant.option = "--git";
        question->grant.value = "writable";
        break;
    }
    return 0;
}

static int judge_readonly(struct arena *arena, const struct plan *plan, struct question *question) {
    const char *path = *question->inside.path ? question->inside.path : question->outside.path;
    const struct mount *mount = mount_over(&plan->mounts, path);
    if (give(question, VERDICT_DENIED,
             arena_printf(arena, "%s is read-only in the box (%s)", mount ? mount->target : "/",
                          mount ? mount->why : "its own root")))
        return -1;
    if (mount && mount->kind == MOUNT_HOLD)
        return suggest_opening(arena, plan, mount, question);
    if (plan->policy->mode.value == MODE_READONLY && mount && strcmp(mount->target, plan->workspace) == 0) {
        question->grant.option = "--mode";
        question->grant.value = "direct";
        return 0;
    }
    return suggest(arena, plan, question);
}

static int judge_failing(struct arena *arena, const struct plan *plan, struct question *question) {
    int inside = question->inside.error, outside = question->outside.error;
    if (is_readonly(plan, question))
        return judge_readonly(arena, plan, question);
    if (says_absent(inside) && says_absent(outside))
        return give(question, VERDICT_ABSENT,
                    question->write ? "the folder that it would be in isn't there" : "there is no such file");
    if (says_absent(inside))
        return judge_hidden(arena, plan, question);
    if (inside == outside)
        return give(question, VERDICT_DENIED, arena_printf(arena, "%s, outside of the box too", strerror(inside)));
    if (inside == EACCES || inside == EPERM)
        return give(question, VERDICT_DENIED, "its owner and mode keep the command from it, which is nobody special");
    return give(question, VERDICT_DENIED, arena_printf(arena, "%s", strerror(inside)));
}

int inquiry_judge(struct arena *arena, const struct plan *plan, struct inquiry *inquiry) {
    for (size_t i = 0; i < inquiry->count; i++) {
        struct question *question = &inquiry->questions[i];
        if (question->inside.error ? judge_failing(arena, plan, question) : judge_working(arena, plan, question))
            return -1;
    }
    return 0;
}
