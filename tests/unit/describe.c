/* Unit tests of plan/describe: JSON and text tell every guarantee, and hostile names can't break either. */
#include "plan/describe.h"
#include "host.h"

#include <stdlib.h>

static const char *text_of(json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

/* The plan in words; freed by the caller. */
static char *words_of(const struct plan *plan) {
    struct words words;
    words_begin(&words);
    assert_int_equal(describe_text(plan, words.out), 0);
    return words_end(&words);
}

static void bytes_are_text_or_hex(void **state) {
    (void)state;
    json_t *text = describe_bytes("/a \xc3\xa9"), *hex = describe_bytes("/\xff\n"), *empty = describe_bytes("");
    assert_string_equal(json_string_value(text), "/a \xc3\xa9");
    assert_string_equal(text_of(hex, "hex"), "2fff0a");
    assert_int_equal(json_object_size(hex), 1);
    assert_string_equal(json_string_value(empty), "");
    json_decref(text), json_decref(hex), json_decref(empty);
}

static void json_tells_every_guarantee(void **state) {
    struct host *host = *state;
    host_must_compile(host);
    for (int ran = 0; ran <= 1; ran++) {
        json_t *all = describe_guarantees(&host->plan, ran);
        assert_int_equal(json_object_size(all), GUARANTEE_COUNT);
        for (int i = 0; i < GUARANTEE_COUNT; i++) {
            json_t *one = json_object_get(all, guarantee_text[i].name);
            assert_non_null(one);
            assert_string_equal(text_of(one, "state"), ran ? "held" : "planned");
            assert_string_equal(text_of(one, "promise"), guarantee_text[i].sentence);
            assert_string_equal(text_of(one, "proof"), guarantee_text[i].proof);
            assert_true(json_is_true(json_object_get(one, "provided")));
            assert_true(json_array_size(json_object_get(one, "layers")) > 0);
        }
        json_decref(all);
    }
}

static void waived_and_missing_are_told_apart(void **state) {
    struct host *host = *state;
    host->probe.missing[STEP_IPC_NAMESPACE] = host->probe.missing[STEP_NET_NAMESPACE] = EPERM;
    host->policy.waived = G(IPC) | G(PROCESS);
    host_must_compile(host);
    json_t *all = describe_guarantees(&host->plan, true);
    static const char *const states[][3] = {{"ipc", "waived", "no"},
                                            {"process", "waived", "yes"},
                                            {"net-local", "missing", "no"},
                                            {"fs-read", "held", "yes"}};
    for (size_t i = 0; i < 4; i++) {
        json_t *one = json_object_get(all, states[i][0]);
        assert_string_equal(text_of(one, "state"), states[i][1]);
        assert_int_equal(json_is_true(json_object_get(one, "provided")), states[i][2][0] == 'y');
    }
    json_decref(all);
    char *words = words_of(&host->plan);
    assert_non_null(strstr(words, "  ipc             WAIVED: "));
    assert_non_null(strstr(words, "  process         WAIVED, held all the same: "));
    assert_non_null(strstr(words, "  net-local       CAN'T BE PROMISED HERE: "));
    assert_non_null(strstr(words, "\nNetwork\n  the host's\n"));
    free(words);
}

static void a_layer_that_is_not_there_is_not_named(void **state) {
    struct host *host = *state;
    host->probe.missing[STEP_LANDLOCK] = ENOSYS;
    host_must_compile(host);
    json_t *all = describe_guarantees(&host->plan, true);
    char *text = json_dumps(all, 0);
    assert_null(strstr(text, "\"landlock\""));
    assert_non_null(strstr(text, "\"mounts-readonly\""));
    free(text);
    json_decref(all);
}

static void text_tells_every_guarantee_and_root(void **state) {
    struct host *host = *state;
    host_grant(host, ACCESS_READ, host_folder("/srv/lib"));
    host_grant(host, ACCESS_SOCKET, host_place("/run/db.sock", S_IFSOCK | 0666));
    HOST_ADD(host, &host->probe.sockets, "/srv/lib/agent.sock");
    host->policy.timeout.value = 1500;
    host->policy.output_limit.value = 4096;
    host_must_compile(host);
    char *words = words_of(&host->plan);
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        assert_non_null(strstr(words, guarantee_text[i].name));
        assert_non_null(strstr(words, guarantee_text[i].sentence));
    }
    static const char *const told[] = {"/home/u/src", "/srv/lib", "/run/db.sock", "/srv/lib/agent.sock",
                                       "/usr",        "/tmp",     "6.12.0",       "1500 ms",
                                       "4096 bytes",  "SECRET",   "uid 1000",     "Landlock ABI 6"};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (!strstr(words, told[i]))
            fail_msg("\"%s\" is not in the text", told[i]);
    free(words);
}

static void plan_as_json(void **state) {
    (void)state;
    struct host host;
    host_root(&host);
    host_grant(&host, ACCESS_SOCKET, host_place("/run/db.sock", S_IFSOCK | 0666));
    HOST_ADD(&host, &host.probe.sockets, "/root/src/agent.sock");
    host_descriptor(&host, 7, DESCRIPTOR_SOCKET, true, true);
    host_must_compile(&host);
    json_t *plan = describe_plan(&host.plan);
    assert_non_null(plan);
    assert_string_equal(text_of(plan, "workspace"), "/root/src");
    assert_string_equal(text_of(json_object_get(plan, "ids"), "root"), "root-mapped");
    assert_int_equal(json_array_size(json_object_get(plan, "mounts")), host.plan.mounts.count);
    assert_int_equal(json_array_size(json_object_get(plan, "descriptors")), 4);
    json_t *sockets = json_object_get(plan, "unix_sockets");
    assert_string_equal(json_string_value(json_array_get(json_object_get(sockets, "covered"), 0)),
                        "/root/src/agent.sock");
    assert_string_equal(json_string_value(json_array_get(json_object_get(sockets, "granted"), 0)), "/run/db.sock");
    json_t *dropped = json_object_get(json_object_get(plan, "environment"), "dropped");
    assert_string_equal(json_string_value(json_array_get(dropped, 0)), "SECRET");
    char *text = json_dumps(plan, 0);
    assert_null(strstr(text, "SECRET=")); /* names, never values */
    free(text);
    json_decref(plan);
    host_free(&host);
}

static void hostile_names_stay_names(void **state) {
    struct host *host = *state;
    host_grant(host, ACCESS_READ, host_folder("/srv/\x1b[2J\nfake: line"));
    host_grant(host, ACCESS_READ, host_folder("/srv/bad\xff\xfe"));
    HOST_ADD(host, &host->policy.environment, ((struct variable){"X\x1b[2J=1", "--env"}));
    HOST_ADD(host, &host->policy.environment, ((struct variable){"Y\xff=1", "--env"}));
    host_must_compile(host);
    char *words = words_of(&host->plan);
    assert_null(strstr(words, "\nfake"));
    assert_null(strchr(words, '\x1b'));
    assert_null(strstr(words, "bad\xff"));
    free(words);
    json_t *plan = describe_plan(&host->plan);
    assert_non_null(plan);
    char *text = json_dumps(plan, 0);
    assert_non_null(text);
    assert_non_null(strstr(text, "2f7372762f626164fffe"));
    free(text);
    json_decref(plan);
}

static const char *digest_of(struct host *host, const char *key) {
    static char kept[2][65];
    static int turn;
    host_must_compile(host);
    json_t *told = describe_plan(&host->plan);
    turn = !turn;
    snprintf(kept[turn], sizeof kept[turn], "%s", text_of(told, key));
    json_decref(told);
    return kept[turn];
}

/* Where something was asked for and in which order is no part of what is granted. */
static void digests_are_of_what_is_granted(void **state) {
    (void)state;
    static const char *const keys[] = {"policy_digest", "plan_digest"};
    for (size_t i = 0; i < 2; i++) {
        struct host one, other;
        host_user(&one), host_user(&other);
        struct place a = host_folder("/home/u/a"), b = host_folder("/home/u/b");
        host_grant(&one, ACCESS_READ, a), host_grant(&one, ACCESS_READ, b);
        host_grant(&other, ACCESS_READ, b), host_grant(&other, ACCESS_READ, a);
        other.policy.grants.at[0].origin = "/etc/pinfold/policy.json:3:5: read";
        other.policy.grants.at[1].layer = 4;
        other.policy.layers = 6;
        one.policy.timeout = (struct setting){5000, "--timeout"};
        other.policy.timeout = (struct setting){5000, "/etc/pinfold/policy.json:4:5: timeout"};
        snprintf(other.probe.release, sizeof other.probe.release, "7.1.0");
        assert_string_equal(digest_of(&one, keys[i]), digest_of(&other, keys[i]));
        host_grant(&other, ACCESS_READ, host_folder("/home/u/c"));
        assert_string_not_equal(digest_of(&one, keys[i]), digest_of(&other, keys[i]));
        host_free(&one), host_free(&other);
    }
}

static void a_full_disk_is_an_error(void **state) {
    struct host *host = *state;
    host_must_compile(host);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(describe_text(&host->plan, full), -1);
    fclose(full);
}

static int allocations_left; /* until the one that fails */

static void *allocate(size_t size) {
    return allocations_left-- ? malloc(size) : NULL;
}

static void no_key_is_lost_when_memory_runs_out(void **state) {
    (void)state;
    static const size_t flags[] = {JSON_INDENT(2), JSON_SORT_KEYS | JSON_COMPACT};
    char key[] = "a key ..";
    json_t *object = json_object();
    for (int i = 0; i < 200; i++) {
        key[6] = (char)('a' + i / 20), key[7] = (char)('a' + i % 20);
        json_object_set_new(object, key, json_integer(i));
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char *whole = describe_dump(object, flags[i]);
        assert_non_null(whole);
        for (int left = 0; left < 20; left++) {
            allocations_left = left;
            json_set_alloc_funcs(allocate, free);
            char *text = describe_dump(object, flags[i]);
            json_set_alloc_funcs(malloc, free);
            assert_true(!text || strcmp(text, whole) == 0);
            free(text);
        }
        free(whole);
    }
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_text_or_hex),
        HOST_TEST(json_tells_every_guarantee),
        HOST_TEST(waived_and_missing_are_told_apart),
        HOST_TEST(a_layer_that_is_not_there_is_not_named),
        HOST_TEST(text_tells_every_guarantee_and_root),
        cmocka_unit_test(plan_as_json),
        HOST_TEST(hostile_names_stay_names),
        cmocka_unit_test(digests_are_of_what_is_granted),
        HOST_TEST(a_full_disk_is_an_error),
        cmocka_unit_test(no_key_is_lost_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
