/* secrets.c (pure): see secrets.h. */
#include "plan/secrets.h"

#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

enum { SHOWN = 1024 };

const char *secret_origin(const struct secret *secret) {
    return secret->origin ? secret->origin : "built in";
}

static bool same_object(const struct secret *secret, const struct place *place) {
    return secret->mode && !S_ISLNK(secret->mode) && secret->ino == place->ino && secret->dev == place->dev;
}

/* A root that was named: what it is to a secret. */
static int check_named(const struct policy *policy, const struct secret *secret, const char *origin,
                       const struct place *place, struct error *err) {
    char shown[SHOWN], path[SHOWN];
    bool inside =
        place->path && !place->error && (path_is_under(place->path, secret->path) || same_object(secret, place));
    if (!inside || (policy->waived & G(FS_SECRET) && !secret->origin))
        return 0;
    path_show(place->path, shown, sizeof shown);
    path_show(secret->path, path, sizeof path);
    if (secret->origin)
        return error_set(err, EXIT_USAGE, "%s %s is denied by %s (%s); leave out one of them", origin, shown,
                         secret->origin, path);
    return error_set(err, EXIT_USAGE,
                     "%s %s: %s is one of the secrets that no box shows (fs-secret); name a folder that is none, or "
                     "give it up by name: --waive fs-secret",
                     origin, shown, path);
}

/* Is it on a file system of which the operator's roots show something? */
static bool is_beside_roots(const struct policy *policy, const struct probe *probe, const struct secret *secret) {
    if (secret->dev == probe->workspace.dev || (probe->work_tree.path && secret->dev == probe->work_tree.dev))
        return true;
    for (size_t i = 0; i < policy->grants.count; i++)
        if (policy->grants.at[i].access != ACCESS_SOCKET && secret->dev == probe->grants.at[i].dev)
            return true;
    return false;
}

static int check_links(const struct policy *policy, const struct probe *probe, const struct secret *secret,
                       struct error *err) {
    char path[SHOWN];
    if (!S_ISREG(secret->mode) || secret->links < 2 || secret->closed || policy->waived & G(FS_SECRET) ||
        !is_beside_roots(policy, probe, secret))
        return 0;
    path_show(secret->path, path, sizeof path);
    return error_set(err, EXIT_USAGE,
                     "%s must not be read (%s), but has %lu names (hard links), so that another one could show it; "
                     "find them with find DIR -xdev -samefile %s and leave one, or give it up by name: "
                     "--waive fs-secret",
                     path, secret_origin(secret), (unsigned long)secret->links, path);
}

int secrets_check(const struct policy *policy, const struct probe *probe, struct error *err) {
    const char *workspace = policy->workspace ? "--workspace" : "the current folder as workspace:";
    for (size_t s = 0; s < probe->secrets.count; s++) {
        const struct secret *secret = &probe->secrets.at[s];
        if (check_named(policy, secret, workspace, &probe->workspace, err) || check_links(policy, probe, secret, err))
            return -1;
        for (size_t i = 0; i < policy->grants.count; i++) {
            const struct grant *grant = &policy->grants.at[i];
            /* a socket is no file: to connect to an agent is not to read its keys */
            if (grant->access != ACCESS_SOCKET && check_named(policy, secret, grant->origin, &probe->grants.at[i], err))
                return -1;
        }
        for (size_t i = 0; secret->origin && i < probe->system.count; i++)
            if (path_is_under(probe->system.at[i].path, secret->path))
                return error_set(err, EXIT_USAGE, "%s %s: every box has %s; name what in it must not be read",
                                 secret->origin, secret->path, probe->system.at[i].path);
    }
    return 0;
}
