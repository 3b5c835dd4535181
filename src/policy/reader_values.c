/* reader_values.c (pure): what each key of a policy file may be. See reading.h. */
#include "policy/reading.h"

#include "base/nearest.h"
#include "base/path.h"
#include "policy/pattern.h"
#include "policy/values.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 512 };

static int wrong(struct reading *reading, const struct node *node, const char *key, const char *wanted) {
    return document_error(reading->document, node->at, reading->err, "%s: %s is wanted; this is %s", key, wanted,
                          node_kind_name(node->kind));
}

static int refused(struct reading *reading, const struct node *node, const char *key, const char *why) {
    char shown[SHOWN];
    return document_error(reading->document, node->at, reading->err, "%s: %s: %s", key,
                          path_show(node->text, shown, sizeof shown), why);
}

const char *string_of(struct reading *reading, const struct node *node, const char *key, const char *wanted) {
    if (node->kind == NODE_STRING)
        return node->text;
    (void)wrong(reading, node, key, wanted);
    return NULL;
}

const char *hint_of(const char *word, const char *const *words, size_t count, char *out, size_t room) {
    const char *near = nearest(word, words, count);
    if (near) {
        snprintf(out, room, "; did you mean \"%s\"?", near);
        return out;
    }
    size_t used = (size_t)snprintf(out, room, "; there are: ");
    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", words[i]);
    return out;
}

static const char *origin_of(struct reading *reading, const struct node *node, const char *key) {
    const char *origin = document_origin(reading->arena, reading->document, node->at, key);
    if (!origin)
        error_memory(reading->err);
    return origin;
}

/* The path that an entry means: absolute, or NULL with the error set. With `word` it may have wildcards, and the folder
 * in front of it means only itself. */
static const char *path_of(struct reading *reading, const struct node *node, const char *key, bool word) {
    const char *text = string_of(reading, node, key, "a path in \"\"");
    const char *folder = NULL;
    if (!text)
        return NULL;
    if (text[0] == '/')
        return text;
    if (!*text) {
        refused(reading, node, key, "the path is empty");
    } else if (strncmp(text, "~/", 2) == 0) {
        folder = reading->source->home;
        text += 2;
        if (!folder)
            refused(reading, node, key, "this uid has no home in the passwd file; write the path out");
    } else if (text[0] == '~' && reading->source->kind != DOCUMENT_WORKSPACE) {
        refused(reading, node, key, "~ means the home only as ~/...; write other paths out");
    } else if (reading->source->kind == DOCUMENT_WORKSPACE) {
        folder = reading->source->folder;
    } else {
        refused(reading, node, key, "a relative path; write it in full, from / or from ~/");
    }
    if (!folder)
        return NULL;
    folder = word ? pattern_escape(reading->arena, folder) : folder;
    const char *path = folder ? arena_printf(reading->arena, "%s/%s", folder, text) : NULL;
    if (!path)
        error_memory(reading->err);
    return path;
}

/* For each entry of a list. */
static int each(struct reading *reading, const struct node *list, const char *key, const char *wanted,
                int (*take)(struct reading *reading, const struct node *entry, const char *key, int what), int what) {
    if (list->kind != NODE_LIST)
        return wrong(reading, list, key, wanted);
    for (size_t i = 0; i < list->count; i++)
        if (take(reading, &list->items[i], key, what))
            return -1;
    return 0;
}

static int take_grant(struct reading *reading, const struct node *entry, const char *key, int access) {
    const char *path = path_of(reading, entry, key, false), *origin = path ? origin_of(reading, entry, key) : NULL;
    struct grant *grant = origin ? list_add(reading->arena, &reading->policy->grants) : NULL;
    if (!grant)
        return origin ? error_memory(reading->err) : -1;
    *grant = (struct grant){.access = (enum access)access, .path = path, .origin = origin};
    return 0;
}

#define PATHS "a list of paths such as [\"/srv/data\", \"~/.cargo\"]"

int take_read(struct reading *reading, const struct node *member) {
    return each(reading, member, "read", PATHS, take_grant, ACCESS_READ);
}

int take_write(struct reading *reading, const struct node *member) {
    return each(reading, member, "write", PATHS, take_grant, ACCESS_WRITE);
}

int take_create(struct reading *reading, const struct node *member) {
    if (member->kind != NODE_TRUE && member->kind != NODE_FALSE)
        return wrong(reading, member, "create", "true or false");
    reading->policy->create = (struct setting){member->kind == NODE_TRUE, origin_of(reading, member, "create")};
    return reading->policy->create.origin ? 0 : -1;
}

int take_socket(struct reading *reading, const struct node *member) {
    return each(reading, member, "unix-socket", PATHS, take_grant, ACCESS_SOCKET);
}

static int take_denial(struct reading *reading, const struct node *entry, const char *key, int what) {
    (void)what;
    const char *word = path_of(reading, entry, key, true), *origin = word ? origin_of(reading, entry, key) : NULL;
    struct denial *denial = origin ? list_add(reading->arena, &reading->policy->denials) : NULL;
    if (!denial)
        return origin ? error_memory(reading->err) : -1;
    *denial = (struct denial){word, origin};
    return 0;
}

int take_deny(struct reading *reading, const struct node *member) {
    return each(reading, member, "deny", "a list of paths such as [\"~/.config/tool/token\", \"secrets/**\"]",
                take_denial, 0);
}

static int take_variable(struct reading *reading, const struct node *entry, const char *key, int what) {
    (void)what;
    const char *text = string_of(reading, entry, key, "a variable in \"\"");
    const char *wanted = text ? value_variable(text) : NULL;
    if (!text || wanted)
        return text ? refused(reading, entry, key, wanted) : -1;
    const char *origin = origin_of(reading, entry, key);
    struct variable *variable = origin ? list_add(reading->arena, &reading->policy->environment) : NULL;
    if (!variable)
        return origin ? error_memory(reading->err) : -1;
    *variable = (struct variable){text, origin};
    return 0;
}

int take_env(struct reading *reading, const struct node *member) {
    return each(reading, member, "env", "a list such as [\"NAME\", \"NAME=VALUE\"]", take_variable, 0);
}

/* The guarantee that an entry names, -1 with the error set. */
static int guarantee_of(struct reading *reading, const struct node *entry, const char *key) {
    const char *text = string_of(reading, entry, key, "a guarantee in \"\""), *near;
    char why[160];
    int guarantee;
    const char *wanted = text ? value_waiver(text, &guarantee, &near) : NULL;
    if (!text)
        return -1;
    if (!wanted)
        return guarantee;
    snprintf(why, sizeof why, "%s%s%s%s", wanted, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return refused(reading, entry, key, why);
}

static int take_waiver(struct reading *reading, const struct node *entry, const char *key, int what) {
    (void)what;
    int guarantee = guarantee_of(reading, entry, key);
    const char *origin = guarantee >= 0 ? origin_of(reading, entry, key) : NULL;
    if (!origin)
        return -1;
    reading->policy->waived |= UINT32_C(1) << guarantee;
    reading->policy->waived_origin[guarantee] = origin;
    return 0;
}

int take_waive(struct reading *reading, const struct node *member) {
    return each(reading, member, "waive", "a list of guarantees such as [\"net-local\"]", take_waiver, 0);
}

static int take_setting(struct reading *reading, const struct node *member, struct setting *setting, const char *wanted,
                        const char *(*read)(const char *word, uint64_t *value)) {
    const char *text = string_of(reading, member, member->key, wanted);
    const char *why = text ? read(text, &setting->value) : NULL;
    if (!text || why)
        return text ? refused(reading, member, member->key, why) : -1;
    setting->origin = origin_of(reading, member, member->key);
    return setting->origin ? 0 : -1;
}

int take_mode(struct reading *reading, const struct node *member) {
    static const char *const modes[] = {"direct", "discard", "readonly"};
    if (member->kind == NODE_STRING && mode_find(member->text) < 0) {
        char hint[160], shown[SHOWN];
        return document_error(reading->document, member->at, reading->err, "mode: there is no mode %s%s",
                              path_show(member->text, shown, sizeof shown),
                              hint_of(member->text, modes, 3, hint, sizeof hint));
    }
    return take_setting(reading, member, &reading->policy->mode, "\"direct\", \"discard\" or \"readonly\"", value_mode);
}

int take_git(struct reading *reading, const struct node *member) {
    static const char *const words[] = {"read-only", "writable"};
    if (member->kind == NODE_STRING && git_find(member->text) < 0) {
        char hint[160], shown[SHOWN];
        return document_error(reading->document, member->at, reading->err, "git: there is no such word as %s%s",
                              path_show(member->text, shown, sizeof shown),
                              hint_of(member->text, words, 2, hint, sizeof hint));
    }
    if (member->kind == NODE_STRING && reading->source->kind == DOCUMENT_WORKSPACE && git_find(member->text))
        return refused(reading, member, "git",
                       "only the operator can say that: --git writable, or the operator's file");
    return take_setting(reading, member, &reading->policy->git, "\"read-only\" or \"writable\"", value_git);
}

static int take_protected(struct reading *reading, const struct node *entry, const char *key, int what) {
    (void)what;
    const char *path = path_of(reading, entry, key, false), *origin = path ? origin_of(reading, entry, key) : NULL;
    struct protect *protect = origin ? list_add(reading->arena, &reading->policy->protects) : NULL;
    if (!protect)
        return origin ? error_memory(reading->err) : -1;
    *protect = (struct protect){path, origin};
    return 0;
}

int take_protect(struct reading *reading, const struct node *member) {
    return each(reading, member, "protect", PATHS, take_protected, 0);
}

int take_toolchains(struct reading *reading, const struct node *member) {
    static const char *const words[] = {"auto", "none"};
    if (member->kind == NODE_STRING && toolchains_find(member->text) < 0) {
        char hint[160], shown[SHOWN];
        return document_error(reading->document, member->at, reading->err, "toolchains: there is no choice %s%s",
                              path_show(member->text, shown, sizeof shown),
                              hint_of(member->text, words, 2, hint, sizeof hint));
    }
    return take_setting(reading, member, &reading->policy->toolchains, "\"auto\" or \"none\"", value_toolchains);
}

int take_timeout(struct reading *reading, const struct node *member) {
    return take_setting(reading, member, &reading->policy->timeout, "a string such as \"30s\" or \"5m\"",
                        value_timeout);
}

int take_grace(struct reading *reading, const struct node *member) {
    return take_setting(reading, member, &reading->policy->grace, "a string such as \"500ms\" or \"5s\"", value_grace);
}

int take_output_limit(struct reading *reading, const struct node *member) {
    return take_setting(reading, member, &reading->policy->output_limit, "a string such as \"64K\" or \"1M\"",
                        value_output_limit);
}

int take_schema(struct reading *reading, const struct node *member) {
    return string_of(reading, member, "$schema", "a string") ? 0 : -1;
}

int take_backend(struct reading *reading, const struct node *member) {
    reading->policy->backend = string_of(reading, member, "backend", "a name in \"\"");
    reading->policy->backend_origin = reading->policy->backend ? origin_of(reading, member, "backend") : NULL;
    return reading->policy->backend_origin ? 0 : -1;
}

/* A name of a profile, with its origin. */
static int take_name(struct reading *reading, const struct node *member, const char **name, const char **origin) {
    *name = string_of(reading, member, member->key, "the name of a profile in \"\"");
    if (*name && !profile_name_valid(*name))
        return refused(reading, member, member->key, "a name has 1 to 64 letters, digits, '.', '_', '-'");
    *origin = *name ? origin_of(reading, member, member->key) : NULL;
    return *origin ? 0 : -1;
}

int take_profile(struct reading *reading, const struct node *member) {
    return take_name(reading, member, &reading->policy->profile, &reading->policy->profile_origin);
}

int take_extends(struct reading *reading, const struct node *member) {
    return take_name(reading, member, &reading->profile->extends, &reading->profile->extends_origin);
}

int take_session(struct reading *reading, const struct node *member) {
    const char *text = string_of(reading, member, "session", "a session's id in \"\", or \"none\"");
    char near[SESSION_ID_MAX + 1], why[256];
    const char *wanted = text ? value_session(text, near) : NULL;
    if (!text)
        return -1;
    if (wanted) {
        snprintf(why, sizeof why, "%s%s%s%s", wanted, *near ? "; did you mean \"" : "", near, *near ? "\"?" : "");
        return refused(reading, member, "session", why);
    }
    reading->policy->session = text;
    reading->policy->session_origin = origin_of(reading, member, "session");
    return reading->policy->session_origin ? 0 : -1;
}

static int add_ban(struct reading *reading, const struct node *node, const char *key, enum ban_kind kind,
                   const char *value) {
    char name[64];
    snprintf(name, sizeof name, "never %s", key);
    const char *origin = origin_of(reading, node, name);
    struct ban *ban = origin ? list_add(reading->arena, &reading->policy->bans) : NULL;
    if (!ban)
        return origin ? error_memory(reading->err) : -1;
    *ban = (struct ban){.kind = kind, .value = value, .origin = origin};
    return 0;
}

static int take_path_ban(struct reading *reading, const struct node *entry, const char *key, int kind) {
    const char *path = path_of(reading, entry, key, false);
    return path ? add_ban(reading, entry, key, (enum ban_kind)kind, path) : -1;
}

static int take_variable_ban(struct reading *reading, const struct node *entry, const char *key, int kind) {
    const char *text = string_of(reading, entry, key, "the name of a variable in \"\"");
    if (text && (!*text || strchr(text, '=')))
        return refused(reading, entry, key, "the name alone is wanted, without a value");
    return text ? add_ban(reading, entry, key, (enum ban_kind)kind, text) : -1;
}

static int take_waiver_ban(struct reading *reading, const struct node *entry, const char *key, int kind) {
    int guarantee = guarantee_of(reading, entry, key);
    return guarantee < 0 ? -1 : add_ban(reading, entry, key, (enum ban_kind)kind, guarantee_text[guarantee].name);
}

int take_never(struct reading *reading, const struct node *member) {
    static const struct {
        const char *name;
        enum ban_kind kind;
        int (*take)(struct reading *reading, const struct node *entry, const char *key, int kind);
    } keys[] = {{"read", BAN_READ, take_path_ban},
                {"write", BAN_WRITE, take_path_ban},
                {"unix-socket", BAN_SOCKET, take_path_ban},
                {"env", BAN_VARIABLE, take_variable_ban},
                {"waive", BAN_WAIVER, take_waiver_ban},
                {"fd", BAN_DESCRIPTOR, NULL},
                {"mode", BAN_MODE, NULL},
                {"git", BAN_GIT, NULL},
                {"limits", BAN_LIMIT, NULL},
                {"profile", BAN_PROFILE, NULL},
                {"session", BAN_SESSION, NULL},
                {"toolchains", BAN_TOOLCHAINS, NULL}};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    if (member->kind != NODE_OBJECT)
        return wrong(reading, member, "never", "an object such as {\"waive\": true, \"read\": [\"~/.ssh\"]}");
    for (size_t i = 0; i < member->count; i++) {
        const struct node *node = &member->items[i];
        const char *names[KEYS];
        size_t found = KEYS;
        for (size_t k = 0; k < KEYS; k++) {
            names[k] = keys[k].name;
            found = strcmp(node->key, keys[k].name) == 0 ? k : found;
        }
        char hint[256], shown[SHOWN];
        if (found == KEYS)
            return document_error(reading->document, node->key_at, reading->err, "there is no key %s in never%s",
                                  path_show(node->key, shown, sizeof shown),
                                  hint_of(node->key, names, KEYS, hint, sizeof hint));
        const char *wanted = keys[found].take ? "true or a list" : "true";
        if (node->kind == NODE_TRUE ? add_ban(reading, node, node->key, keys[found].kind, NULL)
            : keys[found].take      ? each(reading, node, node->key, wanted, keys[found].take, (int)keys[found].kind)
                                    : wrong(reading, node, node->key, wanted))
            return -1;
    }
    return 0;
}
