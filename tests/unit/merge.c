/* Unit tests of policy/merge: layers widen unless an earlier one forbids it, the workspace's only narrows; by example
 * and over random layers (fuzz/random_policy.c). */
#include "policy/merge.h"

#include "arena_again.h"

#include "../../fuzz/random_policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct arena arena;

static struct policy layer_with_ban(enum ban_kind kind, const char *value) {
    struct policy layer = {0};
    struct ban *ban = list_add(&arena, &layer.bans);
    assert_non_null(ban);
    *ban = (struct ban){.kind = kind, .value = value, .origin = "F:1:2: never"};
    return layer;
}

static struct policy layer_with_grant(enum access access, const char *path) {
    struct policy layer = {0};
    struct grant *grant = list_add(&arena, &layer.grants);
    assert_non_null(grant);
    *grant = (struct grant){.access = access, .path = path, .origin = "--grant"};
    return layer;
}

static struct policy layer_with_variable(const char *entry) {
    struct policy layer = {0};
    struct variable *variable = list_add(&arena, &layer.environment);
    assert_non_null(variable);
    *variable = (struct variable){entry, "--env"};
    return layer;
}

/* Merge a first layer into the floor and then a second one: 0, or -1 when the second is forbidden. */
static int merge(const struct policy *first, const struct policy *second, struct policy *merged) {
    struct error err = {0};
    policy_floor(merged);
    assert_int_equal(policy_merge(&arena, merged, first, &err), 0);
    int result = policy_merge(&arena, merged, second, &err);
    if (result) {
        assert_int_equal(err.status, EXIT_USAGE);
        assert_non_null(strstr(err.text, "forbidden by F:1:2: never"));
    }
    return result;
}

static void bans_on_grants(void **state) {
    (void)state;
    static const struct {
        enum ban_kind ban;
        enum access access;
        int result;
    } cases[] = {
        {BAN_READ, ACCESS_READ, -1},    {BAN_READ, ACCESS_WRITE, -1},  {BAN_READ, ACCESS_SOCKET, 0},
        {BAN_WRITE, ACCESS_READ, 0},    {BAN_WRITE, ACCESS_WRITE, -1}, {BAN_WRITE, ACCESS_SOCKET, 0},
        {BAN_SOCKET, ACCESS_READ, 0},   {BAN_SOCKET, ACCESS_WRITE, 0}, {BAN_SOCKET, ACCESS_SOCKET, -1},
        {BAN_VARIABLE, ACCESS_READ, 0}, {BAN_LIMIT, ACCESS_WRITE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct policy merged, ban = layer_with_ban(cases[i].ban, NULL), grant = layer_with_grant(cases[i].access, "/a");
        assert_int_equal(merge(&ban, &grant, &merged), cases[i].result);
        assert_int_equal(merge(&grant, &ban, &merged), 0); /* what is there stays */
        assert_int_equal(merged.grants.count, 1);
        struct policy path = layer_with_ban(cases[i].ban, "/a"); /* only the canonical path can tell */
        assert_int_equal(merge(&path, &grant, &merged), 0);
        assert_true(merged.grants.at[0].layer > merged.bans.at[0].layer);
    }
}

static void folders_are_made_for_grants_of_their_own_layer(void **state) {
    (void)state;
    for (int access = ACCESS_READ; access <= ACCESS_SOCKET; access++) {
        struct policy merged, first = layer_with_grant((enum access)access, "/a"), later = first;
        first.create = (struct setting){1, "F:1:1: create"};
        assert_int_equal(merge(&first, &later, &merged), 0);
        assert_int_equal(merged.grants.count, 2);
        assert_int_equal(merged.grants.at[0].create, access == ACCESS_WRITE);
        assert_false(merged.grants.at[1].create);
        assert_string_equal(policy_opening(&first), "--grant");
    }
    struct policy alone = {.create = {1, "F:1:1: create"}}, off = {.create = {0, "F:1:1: create"}};
    assert_string_equal(policy_opening(&alone), "F:1:1: create");
    assert_null(policy_opening(&off));
}

static void bans_on_variables_are_by_whole_name(void **state) {
    (void)state;
    static const struct {
        const char *ban, *entry;
        int result;
    } cases[] = {{"A", "A", -1}, {"A", "A=1", -1}, {"A", "AB", 0}, {"AB", "A", 0}, {"A", "B=A", 0}, {NULL, "X", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct policy merged, ban = layer_with_ban(BAN_VARIABLE, cases[i].ban);
        struct policy variable = layer_with_variable(cases[i].entry);
        assert_int_equal(merge(&ban, &variable, &merged), cases[i].result);
    }
}

static void limits_and_modes(void **state) {
    (void)state;
    static const struct {
        uint64_t before, later;
        int result;
    } cases[] = {{0, 5, 0}, {5, 5, 0}, {5, 4, 0}, {5, 6, -1}, {5, 0, -1}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct policy merged, first = layer_with_ban(BAN_LIMIT, NULL), later = {0};
        first.timeout = (struct setting){cases[i].before, "F:1:1: timeout"};
        later.timeout = (struct setting){cases[i].later, "--timeout"};
        assert_int_equal(merge(&first, &later, &merged), cases[i].result);
    }
    struct policy merged, first = layer_with_ban(BAN_LIMIT, NULL), later = {.grace = {501, "--grace"}};
    assert_int_equal(merge(&first, &later, &merged), -1);
    later.grace.value = 0; /* at once is the narrowest */
    assert_int_equal(merge(&first, &later, &merged), 0);
    first = layer_with_ban(BAN_MODE, NULL);
    first.mode = (struct setting){MODE_DISCARD, "F:1:1: mode"};
    for (uint64_t mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        later = (struct policy){.mode = {mode, "--mode"}};
        assert_int_equal(merge(&first, &later, &merged), mode < MODE_DISCARD ? -1 : 0);
    }
}

static void git_directories(void **state) {
    (void)state;
    struct policy merged, ban = layer_with_ban(BAN_GIT, NULL), nothing = {0};
    struct policy writable = {.git = {GIT_WRITABLE, "--git"}}, readonly = {.git = {GIT_READONLY, "--git"}};
    assert_int_equal(merge(&nothing, &writable, &merged), 0);
    assert_int_equal(merged.git.value, GIT_WRITABLE);
    assert_int_equal(merge(&writable, &readonly, &merged), 0);
    assert_int_equal(merged.git.value, GIT_READONLY);
    assert_int_equal(merge(&ban, &writable, &merged), -1);
    assert_int_equal(merge(&ban, &readonly, &merged), 0);
}

static void descriptors(void **state) {
    (void)state;
    struct policy merged, ban = layer_with_ban(BAN_DESCRIPTOR, NULL), nothing = {0}, later = {0};
    assert_int_equal(merge(&ban, &nothing, &merged), 0);
    assert_true(merged.no_descriptors);
    assert_int_equal(merge(&nothing, &ban, &merged), 0);
    assert_true(merged.no_descriptors);
    *list_add(&arena, &later.descriptors) = 3;
    assert_int_equal(merge(&ban, &later, &merged), -1);
}

static void the_workspace_opens_nothing(void **state) {
    (void)state;
    struct policy openings[] = {layer_with_grant(ACCESS_READ, "/a"),
                                layer_with_variable("A"),
                                layer_with_ban(BAN_READ, NULL),
                                {.waived = G(IPC), .waived_origin = {[GUARANTEE_IPC] = "F:1:1: waive"}},
                                {.profile = "p", .profile_origin = "F:1:1: profile"},
                                {.backend = "native"},
                                {.workspace = "/"},
                                {.git = {GIT_WRITABLE, "F:1:1: git"}},
                                {0}};
    *list_add(&arena, &openings[8].descriptors) = 3;
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        struct policy merged;
        struct error err = {0};
        policy_floor(&merged);
        assert_non_null(policy_opening(&openings[i]));
        assert_int_equal(policy_narrow(&arena, &merged, &openings[i], &err), -1);
        assert_int_equal(err.status, EXIT_USAGE);
        assert_non_null(strstr(err.text, "pinfold trust"));
    }
}

static void narrowing_keeps_the_stricter(void **state) {
    (void)state;
    struct policy merged, layer = {.timeout = {9, "w"}, .grace = {9, "w"}, .output_limit = {9, "w"}, .mode = {1, "w"}};
    struct error err;
    layer.git = (struct setting){GIT_READONLY, "w"};
    *list_add(&arena, &layer.protects) = (struct protect){"/w/data", "w"};
    policy_floor(&merged);
    merged.git = (struct setting){GIT_WRITABLE, "--git"};
    assert_int_equal(policy_narrow(&arena, &merged, &layer, &err), 0);
    assert_int_equal(merged.timeout.value, 9);
    assert_int_equal(merged.grace.value, 9);
    assert_int_equal(merged.output_limit.value, 9);
    assert_int_equal(merged.mode.value, MODE_DISCARD);
    assert_int_equal(merged.git.value, GIT_READONLY);
    assert_int_equal(merged.protects.count, 1);
    layer = (struct policy){.timeout = {10, "w"}, .grace = {10, "w"}, .output_limit = {0, "w"}, .mode = {0, "w"}};
    assert_int_equal(policy_narrow(&arena, &merged, &layer, &err), 0);
    assert_int_equal(merged.timeout.value, 9);
    assert_int_equal(merged.grace.value, 9);
    assert_int_equal(merged.output_limit.value, 9);
    assert_int_equal(merged.mode.value, MODE_DISCARD);
}

static void random_layers(void **state) {
    (void)state;
    const char *given = getenv("PINFOLD_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    srand(seed);
    struct arena own = {0};
    for (int round = 0; round < 100000; round++) {
        unsigned char data[256];
        size_t size = (size_t)rand() % sizeof data;
        for (size_t i = 0; i < size; i++)
            data[i] = (unsigned char)(rand() >> 7);
        struct bytes bytes = {data, size};
        const char *wrong = random_run(&own, &bytes);
        arena_again(&own);
        if (wrong)
            fail_msg("PINFOLD_SEED=%u, round %d: %s", seed, round, wrong);
    }
    arena_free(&own);
}

static void sessions(void **state) {
    (void)state;
    struct policy one = {.session = "a", .session_origin = "F"},
                  other = {.session = "b", .session_origin = "--session"};
    struct policy none = {.session = "none", .session_origin = "--session"}, merged;
    struct policy never = layer_with_ban(BAN_SESSION, NULL);
    assert_int_equal(merge(&one, &other, &merged), 0);
    assert_string_equal(merged.session, "b");
    assert_int_equal(merge(&one, &none, &merged), 0);
    assert_null(merged.session);
    assert_int_equal(merge(&never, &other, &merged), -1);
    assert_int_equal(merge(&never, &none, &merged), 0);
    assert_null(merged.session);
    assert_string_equal(policy_opening(&one), "F"); /* a workspace's file doesn't even have the key */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bans_on_grants),
        cmocka_unit_test(folders_are_made_for_grants_of_their_own_layer),
        cmocka_unit_test(bans_on_variables_are_by_whole_name),
        cmocka_unit_test(limits_and_modes),
        cmocka_unit_test(git_directories),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(sessions),
        cmocka_unit_test(the_workspace_opens_nothing),
        cmocka_unit_test(narrowing_keeps_the_stricter),
        cmocka_unit_test(random_layers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
