/* compile.c (pure): the native plan: both halves, our own code. */
#include "linux/compile.h"

#include "base/path.h"
#include "plan/roots.h"
#include "plan/secrets.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MAPPED_ID_BASE = 1879048192, MAPPED_ID_COUNT = 65536 };

/* The scratch home stands at the path that $HOME names, when a folder can stand there. */
static const char *home_path(const struct probe *probe) {
    const char *path = probe->home.path;
    static const char *const kernels[] = {"/proc", "/sys", "/dev"}, *const temporary[] = {"/tmp", "/var/tmp", "/run"};
    if (!path || !path_is_canonical(path) || strcmp(path, "/") == 0 || roots_is_system(path))
        return "/run/home";
    for (size_t i = 0; i < 3; i++)
        if (path_is_under(path, kernels[i]) || strcmp(path, temporary[i]) == 0)
            return "/run/home";
    return path;
}

/* Where the command starts: the caller's folder, which must be in a root of the box. */
static int compile_current(struct plan *plan, struct error *err) {
    const struct place *current = &plan->probe->current;
    char shown[1024], workspace[1024];
    path_show(plan->workspace, workspace, sizeof workspace);
    if (current->error == ENOENT && plan->policy->workspace) {
        plan->current = plan->workspace;
        plan->notice = "the current folder no longer exists; the command starts in the workspace";
        return 0;
    }
    if (!current->path || current->error)
        return error_set(err, EXIT_USAGE, "the current folder can't be used (%s); cd %s first",
                         strerror(current->error), workspace);
    plan->current = current->path;
    const struct secret *secret = plan_denies(plan, current->path);
    if (secret)
        return error_set(err, EXIT_USAGE, "the current folder %s is denied (%s); cd %s first",
                         path_show(current->path, shown, sizeof shown), secret_origin(secret), workspace);
    for (size_t i = plan->mounts.count; i-- > 0;) {
        const struct mount *mount = &plan->mounts.at[i];
        if (path_is_under(current->path, mount->target) && (mount->kind == MOUNT_TREE || mount->kind == MOUNT_HOLD) &&
            mount->folder && !mount->session)
            return 0;
        if (path_is_under(current->path, mount->target) && strcmp(mount->target, "/") != 0)
            break;
    }
    const char *home = plan->probe->home.path;
    bool whole_home = home && path_is_under(home, current->path); /* nothing to be suggested */
    return error_set(err, EXIT_USAGE, "the current folder %s is in none of the box's roots; cd %s first%s%s",
                     path_show(current->path, shown, sizeof shown), workspace,
                     whole_home ? "" : ", or grant it: --read ", whole_home ? "" : shown);
}

/* --env HOME=VALUE */
static bool sets_home(const struct policy *policy) {
    for (size_t i = 0; i < policy->environment.count; i++)
        if (strncmp(policy->environment.at[i].entry, "HOME=", 5) == 0)
            return true;
    return false;
}

/* The work tree around the workspace, through an overlay, as it is when something in it is denied? git stops looking
 * upwards where the device number changes. */
static bool shows_work_tree(const struct plan *plan) {
    const char *path = plan->probe->work_tree.path;
    for (size_t i = 0; path && i < plan->mounts.count; i++)
        if (plan->mounts.at[i].discard || ((plan->mounts.at[i].view || plan->mounts.at[i].hidden.count) &&
                                           strcmp(plan->mounts.at[i].target, path) == 0))
            return true;
    return false;
}

/* May the command write to this folder of the workspace? */
static bool is_written(const struct plan *plan, const char *path) {
    if (!path_is_canonical(path) || !path_is_under(path, plan->workspace))
        return false;
    const struct mount *mount = mount_over(&plan->mounts, path);
    return mount && mount->writable;
}

static int compile_environment(struct arena *arena, struct plan *plan, char *const *caller, struct error *err) {
    struct environment *environment = &plan->environment;
    if (environment_build(arena, plan->policy, caller, environment, err))
        return -1;
    const char *temporary = NULL;
    bool path = false;
    for (size_t i = 0; i < environment->kept.count; i++) {
        const char *entry = environment->kept.at[i];
        if (strncmp(entry, "TMPDIR=", 7) == 0)
            temporary = entry + 7;
        path |= strncmp(entry, "PATH=", 5) == 0;
    }
    if ((temporary && !is_written(plan, temporary) && environment_set(arena, environment, "TMPDIR", "/tmp")) ||
        (!path && environment_set(arena, environment, "PATH", "/usr/local/bin:/usr/bin:/bin")) ||
        (!sets_home(plan->policy) && environment_set(arena, environment, "HOME", plan->home)) ||
        (shows_work_tree(plan) && environment_set(arena, environment, "GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")) ||
        compile_caches(arena, plan) || environment_set(arena, environment, "PWD", plan->current))
        return error_memory(err);
    return 0;
}

/* Is there something protected that the command could change otherwise? Where the host can't hold it, that is not in
 * the list of mounts. */
static bool needs_protection(const struct plan *plan) {
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (plan->mounts.at[i].kind == MOUNT_HOLD)
            return true;
    return plan->pins.count || (plan->probe->missing[STEP_PROTECT] && plan->probe->protection.held.count);
}

/* Is there a folder that the command can change? */
static bool settles(const struct plan *plan) {
    bool any = plan->policy->mode.value == MODE_DIRECT;
    for (size_t i = 0; i < plan->probe->grants.count; i++)
        any |= plan->policy->grants.at[i].access == ACCESS_WRITE && S_ISDIR(plan->probe->grants.at[i].mode);
    return any && !(plan->policy->waived & G(FS_SETTLE));
}

static bool step_needed(const struct plan *plan, int step) {
    switch (step) {
    case STEP_IDMAPPED_MOUNTS:
        return plan->probe->outer_root;
    case STEP_RELAY:
        return plan->relay;
    case STEP_SECRETS:
        return plan_holds(plan, SECRET_HIDDEN) || plan_holds(plan, SECRET_COVERED) || plan_holds(plan, SECRET_OPEN);
    case STEP_OVERLAY:
        return plan->policy->mode.value == MODE_DISCARD;
    case STEP_PROTECT:
        return needs_protection(plan);
    case STEP_SETTLE:
        return settles(plan);
    case STEP_TOOLCHAINS:
        return plan->probe->toolchains.count > 0;
    default:
        return true;
    }
}

/* Which steps are taken, and so which guarantees are provided. */
static void compile_steps(struct plan *plan) {
    plan->provided = G_ALL;
    for (int step = 0; step < STEP_COUNT; step++) {
        plan->needed[step] = step_needed(plan, step);
        plan->taken[step] = plan->needed[step] && !plan->probe->missing[step];
        if (plan->needed[step] && !plan->taken[step])
            plan->provided &= step_text[step].gives & G_BOX ? 0 : ~step_text[step].gives;
    }
    if (plan_holds(plan, SECRET_OPEN))
        plan->provided &= ~G(FS_SECRET);
    if (plan->policy->waived & G(FS_SETTLE))
        plan->provided &= ~G(FS_SETTLE);
    plan->taken[STEP_LOOPBACK] &= plan->taken[STEP_NET_NAMESPACE]; /* the host's own is left alone */
}

/* An overlay shows one file system: what is mounted below the workspace would be missing in it. */
static int check_overlay(const struct policy *policy, const struct probe *probe, struct error *err) {
    char shown[1024];
    if (policy->mode.value != MODE_DISCARD || !probe->workspace.has_mounts)
        return 0;
    path_show(probe->workspace.path, shown, sizeof shown);
    return error_set(
        err, EXIT_REFUSED,
        "refused, nothing was started: mode discard (%s) shows %s through an overlay, which would hide what "
        "is mounted below it (findmnt -R %s); remedy: unmount that, or --mode direct or --mode readonly",
        policy->mode.origin, shown, shown);
}

int compile_native(struct arena *arena, const struct policy *policy, const struct probe *probe, char *const *caller,
                   struct plan *plan, struct error *err) {
    *plan = (struct plan){.backend = "native", .policy = policy, .probe = probe};
    if (roots_check(policy, probe, err) || secrets_check(policy, probe, err) || check_overlay(policy, probe, err))
        return -1;
    plan->workspace = probe->workspace.path;
    if (compile_protect_check(plan, err))
        return -1;
    plan->root_kept = probe->outer_root && probe->missing[STEP_IDMAPPED_MOUNTS];
    plan->root_mapped = probe->outer_root && !plan->root_kept;
    plan->id_base = plan->root_mapped ? MAPPED_ID_BASE : 0;
    plan->id_count = plan->root_mapped ? MAPPED_ID_COUNT : 1;
    plan->home = home_path(probe);
    if (compile_channels(arena, plan, err) || compile_mounts(arena, plan, err) || compile_current(plan, err) ||
        compile_environment(arena, plan, caller, err))
        return -1;
    compile_steps(plan);
    return 0;
}
