/* random_policy.c (pure): see random_policy.h. The checks are written without a look at merge.c: they go over pairs of
 * layers, an earlier one with a ban and a later one with something that is banned. */
#include "random_policy.h"

#include "policy/merge.h"

#include <stdlib.h>
#include <string.h>

enum { LAYERS_MAX = 8, ITEMS_MAX = 4 };

static const char *const paths[] = {"/a", "/a/b", "/b", "~"};
static const char *const names[] = {"A", "AB", "B"};
static const char *const entries[] = {"A", "A=1", "AB=", "B=A", "AB"};

static unsigned take(struct bytes *bytes, unsigned below) {
    if (!bytes->left)
        return 0;
    bytes->left--;
    return *bytes->at++ % below;
}

/* Memory isn't what is tested here. */
static void *sure(void *memory) {
    if (!memory)
        abort();
    return memory;
}

static struct setting take_setting(struct bytes *bytes, unsigned below) {
    if (!take(bytes, 2))
        return (struct setting){0};
    return (struct setting){take(bytes, below), "number"};
}

static struct ban take_ban(struct bytes *bytes) {
    struct ban ban = {.kind = (enum ban_kind)take(bytes, BAN_TOOLCHAINS + 1), .origin = "ban"};
    bool one = take(bytes, 2);
    switch (ban.kind) {
    case BAN_READ:
    case BAN_WRITE:
    case BAN_SOCKET:
        ban.value = one ? paths[take(bytes, 4)] : NULL;
        break;
    case BAN_VARIABLE:
        ban.value = one ? names[take(bytes, 3)] : NULL;
        break;
    case BAN_WAIVER:
        ban.value = one ? guarantee_text[take(bytes, GUARANTEE_COUNT)].name : NULL;
        break;
    default:
        break;
    }
    return ban;
}

void random_layer(struct arena *arena, struct bytes *bytes, struct policy *layer) {
    *layer = (struct policy){.mode = take_setting(bytes, MODE_READONLY + 1),
                             .git = take_setting(bytes, GIT_WRITABLE + 1),
                             .create = take_setting(bytes, 2),
                             .toolchains = take_setting(bytes, TOOLCHAINS_AUTO + 1),
                             .timeout = take_setting(bytes, 4),
                             .grace = take_setting(bytes, 4),
                             .output_limit = take_setting(bytes, 4)};
    for (unsigned i = take(bytes, ITEMS_MAX); i; i--) {
        struct grant *grant = sure(list_add(arena, &layer->grants));
        *grant = (struct grant){(enum access)take(bytes, 3), paths[take(bytes, 4)], "grant", 0, false};
    }
    for (unsigned i = take(bytes, ITEMS_MAX); i; i--) {
        struct protect *protect = sure(list_add(arena, &layer->protects));
        *protect = (struct protect){paths[take(bytes, 4)], "protect"};
    }
    for (unsigned i = take(bytes, ITEMS_MAX); i; i--) {
        struct variable *variable = sure(list_add(arena, &layer->environment));
        *variable = (struct variable){entries[take(bytes, 5)], "env"};
    }
    for (unsigned i = take(bytes, ITEMS_MAX); i; i--) {
        unsigned guarantee = take(bytes, GUARANTEE_COUNT);
        layer->waived |= UINT32_C(1) << guarantee;
        layer->waived_origin[guarantee] = "waive";
    }
    for (unsigned i = take(bytes, ITEMS_MAX); i; i--) {
        struct ban *ban = sure(list_add(arena, &layer->bans));
        *ban = take_ban(bytes);
    }
    for (unsigned i = take(bytes, ITEMS_MAX); i; i--) {
        struct denial *denial = sure(list_add(arena, &layer->denials));
        *denial = (struct denial){paths[take(bytes, 4)], "deny"};
    }
    for (unsigned i = take(bytes, 4) / 3; i; i--) {
        int *number = sure(list_add(arena, &layer->descriptors));
        *number = 3;
    }
    layer->no_descriptors = take(bytes, 4) == 3;
    if (take(bytes, 4) == 3) {
        layer->profile = "p";
        layer->profile_origin = "profile";
    }
    static const char *const sessions[] = {"none", "s", "t"};
    if (take(bytes, 4) == 3) {
        layer->session = sessions[take(bytes, 3)];
        layer->session_origin = "session";
    }
}

static bool within(uint64_t value, uint64_t than) {
    return !than || (value && value <= than);
}

/* Does `ban` forbid something in a later layer? Numbers aside, which depend on what was set before. */
static bool forbids(const struct ban *ban, const struct policy *later) {
    for (size_t i = 0; i < later->grants.count && !ban->value; i++) {
        enum access access = later->grants.at[i].access;
        if ((ban->kind == BAN_READ && access != ACCESS_SOCKET) || (ban->kind == BAN_WRITE && access == ACCESS_WRITE) ||
            (ban->kind == BAN_SOCKET && access == ACCESS_SOCKET))
            return true;
    }
    for (size_t i = 0; i < later->environment.count && ban->kind == BAN_VARIABLE; i++) {
        const char *entry = later->environment.at[i].entry;
        if (!ban->value || (strncmp(entry, ban->value, strlen(ban->value)) == 0 &&
                            (entry[strlen(ban->value)] == '=' || !entry[strlen(ban->value)])))
            return true;
    }
    return (ban->kind == BAN_WAIVER && later->waived &&
            (!ban->value || later->waived & UINT32_C(1) << guarantee_find(ban->value))) ||
           (ban->kind == BAN_DESCRIPTOR && later->descriptors.count) || (ban->kind == BAN_PROFILE && later->profile) ||
           (ban->kind == BAN_SESSION && later->session && strcmp(later->session, "none") != 0);
}

static bool has_ban(const struct policy *layer, enum ban_kind kind) {
    for (size_t i = 0; i < layer->bans.count; i++)
        if (layer->bans.at[i].kind == kind)
            return true;
    return false;
}

const char *random_widened(const struct policy *before, const struct policy *after) {
    if (after->mode.value < before->mode.value)
        return "the mode is wider";
    if (after->git.value > before->git.value)
        return "git directories are writable";
    if (after->protects.count < before->protects.count)
        return "a path is no longer protected";
    if (after->toolchains.value > before->toolchains.value)
        return "toolchains are back";
    if (!within(after->timeout.value, before->timeout.value) ||
        !within(after->output_limit.value, before->output_limit.value) || after->grace.value > before->grace.value)
        return "a limit is wider";
    return after->grants.count != before->grants.count             ? "a grant is new"
           : after->environment.count != before->environment.count ? "a variable is new"
           : after->descriptors.count != before->descriptors.count ? "a descriptor is new"
           : after->waived & ~before->waived                       ? "a guarantee is waived"
           : after->bans.count != before->bans.count               ? "a ban is gone"
           : after->session != before->session                     ? "a session is another"
           : after->denials.count < before->denials.count          ? "something is denied no longer"
           : before->no_descriptors && !after->no_descriptors      ? "descriptors of arguments are back"
                                                                   : NULL;
}

/* Is there a reason to refuse the layer, and which bans on numbers hold for it? */
static bool may_be_refused(const struct policy *layers, size_t count, const struct policy *before,
                           const struct policy *layer) {
    bool mode = false, limit = false, git = false, toolchains = false;
    for (size_t i = 0; i < count; i++) {
        mode |= has_ban(&layers[i], BAN_MODE);
        limit |= has_ban(&layers[i], BAN_LIMIT);
        git |= has_ban(&layers[i], BAN_GIT);
        toolchains |= has_ban(&layers[i], BAN_TOOLCHAINS);
        for (size_t k = 0; k < layers[i].bans.count; k++)
            if (forbids(&layers[i].bans.at[k], layer))
                return true;
    }
    return (mode && layer->mode.origin && layer->mode.value < before->mode.value) ||
           (git && layer->git.origin && layer->git.value > before->git.value) ||
           (toolchains && layer->toolchains.origin && layer->toolchains.value > before->toolchains.value) ||
           (limit && ((layer->timeout.origin && !within(layer->timeout.value, before->timeout.value)) ||
                      (layer->output_limit.origin && !within(layer->output_limit.value, before->output_limit.value)) ||
                      (layer->grace.origin && layer->grace.value > before->grace.value)));
}

/* A layer was merged: is all of it there, with its number, and nothing else? */
static const char *check_merged(const struct policy *before, const struct policy *after, const struct policy *layer) {
    if (after->layers != before->layers + 1 || after->grants.count != before->grants.count + layer->grants.count ||
        after->environment.count != before->environment.count + layer->environment.count ||
        after->bans.count != before->bans.count + layer->bans.count ||
        after->denials.count != before->denials.count + layer->denials.count ||
        after->protects.count != before->protects.count + layer->protects.count ||
        after->waived != (before->waived | layer->waived))
        return "something was lost or added";
    for (size_t i = before->grants.count; i < after->grants.count; i++)
        if (after->grants.at[i].layer != before->layers)
            return "a grant has another layer's number";
    for (size_t i = before->grants.count; i < after->grants.count; i++)
        if (after->grants.at[i].create != (layer->create.value && after->grants.at[i].access == ACCESS_WRITE))
            return "folders are made for another layer's grants";
    for (size_t i = before->bans.count; i < after->bans.count; i++)
        if (after->bans.at[i].layer != before->layers)
            return "a ban has another layer's number";
    return has_ban(layer, BAN_DESCRIPTOR) && !after->no_descriptors ? "arguments still hand in descriptors" : NULL;
}

static const char *narrow(struct arena *arena, struct policy *merged, const struct policy *layer) {
    struct policy before = *merged;
    struct error err;
    bool opens = layer->grants.count || layer->environment.count || layer->waived || layer->bans.count ||
                 layer->descriptors.count || layer->profile || layer->session || layer->git.value ||
                 layer->create.value;
    if (policy_narrow(arena, merged, layer, &err))
        return opens ? NULL : "a layer that opens nothing was refused";
    return opens ? "the workspace opened something" : random_widened(&before, merged);
}

const char *random_run(struct arena *arena, struct bytes *bytes) {
    struct policy layers[LAYERS_MAX], merged, workspace;
    struct error err;
    policy_floor(&merged);
    random_layer(arena, bytes, &workspace);
    for (size_t count = 0; count < LAYERS_MAX && bytes->left; count++) {
        struct policy before = merged;
        random_layer(arena, bytes, &layers[count]);
        bool reason = may_be_refused(layers, count, &before, &layers[count]);
        if (policy_merge(arena, &merged, &layers[count], &err))
            return !reason                    ? "refused without a reason"
                   : err.status != EXIT_USAGE ? "refused with another status than 125"
                                              : NULL;
        const char *wrong = reason ? "a ban was passed" : check_merged(&before, &merged, &layers[count]);
        if (wrong)
            return wrong;
    }
    return narrow(arena, &merged, &workspace);
}
