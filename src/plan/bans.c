/* bans.c (pure): see bans.h. */
#include "plan/bans.h"

#include "base/path.h"
#include "plan/names.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum { SHOWN = 1024, WORKSPACE_LAYER = INT_MAX };

static bool same_object(const struct place *a, const struct place *b) {
    return !a->error && !b->error && a->ino == b->ino && a->dev == b->dev && (a->ino || a->dev);
}

/* The ban of this kind, of an earlier layer, that has to do with the place; *where is what it bans. */
static const struct ban *find(const struct policy *policy, const struct probe *probe, enum ban_kind kind,
                              const struct place *place, unsigned layer, const struct place **where) {
    for (size_t i = 0; i < policy->bans.count && i < probe->bans.count; i++) {
        const struct ban *ban = &policy->bans.at[i];
        *where = &probe->bans.at[i];
        if (ban->kind == kind && ban->value && layer > ban->layer && (*where)->path &&
            (names_meet(&probe->mounts, place->path, (*where)->path) || same_object(place, *where)))
            return ban;
    }
    return NULL;
}

const struct ban *bans_on_reading(const struct policy *policy, const struct probe *probe, const struct place *place) {
    const struct place *where;
    for (size_t i = 0; i < policy->bans.count; i++)
        if (policy->bans.at[i].kind == BAN_READ && !policy->bans.at[i].value)
            return &policy->bans.at[i];
    return place->path ? find(policy, probe, BAN_READ, place, WORKSPACE_LAYER, &where) : NULL;
}

/* `access` as the bans see it. */
static int check_place(const struct policy *policy, const struct probe *probe, const char *origin, unsigned layer,
                       enum access access, const struct place *place, struct error *err) {
    char shown[SHOWN], banned[SHOWN];
    const struct place *where = NULL;
    const struct ban *ban = access == ACCESS_SOCKET ? find(policy, probe, BAN_SOCKET, place, layer, &where)
                                                    : find(policy, probe, BAN_READ, place, layer, &where);
    if (!ban && access == ACCESS_WRITE)
        ban = find(policy, probe, BAN_WRITE, place, layer, &where);
    if (!ban)
        return 0;
    return error_set(err, EXIT_USAGE, "%s %s: forbidden by %s %s", origin, path_show(place->path, shown, sizeof shown),
                     ban->origin, path_show(where->path, banned, sizeof banned));
}

/* May the command change a folder in which something decides about later runs? */
static int check_guards(const struct policy *policy, const struct probe *probe, const char *origin,
                        const struct place *place, bool workspace, struct error *err) {
    char shown[SHOWN], file[SHOWN];
    for (size_t i = 0; i < policy->guards.count; i++)
        if (names_meet(&probe->mounts, place->path, policy->guards.at[i]))
            return error_set(
                err, EXIT_USAGE,
                "%s %s holds %s, a place of the operator's policy, so the command could change what later "
                "runs may do; %s",
                origin, path_show(place->path, shown, sizeof shown), path_show(policy->guards.at[i], file, sizeof file),
                workspace ? "put that file elsewhere, such as ~/.config/pinfold, or type --mode discard or "
                            "--mode readonly"
                          : "name a folder that doesn't hold it, or put that file elsewhere");
    return 0;
}

/* No box may see what another's session keeps, but that of its own as the folders that it stands for. Above the place
 * of all sessions a folder may be read: there the place is covered. */
static int check_sessions(const struct policy *policy, const struct probe *probe, const char *origin,
                          const struct place *place, bool whole, struct error *err) {
    const char *kept[] = {policy->state, policy->keep};
    char shown[SHOWN], state[SHOWN];
    for (size_t i = 0; i < 2; i++)
        if (kept[i] && (whole ? names_meet(&probe->mounts, place->path, kept[i])
                              : names_show(&probe->mounts, kept[i], place->path)))
            return error_set(
                err, EXIT_USAGE, "%s %s %s %s, where what other boxes keep by --session lies; name another folder",
                origin, path_show(place->path, shown, sizeof shown),
                path_is_under(kept[i], place->path) ? "holds" : "is in", path_show(kept[i], state, sizeof state));
    return 0;
}

/* A ban that can't be looked up forbids nobody knows what. What isn't there, or not for this caller, can't be granted
 * either; its path is compared as it was written. */
static int check_found(const struct policy *policy, const struct probe *probe, struct error *err) {
    char shown[SHOWN];
    for (size_t i = 0; i < probe->bans.count; i++) {
        int error = probe->bans.at[i].error;
        if (error && error != ENOENT && error != ENOTDIR && error != EACCES)
            return error_set(err, EXIT_USAGE, "%s %s: %s", policy->bans.at[i].origin,
                             path_show(policy->bans.at[i].value, shown, sizeof shown), strerror(error));
    }
    return 0;
}

int bans_check(const struct policy *policy, const struct probe *probe, struct error *err) {
    const char *origin = policy->workspace ? "--workspace" : "the current folder as workspace:";
    bool changed = policy->mode.value == MODE_DIRECT;
    if (policy->session && !policy->state)
        return error_set(err, EXIT_USAGE, "%s %s: uid %u has no home in the passwd file, where a session could be kept",
                         policy->session_origin, policy->session, probe->uid);
    if (check_found(policy, probe, err) ||
        check_place(policy, probe, origin, WORKSPACE_LAYER, changed ? ACCESS_WRITE : ACCESS_READ, &probe->workspace,
                    err) ||
        (changed && check_guards(policy, probe, origin, &probe->workspace, true, err)) ||
        check_sessions(policy, probe, origin, &probe->workspace, true, err))
        return -1;
    for (size_t i = 0; i < policy->grants.count && i < probe->grants.count; i++) {
        const struct grant *grant = &policy->grants.at[i];
        const struct place *place = &probe->grants.at[i];
        if (check_place(policy, probe, grant->origin, grant->layer, grant->access, place, err) ||
            (grant->access == ACCESS_WRITE && check_guards(policy, probe, grant->origin, place, false, err)) ||
            check_sessions(policy, probe, grant->origin, place, grant->access == ACCESS_WRITE, err))
            return -1;
    }
    return 0;
}
