/* layers.c (glue): the order of the layers. See layers.h. */
#include "box/layers.h"

#include "base/path.h"
#include "box/workspace.h"
#include "linux/account.h"
#include "linux/policy_file.h"
#include "linux/resolve.h"
#include "linux/store.h"
#include "policy/merge.h"
#include "policy/profiles.h"
#include "policy/reader.h"

#include <errno.h>
#include <string.h>

/* The operator's files, from the most trusted on. */
enum { SYSTEM, USER, OPTION, FILES };

struct layers {
    struct arena *arena;
    const char *home;          /* of the account; NULL: it has none */
    struct policy file[FILES]; /* all zero where there is none */
    profile_list profiles;     /* what is built in and what the files define */
};

/* A file's bytes as a layer. */
static int take_file(struct layers *layers, const struct policy_file *file, struct policy *policy, struct error *err) {
    struct source source = {.kind = DOCUMENT_OPERATOR, .name = file->name, .home = layers->home};
    if (policy_read(layers->arena, &source, file->bytes, file->size, policy, err))
        return -1;
    return text_add(layers->arena, &policy->files, file->path ? file->path : file->name) ? error_memory(err) : 0;
}

static int read_file(struct layers *layers, const char *path, bool optional, struct policy *policy, struct error *err) {
    struct policy_file file;
    if (strncmp(path, "fd:", 3) == 0 ? policy_file_read_descriptor(layers->arena, path, &file, err)
                                     : policy_file_read(layers->arena, path, optional, &file, err))
        return -1;
    if (file.found && take_file(layers, &file, policy, err))
        return -1;
    policy->guards = file.guards;
    return 0;
}

/* Read the files that stand at their usual places, and `option` unless it is NULL. */
static int read_files(struct layers *layers, const char *option, struct error *err) {
    if (account_home_of_caller(layers->arena, &layers->home, err) ||
        read_file(layers, POLICY_FILE_SYSTEM, true, &layers->file[SYSTEM], err))
        return -1;
    const char *user =
        layers->home ? arena_printf(layers->arena, "%s/" POLICY_FILE_USER_FOLDER "/policy.json", layers->home) : NULL;
    if (layers->home && !user)
        return error_memory(err);
    if (user && read_file(layers, user, true, &layers->file[USER], err))
        return -1;
    return option ? read_file(layers, option, false, &layers->file[OPTION], err) : 0;
}

/* What a path leads to, there or not, and the links on the way. */
static int guard(const struct layers *layers, const char *path, struct policy *merged, struct error *err) {
    link_list links = {0};
    struct place place;
    if (!path || resolve(layers->arena, "/", path, &place, &links))
        return error_memory(err);
    for (size_t i = 0; i < links.count; i++)
        if (text_add(layers->arena, &merged->guards, links.at[i].path))
            return error_memory(err);
    return text_add(layers->arena, &merged->guards, place.path) ? error_memory(err) : 0;
}

/* Where pinfold will look for the user's files next time is as worth guarding as what it found, there or not. The pins
 * may be a link out of that folder, and this run need not have asked for them. */
static int guard_user_folder(const struct layers *layers, struct policy *merged, struct error *err) {
    static const char *const names[] = {"", "/trust.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && layers->home; i++) {
        const char *path = arena_printf(layers->arena, "%s/%s%s", layers->home, POLICY_FILE_USER_FOLDER, names[i]);
        if (guard(layers, path, merged, err))
            return -1;
    }
    return 0;
}

static int know_profiles(struct layers *layers, struct error *err) {
    if (profiles_builtin(layers->arena, &layers->profiles, err))
        return -1;
    for (size_t i = 0; i < FILES; i++)
        if (profiles_add(layers->arena, &layers->profiles, &layers->file[i], err))
            return -1;
    return 0;
}

static int merge_profile(struct layers *layers, const char *name, const char *origin, struct policy *merged,
                         struct error *err) {
    policy_chain chain = {0};
    if (profiles_chain(layers->arena, &layers->profiles, name, origin, &chain, err))
        return -1;
    for (size_t i = 0; i < chain.count; i++)
        if (policy_merge(layers->arena, merged, chain.at[i], err))
            return -1;
    return 0;
}

int layers_merge(struct arena *arena, const struct policy *flags, struct policy *merged, struct error *err) {
    struct layers layers = {.arena = arena};
    policy_floor(merged);
    if (read_files(&layers, flags->policy, err) || know_profiles(&layers, err))
        return -1;
    /* the latest that names a profile decides; policy_merge sees to it that it may */
    const struct policy *asking[] = {flags, &layers.file[OPTION], &layers.file[USER], &layers.file[SYSTEM]};
    const char *name = NULL, *origin = NULL;
    for (size_t i = 0; i < sizeof asking / sizeof asking[0] && !name; i++) {
        name = asking[i]->profile;
        origin = asking[i]->profile_origin;
    }
    /* a profile that nobody asked for is `default`, which says what the floor says: see policy_floor */
    if (policy_merge(arena, merged, &layers.file[SYSTEM], err) ||
        policy_merge(arena, merged, &layers.file[USER], err) ||
        (name && merge_profile(&layers, name, origin, merged, err)) ||
        policy_merge(arena, merged, &layers.file[OPTION], err) || policy_merge(arena, merged, flags, err) ||
        guard_user_folder(&layers, merged, err) ||
        store_state(arena, layers.home, &merged->state, &merged->guards, err) ||
        store_keep(arena, layers.home, merged->state, &merged->keep, err))
        return -1;
    merged->profile = name ? name : "default";
    return workspace_merge(arena, layers.home, merged, err);
}

/* Every profile of a file, and the one that it asks for, must lead to something. */
static int check_profiles(struct layers *layers, const struct policy *file, struct error *err) {
    policy_chain chain = {0};
    for (size_t i = 0; i < file->profiles.count; i++)
        if (profiles_chain(layers->arena, &layers->profiles, file->profiles.at[i].name, file->profiles.at[i].origin,
                           &chain, err))
            return -1;
    return file->profile
               ? profiles_chain(layers->arena, &layers->profiles, file->profile, file->profile_origin, &chain, err)
               : 0;
}

static int check_workspace(struct layers *layers, const char *path, struct error *err) {
    struct workspace_file file;
    size_t size = strlen(path) - strlen(POLICY_FILE_WORKSPACE);
    const char *folder = size ? arena_copy_bytes(layers->arena, path, size) : ".";
    char shown[1024];
    if (!folder)
        return error_memory(err);
    if (account_home_of_caller(layers->arena, &layers->home, err) ||
        workspace_read(layers->arena, folder, layers->home, &file, err))
        return -1;
    return file.path ? 0
                     : error_set(err, EXIT_USAGE, "%s: the policy can't be read: %s",
                                 path_show(path, shown, sizeof shown), strerror(ENOENT));
}

int layers_check(struct arena *arena, const char *path, struct error *err) {
    struct layers layers = {.arena = arena};
    const char *slash = strrchr(path, '/');
    if (strcmp(slash ? slash + 1 : path, POLICY_FILE_WORKSPACE) == 0)
        return check_workspace(&layers, path, err);
    if (read_files(&layers, path, err))
        return -1;
    /* one of the usual files, looked at by its name, is not also a second one */
    for (size_t i = 0; i < OPTION; i++)
        if (layers.file[i].files.count && strcmp(layers.file[i].files.at[0], layers.file[OPTION].files.at[0]) == 0)
            layers.file[i] = (struct policy){0};
    return know_profiles(&layers, err) || check_profiles(&layers, &layers.file[OPTION], err) ? -1 : 0;
}
