/* compile_mounts.c (pure): the mounts of the box, in the order in which they are made.
 *
 * All candidates go into one list that is sorted by path, so that what lies deeper comes later and stands on top: a
 * workspace under the scratch home or under /tmp survives, and so does a scratch home under a granted /home. A grant
 * that adds nothing to the one above it is left out, so that it can't get in the way of rename and rmdir. */
#include "linux/compile.h"

#include "base/path.h"
#include "plan/names.h"
#include "plan/roots.h"

#include <string.h>
#include <sys/stat.h>

/* What the operator named; the system's own trees are not mapped, so that a file for root alone stays closed. */
static struct mount owned(struct mount mount) {
    mount.owned = true;
    return mount;
}

static struct mount workspace_of(const struct plan *plan) {
    uint64_t mode = plan->policy->mode.value;
    struct mount mount = owned(mount_tree(&plan->probe->workspace, mode != MODE_READONLY, "workspace"));
    if (mode == MODE_DISCARD) {
        mount.discard = true;
        mount.why = "workspace, through an overlay";
        mount.step = STEP_OVERLAY;
    }
    return mount;
}

/* What this policy grants; and what must be covered in it. */
static int add_grants(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    const struct probe *probe = plan->probe;
    int failed = mount_add(arena, mounts, workspace_of(plan));
    if (probe->work_tree.path)
        failed |=
            mount_add(arena, mounts, owned(mount_tree(&probe->work_tree, false, "work tree around the workspace")));
    for (size_t i = 0; i < probe->grants.count; i++) {
        const struct grant *grant = &plan->policy->grants.at[i];
        const struct place *place = &probe->grants.at[i];
        if ((place->making && plan->policy->idle) || (S_ISCHR(place->mode) && roots_is_own_device(place->path)))
            continue;
        struct mount tree = owned(mount_tree(place, grant->access == ACCESS_WRITE, grant->origin));
        if (grant->access == ACCESS_SOCKET)
            tree.rights = RIGHTS_SOCKET; /* connect works through a read-only mount, chmod doesn't */
        failed |= mount_add(arena, mounts, tree);
    }
    return failed;
}

/* Is it a secret, or in one? Those have their own way, which the host's rename doesn't undo. */
static bool is_secret(const struct probe *probe, const char *path) {
    for (size_t i = 0; i < probe->secrets.count; i++)
        if (path_is_under(path, probe->secrets.at[i].path))
            return true;
    return false;
}

static int add_covers(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    const struct probe *probe = plan->probe;
    int failed = 0;
    for (size_t i = 0; i < probe->sockets.count; i++)
        failed |= mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_EMPTY,
                                           .target = probe->sockets.at[i],
                                           .optional = true,
                                           .why = "unix socket of the host",
                                           .step = STEP_SOCKETS});
    for (size_t i = 0; plan->root_kept && i < probe->private_places.count; i++)
        failed |= !is_secret(probe, probe->private_places.at[i].path) &&
                  mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_EMPTY,
                                           .target = probe->private_places.at[i].path,
                                           .folder = S_ISDIR(probe->private_places.at[i].mode),
                                           .optional = true,
                                           .why = "not for everyone to read",
                                           .step = STEP_MOUNTS});
    return failed;
}

/* What other boxes' sessions keep, wherever a tree of the host shows it. */
static int cover_sessions(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    text_list names = {0};
    if (!plan->policy->state)
        return 0;
    int failed = names_list(arena, &plan->probe->mounts, plan->policy->state, &names);
    for (size_t i = 0; i < names.count; i++)
        failed |= mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_EMPTY,
                                           .target = names.at[i],
                                           .folder = true,
                                           .optional = true,
                                           .why = "sessions of other boxes",
                                           .step = STEP_MOUNTS});
    return failed;
}

/* Of two mounts at one place the stronger stays: a grant over what every box has, writable over read-only; a granted
 * socket over its cover. */
static int strength(const struct mount *mount) {
    if (mount->kind == MOUNT_LINK)
        return 0;
    if (mount->kind == MOUNT_EMPTY)
        return mount->step == STEP_SOCKETS || mount->step == STEP_TOOLCHAINS ? 1 : 4;
    if (mount->kind != MOUNT_TREE || mount->session)
        return mount->kind == MOUNT_READONLY ? 4 : mount->kind == MOUNT_HOLD ? 2 : 1;
    return mount->writable || mount->rights == RIGHTS_SOCKET ? 3 : 2;
}

/* Of two equal ones the one whose owners are not mapped: a system root stays root's, also when it is granted. */
static int mount_order(const struct mount *left, const struct mount *right) {
    int order = path_compare(left->target, right->target), stronger = strength(right) - strength(left);
    return order ? order : stronger ? stronger : left->owned - right->owned;
}

/* Among the first `at`. There are some fifty, half in order; qsort of the C library took 60 us. */
static void insert(struct mount **order, size_t at, struct mount *mount) {
    for (; at > 0 && mount_order(order[at - 1], mount) > 0; at--)
        order[at] = order[at - 1];
    order[at] = mount;
}

/* Does `mount` change anything, standing where `above` is seen? */
static bool adds_something(const struct mount *mount, const struct mount *above) {
    bool on_host =
        above && (above->kind == MOUNT_TREE || above->kind == MOUNT_HOLD) && !above->discard && !above->session;
    bool in_overlay = above && above->discard; /* sockets in it are its own; a grant leads around it to the host */
    switch (mount->kind) {
    case MOUNT_LINK:
        return !on_host && !in_overlay && !(above && above->session); /* it would stay */
    case MOUNT_EMPTY:
        return on_host || mount->step == STEP_PROC;
    case MOUNT_TREE:
        if (mount->device || mount->rights == RIGHTS_SOCKET || mount->session)
            return true;
        if (!on_host)
            return !in_overlay || mount->writable;
        return mount->writable && !above->writable;
    case MOUNT_HOLD:
        return on_host && above->writable;
    default:
        return true;
    }
}

/* Is there a folder above it that the command may write to? Landlock can't take away below what it gave above. */
static bool is_below_writable(const mount_list *kept, const struct mount *mount) {
    for (size_t i = 0; i < kept->count; i++)
        if (kept->at[i].rights == RIGHTS_WRITE && path_is_under(mount->target, kept->at[i].target))
            return true;
    return false;
}

static bool home_exists(const struct plan *plan) {
    const struct place *home = &plan->probe->home;
    return home->path && !home->error && S_ISDIR(home->mode) && strcmp(home->path, plan->home) == 0;
}

/* Can the scratch home be made there: in a folder of the box's own, covering nothing? */
static bool is_free(const mount_list *kept, const char *place) {
    const struct mount *above = mount_over(kept, place);
    for (size_t i = 0; i < kept->count; i++)
        if (path_is_under(kept->at[i].target, place))
            return false;
    return !above || above->kind == MOUNT_SCRATCH;
}

/* A place for the scratch home that is not where $HOME says; NULL: all are taken. */
static const char *home_elsewhere(const mount_list *kept) {
    static const char *const places[] = {"/run/home", "/tmp/home", "/var/tmp/home", "/pinfold-home"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (is_free(kept, places[i]))
            return places[i];
    return NULL;
}

/* A folder that the command has for itself, where nobody grants one of the host. */
static bool is_own(const struct mount *mount) {
    return mount->kind == MOUNT_SCRATCH || mount->session;
}

/* Is it made, where `above` is seen? `tree`: the last tree of the host that came before. */
static bool stands(const struct mount *mount, const struct mount *above, const char *tree) {
    bool again = above && strcmp(above->target, mount->target) == 0;
    bool granted = is_own(mount) && tree && strcmp(tree, mount->target) == 0;
    return !again && !granted && adds_something(mount, above);
}

/* Of all candidates, in order, those that are made; and the scratch home that would have to be created in a tree of the
 * host, or NULL. */
static int keep(struct arena *arena, const struct plan *plan, struct mount **all, size_t count, mount_list *kept,
                struct mount **homeless) {
    const char *tree = NULL; /* the last one: also where the tree above shows it already, it is no scratch folder */
    for (size_t i = 0; i < count; i++) {
        struct mount *mount = all[i];
        const struct mount *above = mount_over(kept, mount->target);
        bool needed = stands(mount, above, tree);
        if (mount->kind == MOUNT_TREE && !mount->session)
            tree = mount->target;
        if (!needed)
            continue;
        bool own = !above || above->kind == MOUNT_SCRATCH;
        mount->in_session = above && above->session;
        mount->create = own && mount->kind != MOUNT_EMPTY && mount->kind != MOUNT_READONLY && mount->kind != MOUNT_HOLD;
        if (is_own(mount) && mount->target == plan->home && !own && !mount->in_session && !home_exists(plan)) {
            *homeless = mount;
            continue;
        }
        mount->view = mount->kind == MOUNT_TREE && mount->folder && !mount->writable && !mount->has_mounts &&
                      (mount->step == STEP_TOOLCHAINS || is_below_writable(kept, mount));
        if (mount_add(arena, kept, *mount))
            return -1;
    }
    return 0;
}

int compile_mounts(struct arena *arena, struct plan *plan, struct error *err) {
    mount_list all = {0}, kept = {0};
    struct mount *homeless = NULL;
    if (compile_base(arena, plan, &all) || add_grants(arena, plan, &all) || add_covers(arena, plan, &all) ||
        cover_sessions(arena, plan, &all) || compile_holds(arena, plan, &all) || compile_toolchains(arena, plan, &all))
        return error_memory(err);
    struct mount **order = arena_alloc(arena, all.count * sizeof *order);
    for (size_t i = 0; order && i < all.count; i++)
        insert(order, i, &all.at[i]);
    if (!order || keep(arena, plan, order, all.count, &kept, &homeless))
        return error_memory(err);
    if (homeless) {
        const char *asked = plan->home;
        homeless->target = plan->home = home_elsewhere(&kept);
        homeless->create = true;
        if (!plan->home)
            return error_set(err, EXIT_USAGE,
                             "the box's home has no place: nothing is created in the host's trees, where %s would be, "
                             "and grants stand everywhere else; set HOME to a folder that exists",
                             asked);
        if (mount_add(arena, &kept, *homeless))
            return error_memory(err);
    }
    if (compile_secrets(arena, plan, &kept, err))
        return -1;
    plan->mounts = kept;
    return compile_pins(arena, plan) ? error_memory(err) : 0;
}
