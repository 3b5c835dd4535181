/* merge.c (pure): see merge.h. */
#include "policy/merge.h"

#include "base/path.h"

#include <string.h>

enum { GRACE_DEFAULT = 500 };

static const char *const mode_names[] = {
    [MODE_DIRECT] = "direct", [MODE_DISCARD] = "discard", [MODE_READONLY] = "readonly"};

int mode_find(const char *name) {
    for (int i = 0; i <= MODE_READONLY; i++)
        if (strcmp(name, mode_names[i]) == 0)
            return i;
    return -1;
}

const char *mode_name(enum mode mode) {
    return mode_names[mode];
}

static const char *const git_names[] = {[GIT_READONLY] = "read-only", [GIT_WRITABLE] = "writable"};

int git_find(const char *name) {
    for (int i = 0; i <= GIT_WRITABLE; i++)
        if (strcmp(name, git_names[i]) == 0)
            return i;
    return -1;
}

const char *git_name(enum git git) {
    return git_names[git];
}

static const char *const toolchains_names[] = {[TOOLCHAINS_NONE] = "none", [TOOLCHAINS_AUTO] = "auto"};

int toolchains_find(const char *name) {
    for (int i = 0; i <= TOOLCHAINS_AUTO; i++)
        if (strcmp(name, toolchains_names[i]) == 0)
            return i;
    return -1;
}

const char *toolchains_name(enum toolchains toolchains) {
    return toolchains_names[toolchains];
}

void policy_floor(struct policy *policy) {
    *policy = (struct policy){.mode = {MODE_DIRECT, "built in"},
                              .toolchains = {TOOLCHAINS_AUTO, "built in"},
                              .grace = {GRACE_DEFAULT, "built in"},
                              .layers = 1};
}

/* `what` was asked for; "" where the origin says all. */
static int forbidden(const char *origin, const char *what, const struct ban *ban, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_USAGE, "%s%s%s: forbidden by %s", origin, *what ? " " : "",
                     path_show(what, shown, sizeof shown), ban->origin);
}

/* The ban on all of a kind, or on this value of it, if there is one. */
static const struct ban *find_ban(const struct policy *policy, enum ban_kind kind, const char *value) {
    for (size_t i = 0; i < policy->bans.count; i++) {
        const struct ban *ban = &policy->bans.at[i];
        if (ban->kind == kind && (!ban->value || (value && strcmp(ban->value, value) == 0)))
            return ban;
    }
    return NULL;
}

static int merge_grants(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    for (size_t i = 0; i < layer->grants.count; i++) {
        struct grant grant = layer->grants.at[i];
        static const enum ban_kind kinds[] = {
            [ACCESS_READ] = BAN_READ, [ACCESS_WRITE] = BAN_WRITE, [ACCESS_SOCKET] = BAN_SOCKET};
        const struct ban *ban = find_ban(into, kinds[grant.access], NULL);
        if (!ban && grant.access == ACCESS_WRITE)
            ban = find_ban(into, BAN_READ, NULL); /* what may be changed may be read */
        if (ban)
            return forbidden(grant.origin, grant.path, ban, err);
        struct grant *added = list_add(arena, &into->grants);
        if (!added)
            return error_memory(err);
        grant.layer = into->layers;
        grant.create = layer->create.value && grant.access == ACCESS_WRITE;
        *added = grant;
    }
    return 0;
}

static int merge_variables(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    for (size_t i = 0; i < layer->environment.count; i++) {
        const struct variable *variable = &layer->environment.at[i];
        char *name = arena_copy_bytes(arena, variable->entry, strcspn(variable->entry, "="));
        struct variable *added = list_add(arena, &into->environment);
        if (!added || !name)
            return error_memory(err);
        const struct ban *ban = find_ban(into, BAN_VARIABLE, name);
        if (ban)
            return forbidden(variable->origin, name, ban, err);
        *added = *variable;
    }
    return 0;
}

static int merge_denials(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    for (size_t i = 0; i < layer->denials.count; i++) {
        struct denial *added = list_add(arena, &into->denials);
        if (!added)
            return error_memory(err);
        *added = layer->denials.at[i];
    }
    return 0;
}

static int merge_descriptors(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    const struct ban *ban = layer->descriptors.count ? find_ban(into, BAN_DESCRIPTOR, NULL) : NULL;
    if (ban)
        return forbidden("--fd", "", ban, err);
    for (size_t i = 0; i < layer->descriptors.count; i++) {
        int *added = list_add(arena, &into->descriptors);
        if (!added)
            return error_memory(err);
        *added = layer->descriptors.at[i];
    }
    into->no_descriptors |= layer->no_descriptors;
    return 0;
}

static int merge_waivers(struct policy *into, const struct policy *layer, struct error *err) {
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        if (!(layer->waived & UINT32_C(1) << i))
            continue;
        const struct ban *ban = find_ban(into, BAN_WAIVER, guarantee_text[i].name);
        if (ban)
            return forbidden(layer->waived_origin[i], guarantee_text[i].name, ban, err);
        into->waived |= UINT32_C(1) << i;
        into->waived_origin[i] = layer->waived_origin[i];
    }
    return 0;
}

/* A ban on limits holds for the grace time too, which makes a run longer; 0 is the narrowest there. */
static int merge_grace(struct policy *into, const struct policy *layer, struct error *err) {
    const struct ban *ban = layer->grace.origin ? find_ban(into, BAN_LIMIT, NULL) : NULL;
    if (ban && layer->grace.value > into->grace.value)
        return forbidden(layer->grace.origin, "", ban, err);
    if (layer->grace.origin)
        into->grace = layer->grace;
    return 0;
}

/* Is a limit of `value` narrower than or the same as one of `than`? 0 is no limit. */
static bool limit_within(uint64_t value, uint64_t than) {
    return !than || (value && value <= than);
}

static int merge_limit(struct policy *into, struct setting *limit, const struct setting *layer, struct error *err) {
    const struct ban *ban = layer->origin ? find_ban(into, BAN_LIMIT, NULL) : NULL;
    if (ban && !limit_within(layer->value, limit->value))
        return forbidden(layer->origin, "", ban, err);
    if (layer->origin)
        *limit = *layer;
    return 0;
}

static int merge_mode(struct policy *into, const struct policy *layer, struct error *err) {
    const struct ban *ban = find_ban(into, BAN_MODE, NULL);
    if (layer->mode.origin && ban && layer->mode.value < into->mode.value)
        return forbidden(layer->mode.origin, mode_name((enum mode)layer->mode.value), ban, err);
    if (layer->mode.origin)
        into->mode = layer->mode;
    return 0;
}

static int merge_git(struct policy *into, const struct policy *layer, struct error *err) {
    const struct ban *ban = find_ban(into, BAN_GIT, NULL);
    if (layer->git.origin && ban && layer->git.value > into->git.value)
        return forbidden(layer->git.origin, git_name((enum git)layer->git.value), ban, err);
    if (layer->git.origin)
        into->git = layer->git;
    return 0;
}

/* It closes, so no layer forbids it. 0, or -1 when out of memory. */
static int merge_protects(struct arena *arena, struct policy *into, const struct policy *layer) {
    for (size_t i = 0; i < layer->protects.count; i++) {
        struct protect *added = list_add(arena, &into->protects);
        if (!added)
            return -1;
        *added = layer->protects.at[i];
    }
    return 0;
}

static int merge_toolchains(struct policy *into, const struct policy *layer, struct error *err) {
    const struct ban *ban = find_ban(into, BAN_TOOLCHAINS, NULL);
    if (layer->toolchains.origin && ban && layer->toolchains.value > into->toolchains.value)
        return forbidden(layer->toolchains.origin, toolchains_name((enum toolchains)layer->toolchains.value), ban, err);
    if (layer->toolchains.origin)
        into->toolchains = layer->toolchains;
    return 0;
}

/* Which profile is asked for; those that a layer defines are looked up by profiles_chain. */
static int merge_profile(struct policy *into, const struct policy *layer, struct error *err) {
    const struct ban *ban = layer->profile ? find_ban(into, BAN_PROFILE, NULL) : NULL;
    if (ban)
        return forbidden(layer->profile_origin, layer->profile, ban, err);
    if (layer->profile) {
        into->profile = layer->profile;
        into->profile_origin = layer->profile_origin;
    }
    return 0;
}

static int merge_session(struct policy *into, const struct policy *layer, struct error *err) {
    bool none = layer->session && strcmp(layer->session, "none") == 0;
    const struct ban *ban = layer->session && !none ? find_ban(into, BAN_SESSION, NULL) : NULL;
    if (ban)
        return forbidden(layer->session_origin, layer->session, ban, err);
    if (layer->session) {
        into->session = none ? NULL : layer->session;
        into->session_origin = layer->session_origin;
    }
    return 0;
}

/* Last, so that a layer's own bans don't forbid what it asks for itself. */
static int merge_bans(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    for (size_t i = 0; i < layer->bans.count; i++) {
        struct ban *added = list_add(arena, &into->bans);
        if (!added)
            return error_memory(err);
        *added = layer->bans.at[i];
        added->layer = into->layers;
        /* arguments of the form /dev/fd/N hand in descriptors as well */
        into->no_descriptors |= added->kind == BAN_DESCRIPTOR;
    }
    return 0;
}

static int merge_files(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    for (size_t i = 0; i < layer->files.count; i++)
        if (text_add(arena, &into->files, layer->files.at[i]))
            return error_memory(err);
    for (size_t i = 0; i < layer->guards.count; i++)
        if (text_add(arena, &into->guards, layer->guards.at[i]))
            return error_memory(err);
    return 0;
}

int policy_merge(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    if (merge_grants(arena, into, layer, err) || merge_denials(arena, into, layer, err) ||
        merge_variables(arena, into, layer, err) || merge_descriptors(arena, into, layer, err) ||
        merge_waivers(into, layer, err) || merge_limit(into, &into->timeout, &layer->timeout, err) ||
        merge_limit(into, &into->output_limit, &layer->output_limit, err) || merge_mode(into, layer, err) ||
        merge_git(into, layer, err) || merge_toolchains(into, layer, err) || merge_grace(into, layer, err) ||
        merge_profile(into, layer, err) || merge_session(into, layer, err) || merge_files(arena, into, layer, err) ||
        merge_bans(arena, into, layer, err))
        return -1;
    if (merge_protects(arena, into, layer))
        return error_memory(err);
    if (layer->workspace)
        into->workspace = layer->workspace;
    if (layer->policy)
        into->policy = layer->policy;
    if (layer->receipt)
        into->receipt = layer->receipt;
    if (layer->backend) {
        into->backend = layer->backend;
        into->backend_origin = layer->backend_origin;
    }
    if (layer->command)
        into->command = layer->command;
    into->layers++;
    return 0;
}

const char *policy_opening(const struct policy *layer) {
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        if (layer->waived & UINT32_C(1) << i)
            return layer->waived_origin[i];
    return layer->grants.count        ? layer->grants.at[0].origin
           : layer->create.value      ? layer->create.origin
           : layer->environment.count ? layer->environment.at[0].origin
           : layer->bans.count        ? layer->bans.at[0].origin
           : layer->profiles.count    ? layer->profiles.at[0].origin
           : layer->profile           ? layer->profile_origin
           : layer->git.value         ? layer->git.origin
           : layer->descriptors.count ? "--fd"
           : layer->session           ? layer->session_origin
           : layer->workspace         ? "--workspace"
           : layer->backend           ? (layer->backend_origin ? layer->backend_origin : "--backend")
                                      : NULL;
}

static void narrow_limit(struct setting *limit, const struct setting *layer) {
    if (layer->origin && !limit_within(limit->value, layer->value))
        *limit = *layer;
}

int policy_narrow(struct arena *arena, struct policy *into, const struct policy *layer, struct error *err) {
    const char *opening = policy_opening(layer);
    if (opening)
        return error_set(err, EXIT_USAGE,
                         "%s: the workspace's own file can only narrow: deny, mode, git, protect, toolchains, timeout, "
                         "grace, output-limit; to "
                         "let it do more, look at it and type pinfold trust",
                         opening);
    narrow_limit(&into->timeout, &layer->timeout);
    narrow_limit(&into->output_limit, &layer->output_limit);
    if (layer->grace.origin && layer->grace.value < into->grace.value)
        into->grace = layer->grace;
    if (layer->mode.origin && layer->mode.value > into->mode.value)
        into->mode = layer->mode;
    if (layer->git.origin && layer->git.value < into->git.value)
        into->git = layer->git;
    if (layer->toolchains.origin && layer->toolchains.value < into->toolchains.value)
        into->toolchains = layer->toolchains;
    into->no_descriptors |= layer->no_descriptors;
    if (merge_denials(arena, into, layer, err))
        return -1;
    return merge_protects(arena, into, layer) ? error_memory(err) : 0;
}
