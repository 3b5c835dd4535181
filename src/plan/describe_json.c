/* describe_json.c (pure): see describe.h. jansson answers NULL when memory runs out, and its *_new setters take that as
 * an error, so the checks are at the end of each object. */
#include "base/path.h"
#include "plan/describe.h"
#include "plan/secrets.h"

#include <stdlib.h>
#include <string.h>

json_t *describe_bytes(const char *bytes) {
    static const char digits[] = "0123456789abcdef";
    if (utf8_valid(bytes))
        return json_string(bytes);
    size_t size = strlen(bytes);
    char *hex = malloc(2 * size + 1);
    if (!hex)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        hex[2 * i] = digits[(unsigned char)bytes[i] >> 4];
        hex[2 * i + 1] = digits[(unsigned char)bytes[i] & 15];
    }
    hex[2 * size] = '\0';
    json_t *result = json_pack("{s:s}", "hex", hex);
    free(hex);
    return result;
}

json_t *describe_finish(json_t *value, int failed) {
    if (!failed)
        return value;
    json_decref(value);
    return NULL;
}

char *describe_dump(const json_t *json, size_t flags) {
    size_t size = json_dumpb(json, NULL, 0, flags);
    char *text = size ? malloc(size + 1) : NULL;
    if (text && json_dumpb(json, text, size, flags) == size) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static json_t *layers_of(const struct plan *plan, int guarantee) {
    json_t *layers = json_array();
    int failed = 0;
    for (int step = 0; step < STEP_COUNT; step++)
        if (plan->taken[step] && step_text[step].gives & (G_BOX | UINT32_C(1) << guarantee))
            failed |= json_array_append_new(layers, json_string(step_text[step].name));
    return describe_finish(layers, failed);
}

json_t *describe_guarantees(const struct plan *plan, bool ran) {
    json_t *all = json_object();
    int failed = 0;
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        bool provided = plan->provided & UINT32_C(1) << i, waived = plan->policy->waived & UINT32_C(1) << i;
        const char *state = plan->broken & UINT32_C(1) << i ? "broken"
                            : waived                        ? "waived"
                            : !provided                     ? "missing"
                            : ran                           ? "held"
                                                            : "planned";
        json_t *one = json_pack("{s:s, s:s, s:b, s:o, s:s}", "state", state, "promise", guarantee_text[i].sentence,
                                "provided", provided, "layers", layers_of(plan, i), "proof",
                                ran && plan->untried & UINT32_C(1) << i ? "read back" : guarantee_text[i].proof);
        failed |= json_object_set_new(all, guarantee_text[i].name, one);
    }
    return describe_finish(all, failed);
}

static const char *kind_of(const struct mount *mount) {
    static const char *const kinds[] = {
        [MOUNT_TREE] = "bind",   [MOUNT_SCRATCH] = "scratch",    [MOUNT_PROC] = "proc",
        [MOUNT_PTS] = "devpts",  [MOUNT_QUEUES] = "mqueue",      [MOUNT_LINK] = "link",
        [MOUNT_EMPTY] = "cover", [MOUNT_READONLY] = "read-only", [MOUNT_HOLD] = "protected"};
    return mount->discard ? "overlay" : mount->session ? "session" : kinds[mount->kind];
}

static json_t *describe_mounts(const struct plan *plan) {
    json_t *mounts = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        json_t *one = json_pack("{s:s, s:o, s:b, s:s}", "kind", kind_of(mount), "path", describe_bytes(mount->target),
                                "writable", mount->writable, "why", mount->why);
        failed |= json_array_append_new(mounts, one);
    }
    return describe_finish(mounts, failed);
}

static json_t *describe_environment(const struct plan *plan) {
    json_t *kept = json_array(), *dropped = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->environment.kept.count; i++) {
        const char *entry = plan->environment.kept.at[i];
        char *name = strndup(entry, strcspn(entry, "="));
        failed |= !name || json_array_append_new(kept, describe_bytes(name));
        free(name);
    }
    for (size_t i = 0; i < plan->environment.dropped.count; i++)
        failed |= json_array_append_new(dropped, describe_bytes(plan->environment.dropped.at[i]));
    return describe_finish(json_pack("{s:o, s:o}", "kept", kept, "dropped", dropped), failed);
}

static json_t *describe_descriptors(const struct plan *plan) {
    static const char *const kinds[] = {
        [DESCRIPTOR_CLOSED] = "closed",    [DESCRIPTOR_NULL] = "null",     [DESCRIPTOR_PIPE] = "pipe",
        [DESCRIPTOR_FILE] = "file",        [DESCRIPTOR_SOCKET] = "socket", [DESCRIPTOR_TTY] = "terminal",
        [DESCRIPTOR_DIRECTORY] = "folder", [DESCRIPTOR_OTHER] = "other"};
    static const char *const ways[] = {[CHANNEL_NULL] = "own /dev/null",
                                       [CHANNEL_RELAY] = "relayed",
                                       [CHANNEL_TTY] = "own pty",
                                       [CHANNEL_PASS] = "passed"};
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->channels.count; i++) {
        const struct channel *channel = &plan->channels.at[i];
        const char *granted = channel->number <= 2                ? "standard"
                              : channel->descriptor.from_argument ? "argument /dev/fd/N"
                                                                  : "--fd";
        json_t *one = json_pack("{s:i, s:s, s:s, s:s}", "number", channel->number, "kind",
                                kinds[channel->descriptor.kind], "way", ways[channel->kind], "granted", granted);
        failed |= json_array_append_new(all, one);
    }
    return describe_finish(all, failed);
}

static json_t *describe_sockets(const struct plan *plan) {
    json_t *covered = json_array(), *granted = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (mount->step == STEP_SOCKETS)
            failed |= json_array_append_new(covered, describe_bytes(mount->target));
        if (mount->rights == RIGHTS_SOCKET)
            failed |= json_array_append_new(granted, describe_bytes(mount->target));
    }
    return describe_finish(json_pack("{s:o, s:o, s:s, s:b}", "covered", covered, "granted", granted, "closed_by",
                                     plan->probe->landlock_abi >= 9 ? "landlock" : "cover at the start", "complete",
                                     plan->probe->landlock_abi >= 9),
                           failed);
}

/* What the box would show if it was not denied. */
static json_t *describe_denied(const struct plan *plan) {
    static const char *const ways[] = {
        [SECRET_HIDDEN] = "absent", [SECRET_COVERED] = "covered", [SECRET_OPEN] = "not held"};
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->secrets.count; i++) {
        const struct secret *secret = &plan->probe->secrets.at[i];
        if (plan->secrets.at[i] != SECRET_AWAY)
            failed |=
                json_array_append_new(all, json_pack("{s:o, s:s, s:s}", "path", describe_bytes(secret->path), "way",
                                                     ways[plan->secrets.at[i]], "why", secret_origin(secret)));
    }
    return describe_finish(all, failed);
}

/* What is held: folders and files; symlinks, which are kept where they are, and what they say; and after a
 * run, what the host has replaced meanwhile. */
static json_t *describe_protected(const struct plan *plan) {
    json_t *paths = json_array(), *links = json_array(), *replaced = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (mount->kind == MOUNT_HOLD)
            failed |= json_array_append_new(paths, describe_bytes(mount->target));
        if (mount->replaced)
            failed |= json_array_append_new(replaced, describe_bytes(mount->target));
    }
    for (size_t i = 0; i < plan->pins.count; i++) {
        const struct pinned *pin = &plan->pins.at[i];
        if (pin->link)
            failed |= json_array_append_new(links, describe_bytes(pin->path));
        if (pin->replaced)
            failed |= json_array_append_new(replaced, describe_bytes(pin->path));
    }
    return describe_finish(json_pack("{s:s, s:o, s:o, s:o}", "git", git_name((enum git)plan->policy->git.value),
                                     "paths", paths, "links", links, "replaced", replaced),
                           failed);
}

/* Folders that are made for it, since they aren't there. */
static json_t *describe_makings(const struct plan *plan) {
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < plan->probe->grants.count; i++)
        if (plan->probe->grants.at[i].making)
            failed |= json_array_append_new(all, describe_bytes(plan->probe->grants.at[i].path));
    return describe_finish(all, failed);
}

static json_t *describe_policy(const struct policy *policy) {
    json_t *files = json_array();
    int failed = 0;
    for (size_t i = 0; i < policy->files.count; i++)
        failed |= json_array_append_new(files, describe_bytes(policy->files.at[i]));
    json_t *all = json_pack("{s:s, s:o}", "profile", policy->profile ? policy->profile : "default", "files", files);
    if (policy->workspace_file)
        failed |= json_object_set_new(all, "workspace_file", describe_bytes(policy->workspace_file)) ||
                  json_object_set_new(all, "workspace_trusted", json_boolean(policy->workspace_trusted));
    return describe_finish(all, failed);
}

static json_t *describe_toolchains(const struct plan *plan) {
    const struct probe *probe = plan->probe;
    json_t *left_out = json_array();
    int failed = 0;
    for (size_t i = 0; i < probe->left_out.count; i++)
        failed |=
            json_array_append_new(left_out, json_pack("{s:o, s:o}", "path", describe_bytes(probe->left_out.at[i].path),
                                                      "why", describe_bytes(probe->left_out.at[i].why)));
    return describe_finish(json_pack("{s:s, s:o}", "asked",
                                     toolchains_name((enum toolchains)plan->policy->toolchains.value), "left_out",
                                     left_out),
                           failed);
}

static const char *root_text(const struct plan *plan) {
    return plan->root_mapped ? "root-mapped" : plan->root_kept ? "root-kept" : "user";
}

/* The steps that this host was seen not to have, and the errno of the attempt. */
static json_t *describe_missing(const struct probe *probe) {
    json_t *all = json_object();
    int failed = !all;
    for (int step = 0; step < STEP_COUNT; step++)
        if (probe->missing[step])
            failed |= json_object_set_new(all, step_text[step].name, json_string(error_name(probe->missing[step])));
    return describe_finish(all, failed);
}

static json_t *describe_session(const struct plan *plan) {
    struct arena arena = {0};
    const struct policy *policy = plan->policy;
    const char *folder = session_path(&arena, policy->state, policy->session, plan->workspace, SESSION_FOLDERS);
    json_t *told = folder ? json_pack("{s:s, s:o}", "id", policy->session, "folder", describe_bytes(folder)) : NULL;
    (void)!arena_free(&arena);
    return told;
}

json_t *describe_plan(const struct plan *plan) {
    json_t *told = json_pack(
        "{s:s, s:{s:s, s:i, s:o}, s:o, s:{s:I, s:I, s:s, s:I}, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:{s:I, s:I, s:I}}",
        "backend",
        plan->backend, //
        "host", "kernel", plan->probe->release, "landlock_abi", plan->probe->landlock_abi, "missing",
        describe_missing(plan->probe),           //
        "policy", describe_policy(plan->policy), //
        "ids", "uid", (json_int_t)plan->probe->uid, "gid", (json_int_t)plan->probe->gid, "root", root_text(plan),
        "host_uid",
        (json_int_t)(plan->root_mapped ? plan->id_base : plan->probe->uid), //
        "workspace", describe_bytes(plan->workspace),                       //
        "mode", mode_name((enum mode)plan->policy->mode.value),             //
        "folder", describe_bytes(plan->current),                            //
        "home", describe_bytes(plan->home),                                 //
        "mounts", describe_mounts(plan),                                    //
        "created", describe_makings(plan),                                  //
        "denied", describe_denied(plan),                                    //
        "protected", describe_protected(plan),                              //
        "toolchains", describe_toolchains(plan),                            //
        "unix_sockets", describe_sockets(plan),                             //
        "descriptors", describe_descriptors(plan),                          //
        "environment", describe_environment(plan),                          //
        "limits", "timeout_ms", (json_int_t)plan->policy->timeout.value, "grace_ms",
        (json_int_t)plan->policy->grace.value, "output_bytes", (json_int_t)plan->policy->output_limit.value);
    int failed = told && plan->policy->session ? json_object_set_new(told, "session", describe_session(plan)) : 0;
    return describe_finish(told, failed || (told && describe_digests(plan, told)));
}
