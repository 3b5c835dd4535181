/* compile_secrets.c (pure): how each secret that a mount of the box would show is kept from it.
 *
 * Below what can't be written to, an overlay keeps the name absent, whatever the host does there meanwhile. Below what
 * the command may write to there is no overlay: an empty folder covers a folder, and the host's rename can't take that
 * away. A file would be uncovered by it, and a name that isn't there can't be covered at all: both are refused. In
 * /etc folders are covered, too: in an overlay the box sees what the host replaces only late, and /etc/resolv.conf is
 * replaced often. */
#include "linux/compile.h"

#include "base/path.h"
#include "plan/roots.h"
#include "plan/secrets.h"

#include <string.h>
#include <sys/stat.h>

/* The first mount at or below a path; NULL: none. */
static const struct mount *mount_below(const mount_list *mounts, const char *path) {
    for (size_t i = 0; i < mounts->count; i++)
        if (path_is_under(mounts->at[i].target, path))
            return &mounts->at[i];
    return NULL;
}

/* Is anything mounted below this tree of the host? An overlay would hide that. */
static bool has_mounts(const struct probe *probe, const struct mount *mount) {
    for (size_t i = 0; i < probe->mounts.count; i++)
        if (path_is_under(probe->mounts.at[i].point, mount->target) &&
            strcmp(probe->mounts.at[i].point, mount->target) != 0)
            return true;
    return mount->has_mounts;
}

static bool can_hide(const struct plan *plan, const struct mount *mount) {
    return (!mount->writable || mount->discard) && !plan->probe->missing[STEP_SECRETS] &&
           !has_mounts(plan->probe, mount);
}

/* Put a cover at its place in the order. */
static int add_cover(struct arena *arena, mount_list *mounts, const struct secret *secret) {
    struct mount cover = {.kind = MOUNT_EMPTY,
                          .target = secret->path,
                          .folder = S_ISDIR(secret->mode),
                          .why = "denied",
                          .step = STEP_SECRETS};
    if (mount_add(arena, mounts, cover))
        return -1;
    size_t at = mounts->count - 1;
    for (; at > 0 && path_compare(mounts->at[at - 1].target, cover.target) > 0; at--)
        mounts->at[at] = mounts->at[at - 1];
    mounts->at[at] = cover;
    return 0;
}

static int hide(struct arena *arena, struct mount *mount, const struct secret *secret) {
    const char *below = secret->path + (strcmp(mount->target, "/") ? strlen(mount->target) : 0);
    return text_add(arena, &mount->hidden, below + strspn(below, "/"));
}

/* How a secret is held that `mount` would show. -1: out of memory. */
static int hold(struct arena *arena, const struct plan *plan, mount_list *mounts, struct mount *mount,
                const struct secret *secret) {
    bool folder = S_ISDIR(secret->mode), there = secret->mode && !S_ISLNK(secret->mode);
    bool system = !secret->origin && roots_is_system(mount->target);
    if (can_hide(plan, mount) && !(system && folder))
        return hide(arena, mount, secret) ? -1 : SECRET_HIDDEN;
    if (there && add_cover(arena, mounts, secret))
        return -1;
    return folder ? SECRET_COVERED : SECRET_OPEN;
}

/* Is it, or something in it, a root of the box that was named? Then fs-secret is waived, or it was refused before. */
static bool is_granted(const struct plan *plan, const struct secret *secret) {
    if (secret->origin || !(plan->policy->waived & G(FS_SECRET)))
        return false;
    bool granted = path_is_under(plan->workspace, secret->path);
    for (size_t i = 0; i < plan->probe->grants.count; i++)
        granted |= plan->policy->grants.at[i].access != ACCESS_SOCKET &&
                   path_is_under(plan->probe->grants.at[i].path, secret->path);
    return granted;
}

static bool is_shown(const struct plan *plan, const struct mount *mount, const struct secret *secret) {
    return mount && mount->kind == MOUNT_TREE && !mount->session && !mount->device && mount->rights != RIGHTS_SOCKET &&
           (!secret->closed || plan->root_kept);
}

static int refuse_below(const struct secret *secret, const struct mount *below, struct error *err) {
    char path[1024], shown[1024];
    path_show(secret->path, path, sizeof path);
    path_show(below->target, shown, sizeof shown);
    return error_set(err, EXIT_USAGE, "%s must not be read (%s), but holds %s (%s), which the box has; %s", path,
                     secret_origin(secret), shown, below->why,
                     secret->origin ? "deny what lies beside that" : "leave that out, or the folder around both");
}

static int refuse_open(const struct plan *plan, const struct mount *mount, const struct secret *secret,
                       struct error *err) {
    char path[1024], root[1024];
    path_show(secret->path, path, sizeof path);
    path_show(mount->target, root, sizeof root);
    if (has_mounts(plan->probe, mount) && (!mount->writable || mount->discard))
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: %s must not be read (%s), and an overlay that keeps it absent "
                         "would hide what is mounted below %s (findmnt -R %s); remedy: grant folders in it that hold "
                         "neither, or give it up by name: --waive fs-secret",
                         path, secret_origin(secret), root, root);
    bool workspace = strcmp(mount->target, plan->workspace) == 0;
    return error_set(
        err, EXIT_USAGE,
        "%s must not be read (%s), and lies below %s (%s), which the command may write to: there only folders that "
        "exist can be denied, since the host may put another file in place of one; %s, or give it up by name: "
        "--waive fs-secret",
        path, secret_origin(secret), root, mount->why,
        workspace ? "type --mode readonly or --mode discard, or move it out"
                  : "grant folders in it that hold no secret, or grant it for reading");
}

/* One secret that a mount shows. */
static int hold_or_refuse(struct arena *arena, struct plan *plan, mount_list *mounts, size_t index, struct error *err) {
    const struct secret *secret = &plan->probe->secrets.at[index];
    struct mount *mount = mount_over(mounts, secret->path);
    const struct mount seen = *mount, *below = mount_below(mounts, secret->path);
    bool waived = plan->policy->waived & G(FS_SECRET);
    if (below)
        return refuse_below(secret, below, err);
    int state = hold(arena, plan, mounts, mount, secret);
    if (state < 0)
        return error_memory(err);
    plan->secrets.at[index] = (enum secret_state)state;
    return state == SECRET_OPEN && !waived && !plan->probe->missing[STEP_SECRETS]
               ? refuse_open(plan, &seen, secret, err)
               : 0;
}

/* The secrets that are shown, what lies deeper later; of two at one place the one that was asked for first. */
static size_t find_shown(struct plan *plan, const mount_list *mounts, size_t *shown) {
    const struct secret *secrets = plan->probe->secrets.at;
    size_t count = 0;
    for (size_t i = 0; i < plan->probe->secrets.count; i++) {
        if (is_granted(plan, &secrets[i])) {
            plan->secrets.at[i] = SECRET_OPEN;
            continue;
        }
        if (!is_shown(plan, mount_over(mounts, secrets[i].path), &secrets[i]))
            continue;
        size_t at = count++;
        for (; at > 0 && path_compare(secrets[shown[at - 1]].path, secrets[i].path) > 0; at--)
            shown[at] = shown[at - 1];
        shown[at] = i;
    }
    return count;
}

int compile_secrets(struct arena *arena, struct plan *plan, mount_list *mounts, struct error *err) {
    const secret_list *secrets = &plan->probe->secrets;
    size_t *shown = arena_alloc(arena, (secrets->count + 1) * sizeof *shown);
    plan->secrets.at = arena_alloc(arena, (secrets->count + 1) * sizeof *plan->secrets.at);
    if (!shown || !plan->secrets.at)
        return error_memory(err);
    plan->secrets.count = secrets->count;
    size_t count = find_shown(plan, mounts, shown), over = secrets->count;
    for (size_t i = 0; i < count; i++) {
        size_t index = shown[i];
        if (over < secrets->count && path_is_under(secrets->at[index].path, secrets->at[over].path)) {
            plan->secrets.at[index] = plan->secrets.at[over]; /* with the folder that it is in */
            continue;
        }
        if (hold_or_refuse(arena, plan, mounts, index, err))
            return -1;
        if (plan->secrets.at[index] != SECRET_OPEN)
            over = index;
    }
    return 0;
}
