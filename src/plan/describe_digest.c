/* describe_digest.c (pure): policy and plan as canonical JSON, and its SHA-256. See describe.h.
 *
 * Canonical: keys sorted, no spaces, UTF-8 as it is; lists whose order means nothing are sorted, without doubles. */
#include "base/digest.h"
#include "plan/describe.h"

#include <stdlib.h>
#include <string.h>

static int digest(json_t *canonical, char hex[65]) {
    char *text = canonical ? describe_dump(canonical, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    json_decref(canonical);
    if (!text)
        return -1;
    digest_sha256(text, strlen(text), hex);
    free(text);
    return 0;
}

static int compare_entries(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static json_t *sorted(const char **entries, size_t count) {
    json_t *all = json_array();
    int failed = !all;
    if (count)
        qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count && !failed; i++)
        if (!i || strcmp(entries[i - 1], entries[i]) != 0)
            failed = json_array_append_new(all, describe_bytes(entries[i]));
    return describe_finish(all, failed);
}

/* The paths that are granted in one way, as they were found on the host; or of them only those that are made where
 * there is nothing. */
static json_t *granted(const struct plan *plan, enum access access, bool created) {
    const struct policy *policy = plan->policy;
    const char **paths = calloc(policy->grants.count + 1, sizeof *paths);
    size_t count = 0;
    if (!paths)
        return NULL;
    for (size_t i = 0; i < policy->grants.count; i++)
        if (policy->grants.at[i].access == access && (!created || policy->grants.at[i].create)) {
            const char *found = i < plan->probe->grants.count ? plan->probe->grants.at[i].path : NULL;
            paths[count++] = found ? found : policy->grants.at[i].path;
        }
    json_t *all = sorted(paths, count);
    free(paths);
    return all;
}

/* Does a later entry decide about the same variable? NAME after NAME=VALUE does only where the caller has it. */
static bool is_overruled(const struct policy *policy, size_t index) {
    const char *entry = policy->environment.at[index].entry;
    size_t size = strcspn(entry, "=");
    for (size_t i = index + 1; i < policy->environment.count; i++) {
        const char *later = policy->environment.at[i].entry;
        if (strncmp(later, entry, size) == 0 && (later[size] == '=' || (later[size] == '\0' && entry[size] == '\0')))
            return true;
    }
    return false;
}

static json_t *variables(const struct policy *policy) {
    const char **entries = calloc(policy->environment.count + 1, sizeof *entries);
    size_t count = 0;
    if (!entries)
        return NULL;
    for (size_t i = 0; i < policy->environment.count; i++)
        if (!is_overruled(policy, i))
            entries[count++] = policy->environment.at[i].entry;
    json_t *all = sorted(entries, count);
    free(entries);
    return all;
}

static json_t *denied_words(const struct plan *plan) {
    const text_list *words = &plan->probe->denials;
    const char **entries = calloc(words->count + 1, sizeof *entries);
    if (!entries)
        return NULL;
    for (size_t i = 0; i < words->count; i++)
        entries[i] = words->at[i];
    json_t *all = sorted(entries, words->count);
    free(entries);
    return all;
}

static json_t *waivers(const struct policy *policy) {
    const char *names[GUARANTEE_COUNT];
    size_t count = 0;
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        if (policy->waived & UINT32_C(1) << i)
            names[count++] = guarantee_text[i].name;
    return sorted(names, count);
}

static int compare_numbers(const void *a, const void *b) {
    int one = *(const int *)a, other = *(const int *)b;
    return (one > other) - (one < other);
}

static json_t *numbers(const struct policy *policy) {
    size_t count = policy->descriptors.count;
    int *copy = calloc(count + 1, sizeof *copy);
    if (!copy)
        return NULL;
    json_t *all = json_array();
    int failed = !all;
    for (size_t i = 0; i < count; i++)
        copy[i] = policy->descriptors.at[i];
    qsort(copy, count, sizeof *copy, compare_numbers);
    for (size_t i = 0; i < count && !failed; i++)
        if (!i || copy[i - 1] != copy[i])
            failed = json_array_append_new(all, json_integer(copy[i]));
    free(copy);
    return describe_finish(all, failed);
}

/* What was asked to be protected, as it was found. */
static json_t *protected(const struct plan *plan) {
    const struct policy *policy = plan->policy;
    const char **paths = calloc(policy->protects.count + 1, sizeof *paths);
    if (!paths)
        return NULL;
    for (size_t i = 0; i < policy->protects.count; i++) {
        const struct place *place =
            i < plan->probe->protection.asked.count ? &plan->probe->protection.asked.at[i] : NULL;
        paths[i] = place && place->path ? place->path : policy->protects.at[i].path;
    }
    json_t *all = sorted(paths, policy->protects.count);
    free(paths);
    return all;
}

/* What is granted and waived. Not: where each was asked for, what is forbidden (it opens nothing), definitions of
 * profiles, the command, the receipt's place. A workspace that nobody named is the current folder, wherever that is. */
static json_t *canonical_policy(const struct plan *plan) {
    const struct policy *policy = plan->policy;
    json_t *workspace = policy->workspace ? describe_bytes(plan->workspace) : json_null();
    json_t *backend = policy->backend ? json_string(policy->backend) : json_null();
    json_t *all =
        json_pack("{s:o, s:o, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:I, s:I, s:I}", "workspace",
                  workspace, "backend", backend, "mode", mode_name((enum mode)policy->mode.value), //
                  "git", git_name((enum git)policy->git.value), "protect", protected(plan),        //
                  "toolchains", toolchains_name((enum toolchains)policy->toolchains.value),        //
                  "read", granted(plan, ACCESS_READ, false), "write", granted(plan, ACCESS_WRITE, false), "deny",
                  denied_words(plan), "unix-socket", granted(plan, ACCESS_SOCKET, false), "env", variables(policy),
                  "fd", numbers(policy), "no-fd", policy->no_descriptors, "waive", waivers(policy), //
                  "timeout", (json_int_t)policy->timeout.value, "grace", (json_int_t)policy->grace.value,
                  "output-limit", (json_int_t)policy->output_limit.value);
    /* as it was before there were such, where there is none */
    int failed = !all || (policy->session && json_object_set_new(all, "session", json_string(policy->session)));
    for (size_t i = 0; i < policy->grants.count && !failed; i++)
        if (policy->grants.at[i].create)
            failed = json_object_set_new(all, "create", granted(plan, ACCESS_WRITE, true));
    return describe_finish(all, failed);
}

static json_t *kept_names(const struct plan *plan) {
    size_t count = plan->environment.kept.count, made = 0;
    char **names = calloc(count + 1, sizeof *names);
    json_t *all = NULL;
    while (names && made < count) {
        const char *entry = plan->environment.kept.at[made];
        if (!(names[made] = strndup(entry, strcspn(entry, "="))))
            break;
        made++;
    }
    if (names && made == count)
        all = sorted((const char **)names, count);
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    return all;
}

/* All but the standard ones. Rows are shared with what was told. */
static json_t *handed_in(const json_t *told) {
    const json_t *all = json_object_get(told, "descriptors");
    json_t *rest = json_array();
    int failed = !rest;
    for (size_t i = 0; i < json_array_size(all) && !failed; i++) {
        json_t *row = json_array_get(all, i);
        if (json_integer_value(json_object_get(row, "number")) > 2)
            failed = json_array_append(rest, row);
    }
    return describe_finish(rest, failed);
}

static bool is_among(const json_t *value, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(value, json_array_get(list, i)))
            return true;
    return false;
}

/* Without covers of sockets, which come and go, and without reasons, which say where something was asked for. */
static json_t *bare_mounts(const json_t *told) {
    const json_t *covered = json_object_get(json_object_get(told, "unix_sockets"), "covered");
    const json_t *all = json_object_get(told, "mounts");
    json_t *rest = json_array();
    int failed = !rest;
    for (size_t i = 0; i < json_array_size(all) && !failed; i++) {
        json_t *row = json_array_get(all, i), *path = json_object_get(row, "path");
        if (!is_among(path, covered))
            failed = json_array_append_new(rest, json_pack("{s:O, s:O, s:O}", "kind", json_object_get(row, "kind"),
                                                           "path", path, "writable", json_object_get(row, "writable")));
    }
    return describe_finish(rest, failed);
}

/* The paths that are denied and how each is held, without reasons. */
static json_t *bare_denied(const json_t *told) {
    const json_t *all = json_object_get(told, "denied");
    json_t *rest = json_array();
    int failed = !rest;
    for (size_t i = 0; i < json_array_size(all) && !failed; i++) {
        json_t *row = json_array_get(all, i);
        failed = json_array_append_new(
            rest, json_pack("{s:O, s:O}", "path", json_object_get(row, "path"), "way", json_object_get(row, "way")));
    }
    return describe_finish(rest, failed);
}

/* Which layers keep each guarantee: tells apart a plan that lacks a step that the host hasn't. */
static json_t *layers(const struct plan *plan) {
    json_t *all = json_object(), *told = describe_guarantees(plan, false), *one;
    const char *name;
    int failed = !all || !told;
    json_object_foreach(told, name, one) failed |= json_object_set(all, name, json_object_get(one, "layers"));
    json_decref(told);
    return describe_finish(all, failed);
}

static json_t *canonical_plan(const struct plan *plan, const json_t *told, const char *policy) {
    static const char *const whole[] = {"backend", "ids", "workspace", "folder", "home", "limits"};
    json_t *all =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:O, s:O}", "policy_digest", policy, "environment", kept_names(plan),
                  "layers", layers(plan), "descriptors", handed_in(told), "mounts", bare_mounts(told), "denied",
                  bare_denied(told), "links", json_object_get(json_object_get(told, "protected"), "links"),
                  "unix_sockets", json_object_get(json_object_get(told, "unix_sockets"), "granted"));
    int failed = !all;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0] && !failed; i++)
        failed = json_object_set(all, whole[i], json_object_get(told, whole[i]));
    return describe_finish(all, failed);
}

int describe_digests(const struct plan *plan, json_t *told) {
    char policy[65], whole[65];
    return digest(canonical_policy(plan), policy) || digest(canonical_plan(plan, told, policy), whole) ||
                   json_object_set_new(told, "policy_digest", json_string(policy)) ||
                   json_object_set_new(told, "plan_digest", json_string(whole))
               ? -1
               : 0;
}
