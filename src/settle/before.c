/* before.c (touching: lstat, statfs, read). See before.h. */
#include "settle/before.h"

#include "base/path.h"
#include "linux/resolve.h"
#include "settle/examine_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statfs.h>

/* Does this file system give a file a time with every change? A tmpfs doesn't with one through a mapping, those of the
 * network and of programs have clocks of their own, an overlay may lie on any of them. */
static bool tells_by_time(const char *path) {
    static const unsigned long kinds[] = {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0xCA451A4E, 0x2FC12FC1};
    struct statfs status;
    if (statfs(path, &status))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((unsigned long)status.f_type == kinds[i])
            return true;
    return false;
}

static bool all_tell_by_time(const struct probe *probe, const struct run *run) {
    for (size_t i = 0; i < run->roots.count; i++) {
        if (!tells_by_time(run->roots.at[i].path))
            return false;
        for (size_t k = 0; k < probe->mounts.count; k++)
            if (path_is_under(probe->mounts.at[k].point, run->roots.at[i].path) &&
                !tells_by_time(probe->mounts.at[k].point))
                return false;
    }
    return true;
}

static struct thing thing_of(const struct place *place) {
    return (struct thing){place->path, place->dev, place->ino};
}

static int add_root(struct arena *arena, struct run *run, const struct place *place) {
    bool there = S_ISDIR(place->mode) && !place->making; /* what is to be made is there when a run begins */
    struct thing *added = there ? list_add(arena, &run->roots) : NULL;
    if (added)
        *added = thing_of(place);
    return there && !added ? -1 : 0;
}

int before_roots(struct arena *arena, const struct plan *plan, struct run *run) {
    const struct probe *probe = plan->probe;
    if (plan->policy->mode.value == MODE_DIRECT && add_root(arena, run, &probe->workspace))
        return -1;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (plan->policy->grants.at[i].access == ACCESS_WRITE && add_root(arena, run, &probe->grants.at[i]))
            return -1;
    return 0;
}

static int add_held(struct arena *arena, const struct plan *plan, struct run *run) {
    const struct protection *protection = &plan->probe->protection;
    for (size_t i = 0; plan->taken[STEP_PROTECT] && i < protection->held.count; i++) {
        struct thing *added = list_add(arena, &run->held);
        if (!added)
            return -1;
        *added = thing_of(&protection->held.at[i].place);
    }
    return 0;
}

/* NULL: there was no memory for it. What can't be looked at may be there. */
static int add_known_path(struct arena *arena, struct run *run, const char *path) {
    struct stat status;
    if (!path)
        return -1;
    if (lstat(path, &status))
        return resolve_absent(errno) ? 0 : -1;
    struct thing *added = list_add(arena, &run->known);
    if (added)
        *added = (struct thing){path, status.st_dev, status.st_ino};
    return added ? 0 : -1;
}

/* The git directories that are there, and their hooks: of the roots, and those that were met before. */
static int add_known(struct arena *arena, const struct plan *plan, struct run *run) {
    const struct protection *protection = &plan->probe->protection;
    for (size_t i = 0; i < run->roots.count; i++) {
        static const char *const names[] = {"", "/.git", "/.git/hooks", "/hooks"};
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            if (add_known_path(arena, run, arena_printf(arena, "%s%s", run->roots.at[i].path, names[k])))
                return -1;
    }
    for (size_t i = 0; i < protection->remembered.count; i++) {
        const struct repository *one = &protection->remembered.at[i];
        struct thing *added = one->made ? NULL : list_add(arena, &run->known);
        if (one->made)
            continue;
        if (!added)
            return -1;
        *added = (struct thing){one->path, one->dev, one->ino};
        if (add_known_path(arena, run, arena_printf(arena, "%s/hooks", one->path)))
            return -1;
    }
    return 0;
}

int before_note(struct arena *arena, const struct plan *plan, struct run *run) {
    if (add_held(arena, plan, run) || add_known(arena, plan, run))
        return -1;
    run->git_writable = plan->policy->git.value != GIT_READONLY;
    run->protects = plan->taken[STEP_PROTECT] || !plan->probe->protection.held.count;
    run->by_content = !all_tell_by_time(plan->probe, run);
    return 0;
}

/* The texts of configurations that may be changed, so that they can be put back. */
int before_texts(struct examine *examine, struct run *run) {
    static const char *const names[] = {"config", "config.worktree"};
    for (size_t i = 0; i < run->known.count && run->git_writable; i++)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            const char *path = arena_printf(examine->arena, "%s/%s", run->known.at[i].path, names[k]), *text;
            struct stat status;
            size_t size;
            if (!path)
                return error_memory(examine->err);
            bool known = !lstat(path, &status);
            if (!known && !resolve_absent(errno))
                return examine_failed(examine, path, errno);
            if (!known || !S_ISREG(status.st_mode))
                continue;
            int there = examine_read(examine, AT_FDCWD, path, path, &text, &size);
            const char *copy = there > 0 ? arena_copy_bytes(examine->arena, text, size) : NULL;
            struct original *added = copy ? list_add(examine->arena, &run->files) : NULL;
            if (there < 0 || (there && !added))
                return there < 0 ? -1 : error_memory(examine->err);
            if (added)
                *added = (struct original){
                    .path = path, .digest = "-", .text = copy, .size = size, .mode = status.st_mode & 07777};
        }
    return 0;
}
