/* compile_toolchains.c (pure): what is shown of the toolchains of the home, as mounts; and where their caches are. */
#include "linux/compile.h"

#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

/* Is there something else that would be made below `path`, or a link above it, through which it would be made? */
static bool is_crossed(const mount_list *mounts, const struct piece *piece) {
    const char *path = piece->place.path;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct mount *mount = &mounts->at[i];
        if (strcmp(mount->target, path) == 0)
            continue;
        if ((mount->kind == MOUNT_LINK && path_is_under(path, mount->target)) ||
            (piece->kind == PIECE_LINK && path_is_under(mount->target, path)))
            return true;
    }
    return false;
}

/* What the operator granted is seen whole. */
static bool is_granted(const struct plan *plan, const char *path) {
    for (size_t i = 0; i < plan->probe->grants.count; i++)
        if (plan->probe->grants.at[i].path && path_is_under(path, plan->probe->grants.at[i].path))
            return true;
    return false;
}

static struct mount mount_of(const struct piece *piece) {
    struct mount mount = mount_tree(&piece->place, false, piece->why);
    mount.owned = true;
    mount.step = STEP_TOOLCHAINS;
    if (piece->kind == PIECE_LINK) {
        mount =
            (struct mount){.kind = MOUNT_LINK, .target = piece->place.path, .source = piece->target, .why = piece->why};
        mount.step = STEP_TOOLCHAINS;
    } else if (piece->kind == PIECE_HIDE) {
        mount = (struct mount){.kind = MOUNT_EMPTY,
                               .target = piece->place.path,
                               .folder = S_ISDIR(piece->place.mode),
                               .optional = true,
                               .why = "may hold credentials",
                               .step = STEP_TOOLCHAINS};
    }
    return mount;
}

int compile_toolchains(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    static const enum piece_kind order[] = {PIECE_TREE, PIECE_HIDE, PIECE_LINK};
    const struct probe *probe = plan->probe;
    if (probe->missing[STEP_TOOLCHAINS]) /* the receipt says so */
        return 0;
    for (size_t kind = 0; kind < sizeof order / sizeof order[0]; kind++)
        for (size_t i = 0; i < probe->toolchains.count; i++) {
            const struct piece *piece = &probe->toolchains.at[i];
            if (piece->kind != order[kind] || is_crossed(mounts, piece) || is_granted(plan, piece->place.path))
                continue;
            if (mount_add(arena, mounts, mount_of(piece)))
                return -1;
        }
    return 0;
}

/* Is there a place in the box at this path: a scratch folder, or something of the host? */
static bool is_there(const struct plan *plan, const char *path) {
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (plan->mounts.at[i].kind != MOUNT_LINK && path_is_under(path, plan->mounts.at[i].target))
            return true;
    return false;
}

int compile_caches(struct arena *arena, struct plan *plan) {
    static const struct {
        const char *name, *place;
    } caches[] = {{"CARGO_HOME", ".cargo"},
                  {"GOPATH", "go"},
                  {"GOMODCACHE", "go/pkg/mod"},
                  {"GOCACHE", ".cache/go-build"},
                  {"DENO_DIR", ".cache/deno"}};
    struct environment *environment = &plan->environment;
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        size_t size = strlen(caches[i].name);
        if (environment_asked_for(plan->policy, caches[i].name, size))
            continue;
        for (size_t k = 0; k < environment->kept.count; k++) {
            const char *entry = environment->kept.at[k];
            if (strncmp(entry, caches[i].name, size) != 0 || entry[size] != '=')
                continue;
            const char *value = entry + size + 1;
            if (!path_is_canonical(value) || is_there(plan, value))
                break;
            const char *place = arena_printf(arena, "%s/%s", plan->home, caches[i].place);
            if (!place || environment_set(arena, environment, caches[i].name, place))
                return -1;
            break;
        }
    }
    return 0;
}
