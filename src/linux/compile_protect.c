/* compile_protect.c (pure): what is held in place in the box, and which folders must not be moved with it.
 *
 * A protected folder or file is bound onto itself, read-only. What is above it, up to the top of the tree that shows
 * it, is pinned: bound onto itself too, it would stop honest renames between it and the rest (EXDEV). */
#include "linux/compile.h"

#include "base/path.h"
#include "plan/names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_waived(const struct plan *plan) {
    return plan->policy->waived & G(FS_PROTECT);
}

/* What was asked for by name must be there, and where something could change it. */
static int check_asked(const struct plan *plan, const struct protect *protect, const struct place *place,
                       struct error *err) {
    const struct probe *probe = plan->probe;
    char asked[1024], real[1024], link[1024];
    path_show(protect->path, asked, sizeof asked);
    if (place->error || !place->path)
        return error_set(err, EXIT_USAGE, "%s %s: %s; only what is there when the run begins can be protected",
                         protect->origin, asked, strerror(place->error ? place->error : ENOENT));
    path_show(place->path, real, sizeof real);
    if (place->link)
        return error_set(err, EXIT_USAGE,
                         "%s %s leads through the symlink %s, which a command may have put there; type the path that "
                         "you mean: %s",
                         protect->origin, asked, path_show(place->link, link, sizeof link), real);
    bool shown = path_is_under(place->path, probe->workspace.path);
    for (size_t i = 0; i < probe->grants.count; i++)
        shown |= plan->policy->grants.at[i].access == ACCESS_WRITE &&
                 names_show(&probe->mounts, probe->grants.at[i].path, place->path);
    return shown || names_show(&probe->mounts, probe->workspace.path, place->path)
               ? 0
               : error_set(err, EXIT_USAGE,
                           "%s %s lies in no folder that the command may change, so there is nothing to protect; leave "
                           "it out, or name a path in %s",
                           protect->origin, real, path_show(plan->workspace, link, sizeof link));
}

int compile_protect_check(const struct plan *plan, struct error *err) {
    const struct protection *protection = &plan->probe->protection;
    for (size_t i = 0; i < protection->asked.count; i++)
        if (check_asked(plan, &plan->policy->protects.at[i], &protection->asked.at[i], err))
            return -1;
    if (!protection->obstacles.count || is_waived(plan))
        return 0;
    return error_set(err, EXIT_USAGE, "%s; or give it up by name: --waive fs-protect",
                     protection->obstacles.at[0].text);
}

int compile_holds(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    const struct protection *protection = &plan->probe->protection;
    int failed = 0;
    for (size_t i = 0; i < protection->held.count && !plan->probe->missing[STEP_PROTECT]; i++) {
        const struct protected *held = &protection->held.at[i];
        if (S_ISLNK(held->place.mode))
            continue;
        failed |= mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_HOLD,
                                           .target = held->place.path,
                                           .folder = S_ISDIR(held->place.mode),
                                           .dev = held->place.dev,
                                           .ino = held->place.ino,
                                           .why = held->why,
                                           .step = STEP_PROTECT});
    }
    return failed;
}

/* The tree of the host in which `path` could be moved or removed; NULL: none. */
static const struct mount *tree_of(const struct plan *plan, const char *path) {
    for (size_t i = plan->mounts.count; i-- > 0;) {
        const struct mount *mount = &plan->mounts.at[i];
        if (path_is_under(path, mount->target) && strcmp(path, mount->target) != 0)
            return mount->kind == MOUNT_TREE && mount->writable && !mount->discard ? mount : NULL;
    }
    return NULL;
}

static int pin_order(const struct pinned *left, const struct pinned *right) {
    int order = path_compare(left->tree->target, right->tree->target);
    return order ? order : -path_compare(left->path, right->path);
}

/* Among those that were added before, if it isn't one of them. */
static int add_pin(struct arena *arena, struct plan *plan, struct pinned pin) {
    size_t at = 0;
    while (at < plan->pins.count && pin_order(&plan->pins.at[at], &pin) < 0)
        at++;
    if (at < plan->pins.count && pin_order(&plan->pins.at[at], &pin) == 0)
        return 0;
    struct pinned *last = list_add(arena, &plan->pins);
    if (!last)
        return -1;
    memmove(&plan->pins.at[at + 1], &plan->pins.at[at], (plan->pins.count - 1 - at) * sizeof pin);
    plan->pins.at[at] = pin;
    return 0;
}

static int pin_above(struct arena *arena, struct plan *plan, const struct mount *tree, const char *path) {
    size_t top = strcmp(tree->target, "/") == 0 ? 0 : strlen(tree->target);
    for (size_t size = strlen(path); size-- > top + 1;)
        if (path[size] == '/') {
            char *above = arena_copy_bytes(arena, path, size);
            if (!above || add_pin(arena, plan, (struct pinned){.path = above, .tree = tree}))
                return -1;
        }
    return 0;
}

int compile_pins(struct arena *arena, struct plan *plan) {
    const struct protection *protection = &plan->probe->protection;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        const struct mount *tree = mount->kind == MOUNT_HOLD ? tree_of(plan, mount->target) : NULL;
        if (tree && pin_above(arena, plan, tree, mount->target))
            return -1;
    }
    for (size_t i = 0; i < protection->held.count && !plan->probe->missing[STEP_PROTECT]; i++) {
        const struct place *place = &protection->held.at[i].place;
        const struct mount *tree = S_ISLNK(place->mode) ? tree_of(plan, place->path) : NULL;
        struct pinned pin = {.path = place->path, .tree = tree, .link = true, .dev = place->dev, .ino = place->ino};
        if (tree && (add_pin(arena, plan, pin) || pin_above(arena, plan, tree, place->path)))
            return -1;
    }
    return 0;
}
