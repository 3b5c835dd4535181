/* reader.c: fuzzes policy/reader with the bytes of a file, read as each kind of document. What it takes has a place for
 * everything; what it refuses is 125 and begins with the place; as a workspace's file it never widens. */
#include "policy/merge.h"
#include "policy/profiles.h"
#include "policy/reader.h"
#include "random_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void must(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool has_place(const char *origin) {
    unsigned long line, column;
    return origin && sscanf(origin, "FILE:%lu:%lu: ", &line, &column) == 2 && line && column;
}

static void check_layer(const struct policy *policy) {
    for (size_t i = 0; i < policy->grants.count; i++)
        must(has_place(policy->grants.at[i].origin) && policy->grants.at[i].path[0] == '/', "a grant without a place");
    for (size_t i = 0; i < policy->environment.count; i++)
        must(has_place(policy->environment.at[i].origin), "a variable without a place");
    for (size_t i = 0; i < policy->bans.count; i++)
        must(has_place(policy->bans.at[i].origin), "a ban without a place");
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        must(!(policy->waived & UINT32_C(1) << i) || has_place(policy->waived_origin[i]), "a waiver without a place");
    must(!(policy->waived & G_NEVER_WAIVED), "what can't be waived is");
    for (size_t i = 0; i < policy->protects.count; i++)
        must(has_place(policy->protects.at[i].origin), "a protected path without a place");
    const struct setting *settings[] = {&policy->mode, &policy->git, &policy->timeout, &policy->grace,
                                        &policy->output_limit};
    for (size_t i = 0; i < 5; i++)
        must(settings[i]->origin ? has_place(settings[i]->origin) : !settings[i]->value, "a number without a place");
    for (size_t i = 0; i < policy->profiles.count; i++) {
        must(has_place(policy->profiles.at[i].origin), "a profile without a place");
        check_layer(policy->profiles.at[i].policy);
    }
}

static void check_workspace(struct arena *arena, const struct policy *layer) {
    struct policy merged, before;
    struct error err;
    policy_floor(&merged);
    merged.timeout = merged.output_limit = (struct setting){1000, "before"};
    merged.mode = (struct setting){MODE_DISCARD, "before"};
    before = merged;
    must(!layer->bans.count && !layer->profiles.count && !layer->profile && !layer->backend, "not a workspace's");
    if (!policy_narrow(arena, &merged, layer, &err))
        must(!random_widened(&before, &merged), "the workspace widened");
}

static void check_profiles(struct arena *arena, const struct policy *file) {
    profile_list profiles = {0};
    policy_chain chain = {0};
    struct error err;
    must(!profiles_builtin(arena, &profiles, &err), "what is built in can't be read");
    must(!profiles_add(arena, &profiles, file, &err), "a name that stands twice");
    for (size_t i = 0; i < file->profiles.count; i++)
        if (profiles_chain(arena, &profiles, file->profiles.at[i].name, "x", &chain, &err))
            must(has_place(err.text), "a wrong profile without a place");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const enum document_kind kinds[] = {DOCUMENT_OPERATOR, DOCUMENT_PROFILE, DOCUMENT_WORKSPACE};
    for (size_t i = 0; i < 3; i++) {
        struct arena arena = {0};
        struct source source = {.kind = kinds[i], .name = "FILE", .home = "/home/u", .folder = "/ws"};
        struct policy policy;
        struct error err = {0};
        if (policy_read(&arena, &source, (const char *)data, size, &policy, &err)) {
            must(err.status == EXIT_USAGE, "refused with another status than 125");
            must(has_place(err.text) || strstr(err.text, "1 MiB"), "refused without a place");
        } else {
            check_layer(&policy);
            if (kinds[i] == DOCUMENT_WORKSPACE)
                check_workspace(&arena, &policy);
            if (kinds[i] == DOCUMENT_OPERATOR)
                check_profiles(&arena, &policy);
        }
        arena_free(&arena);
    }
    return 0;
}
