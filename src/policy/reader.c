/* reader.c (pure): which keys a policy file has, and where. See reader.h. */
#include "policy/reader.h"

#include "base/path.h"
#include "policy/builtin.h"
#include "policy/reading.h"

#include <stdio.h>
#include <string.h>

static take_value take_profiles;

enum { TOP = DOCUMENT_OPERATOR, BODY = DOCUMENT_PROFILE, WORKSPACE = DOCUMENT_WORKSPACE, ALL = TOP | BODY | WORKSPACE };

static const struct key {
    const char *name;
    int where; /* a set of enum document_kind; a profile in a file is read as DOCUMENT_PROFILE */
    take_value *take;
} keys[] = {
    {"$schema", TOP | WORKSPACE, take_schema},
    {"read", ALL, take_read},
    {"write", ALL, take_write},
    {"create", ALL, take_create},
    {"deny", ALL, take_deny},
    {"unix-socket", ALL, take_socket},
    {"env", ALL, take_env},
    {"waive", ALL, take_waive},
    {"mode", ALL, take_mode},
    {"git", ALL, take_git},
    {"protect", ALL, take_protect},
    {"toolchains", ALL, take_toolchains},
    {"timeout", ALL, take_timeout},
    {"grace", ALL, take_grace},
    {"output-limit", ALL, take_output_limit},
    {"backend", TOP | BODY, take_backend},
    {"session", TOP | BODY, take_session},
    {"extends", BODY, take_extends},
    {"profile", TOP, take_profile},
    {"never", TOP, take_never},
    {"profiles", TOP, take_profiles},
};

enum { KEYS = sizeof keys / sizeof keys[0], PROFILES_MAX = 1000 };

bool profile_name_valid(const char *name) {
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return size && size <= 64 && !name[size];
}

static int unknown_key(struct reading *reading, const struct node *member, int where) {
    const char *names[KEYS];
    char shown[256], hint[512];
    size_t count = 0;
    if (strcmp(member->key, "sandbox") == 0)
        return document_error(reading->document, member->key_at, reading->err, "sandbox: reserved for approvals");
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(member->key, keys[i].name) == 0)
            return document_error(reading->document, member->key_at, reading->err, "%s: not %s", member->key,
                                  where == BODY        ? "in a profile; it belongs to the file as a whole"
                                  : where == WORKSPACE ? "in the workspace's own file; it belongs to the operator's"
                                                       : "here; it belongs into a profile");
        if (keys[i].where & where)
            names[count++] = keys[i].name;
    }
    return document_error(reading->document, member->key_at, reading->err, "there is no key %s%s",
                          path_show(member->key, shown, sizeof shown),
                          hint_of(member->key, names, count, hint, sizeof hint));
}

static int read_object(struct reading *reading, const struct node *object, int where) {
    for (size_t i = 0; i < object->count; i++) {
        const struct node *member = &object->items[i];
        const struct key *found = NULL;
        for (size_t k = 0; k < KEYS; k++)
            if (keys[k].where & where && strcmp(member->key, keys[k].name) == 0)
                found = &keys[k];
        if (found ? found->take(reading, member) : unknown_key(reading, member, where))
            return -1;
    }
    return 0;
}

static int read_profile(struct reading *reading, const struct node *member) {
    char shown[256];
    path_show(member->key, shown, sizeof shown);
    if (!profile_name_valid(member->key))
        return document_error(reading->document, member->key_at, reading->err,
                              "profiles: %s: a name has 1 to 64 letters, digits, '.', '_', '-'", shown);
    for (const struct builtin_policy *builtin = builtin_policies; builtin->name; builtin++)
        if (strcmp(builtin->name, member->key) == 0)
            return document_error(reading->document, member->key_at, reading->err,
                                  "profiles: %s is built in and can't be changed; give yours another name and "
                                  "\"extends\": \"%s\"",
                                  shown, shown);
    if (reading->policy->profiles.count == PROFILES_MAX)
        return document_error(reading->document, member->key_at, reading->err,
                              "profiles: a file has at most %d; put others into another file for --policy",
                              PROFILES_MAX);
    if (member->kind != NODE_OBJECT)
        return document_error(reading->document, member->at, reading->err,
                              "profiles: %s: an object is wanted such as {\"extends\": \"default\", \"read\": "
                              "[\"~/.cargo\"]}; this is %s",
                              shown, node_kind_name(member->kind));
    struct profile *profile = list_add(reading->arena, &reading->policy->profiles);
    struct policy *body = arena_alloc(reading->arena, sizeof *body);
    const char *origin = document_origin(reading->arena, reading->document, member->key_at, "profiles");
    if (!profile || !body || !origin)
        return error_memory(reading->err);
    *profile = (struct profile){.name = member->key, .origin = origin, .policy = body};
    struct reading inner = *reading;
    inner.policy = body;
    inner.profile = profile;
    return read_object(&inner, member, BODY);
}

static int take_profiles(struct reading *reading, const struct node *member) {
    if (member->kind != NODE_OBJECT)
        return document_error(reading->document, member->at, reading->err,
                              "profiles: an object is wanted, from names to profiles; this is %s",
                              node_kind_name(member->kind));
    for (size_t i = 0; i < member->count; i++)
        if (read_profile(reading, &member->items[i]))
            return -1;
    return 0;
}

int policy_read(struct arena *arena, const struct source *source, const char *bytes, size_t size, struct policy *policy,
                struct error *err) {
    struct document document;
    struct profile ignored = {0}; /* what is built in extends nothing */
    *policy = (struct policy){0};
    if (document_parse(arena, source->name, bytes, size, &document, err))
        return -1;
    struct reading reading = {.arena = arena,
                              .source = source,
                              .document = &document,
                              .policy = policy,
                              .profile = source->kind == DOCUMENT_PROFILE ? &ignored : NULL,
                              .err = err};
    return read_object(&reading, &document.root, (int)source->kind);
}
