/* profiles.c (pure): see profiles.h. */
#include "policy/profiles.h"

#include "base/nearest.h"
#include "base/path.h"
#include "policy/builtin.h"
#include "policy/reader.h"

#include <stdio.h>
#include <string.h>

enum { CHAIN_MAX = 32 };

static struct profile *find(const profile_list *profiles, const char *name) {
    for (size_t i = 0; i < profiles->count; i++)
        if (strcmp(profiles->at[i].name, name) == 0)
            return &profiles->at[i];
    return NULL;
}

int profiles_builtin(struct arena *arena, profile_list *profiles, struct error *err) {
    for (const struct builtin_policy *builtin = builtin_policies; builtin->name; builtin++) {
        struct profile *profile = list_add(arena, profiles);
        const char *name = arena_printf(arena, "built-in profile %s", builtin->name);
        if (!profile || !name)
            return error_memory(err);
        *profile = (struct profile){.name = builtin->name, .origin = name};
    }
    return 0;
}

/* Read a built-in profile, now that it takes part: most runs need one of them. */
static int read_builtin(struct arena *arena, struct profile *profile, struct error *err) {
    const struct builtin_policy *builtin = builtin_policies;
    struct source source = {.kind = DOCUMENT_PROFILE, .name = profile->origin};
    while (strcmp(builtin->name, profile->name) != 0)
        builtin++;
    profile->policy = arena_alloc(arena, sizeof *profile->policy);
    if (!profile->policy)
        return error_memory(err);
    return policy_read(arena, &source, builtin->text, builtin->size, profile->policy, err);
}

int profiles_add(struct arena *arena, profile_list *profiles, const struct policy *file, struct error *err) {
    for (size_t i = 0; i < file->profiles.count; i++) {
        const struct profile *known = find(profiles, file->profiles.at[i].name);
        if (known)
            return error_set(err, EXIT_USAGE, "%s: there is already a profile %s (%s); give this one another name",
                             file->profiles.at[i].origin, known->name, known->origin);
        struct profile *added = list_add(arena, profiles);
        if (!added)
            return error_memory(err);
        *added = file->profiles.at[i];
    }
    return 0;
}

static int unknown_profile(struct arena *arena, const profile_list *profiles, const char *name, const char *origin,
                           struct error *err) {
    const char **names = arena_alloc(arena, (profiles->count + 1) * sizeof *names);
    char others[256] = "", shown[256];
    size_t used = 0;
    if (!names)
        return error_memory(err);
    for (size_t i = 0; i < profiles->count; i++) {
        names[i] = profiles->at[i].name;
        if (used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = nearest(name, names, profiles->count);
    return error_set(err, EXIT_USAGE, "%s: there is no profile %s; %s%s%s", origin,
                     path_show(name, shown, sizeof shown), near ? "did you mean " : "there are: ", near ? near : others,
                     near ? "?" : "");
}

int profiles_chain(struct arena *arena, const profile_list *profiles, const char *name, const char *origin,
                   policy_chain *chain, struct error *err) {
    policy_chain nearest_first = {0};
    for (const char *next = name; next;) {
        struct profile *profile = find(profiles, next);
        if (!profile)
            return unknown_profile(arena, profiles, next, origin, err);
        if (!profile->policy && read_builtin(arena, profile, err))
            return -1;
        for (size_t i = 0; i < nearest_first.count; i++)
            if (nearest_first.at[i] == profile->policy)
                return error_set(err, EXIT_USAGE, "%s: the profile %s extends itself in a circle", origin, next);
        if (nearest_first.count == CHAIN_MAX)
            return error_set(err, EXIT_USAGE, "%s: more than %d profiles extend one another; put some together", origin,
                             CHAIN_MAX);
        const struct policy **added = list_add(arena, &nearest_first);
        if (!added)
            return error_memory(err);
        *added = profile->policy;
        next = profile->extends;
        origin = profile->extends_origin;
    }
    for (size_t i = nearest_first.count; i-- > 0;) {
        const struct policy **added = list_add(arena, chain);
        if (!added)
            return error_memory(err);
        *added = nearest_first.at[i];
    }
    return 0;
}
