/* Unit tests of plan/diagnosis and plan/warnings: what was found, as JSON and in words; hostile names break neither. */
#include "plan/diagnosis.h"
#include "host.h"
#include "surroundings.h"

#include <stdlib.h>

/* A host where a launch held to its end, but for the steps that are added. */
static void found(struct host *host, struct diagnosis *diagnosis) {
    host_user(host);
    *diagnosis = (struct diagnosis){.cause = -1,
                                    .verdict = "verdict",
                                    .complete = true,
                                    .place = "/home/u/src",
                                    .policy = &host->policy,
                                    .probe = &host->probe,
                                    .plan = &host->plan,
                                    .facts = facts_plain()};
    assert_int_equal(facts_judge(&host->arena, &diagnosis->facts), 0);
}

static void lacks(struct host *host, struct diagnosis *diagnosis, enum step step, int error) {
    struct absence absence = {.step = step, .error = error, .detail = "", .mend = {MEND_ROOT, "sysctl -w a=b"}};
    host->probe.missing[step] = error;
    HOST_ADD(host, &diagnosis->absences, absence);
}

static void judge(struct host *host, struct diagnosis *diagnosis) {
    host_must_compile(host);
    diagnosis_judge(diagnosis);
    assert_int_equal(warnings_find(&host->arena, diagnosis), 0);
}

static char *words_of(const struct diagnosis *diagnosis) {
    struct words words;
    words_begin(&words);
    assert_int_equal(diagnosis_text(diagnosis, words.out), 0);
    return words_end(&words);
}

static void all_is_held(void **state) {
    (void)state;
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    judge(&host, &diagnosis);
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        assert_int_equal(diagnosis.guarantees[i], FINDING_HELD);
    assert_int_equal(diagnosis.steps[STEP_IDMAPPED_MOUNTS], FINDING_UNUSED);
    json_t *json = diagnosis_json(&diagnosis);
    assert_non_null(json);
    assert_int_equal(json_object_size(json_object_get(json, "guarantees")), GUARANTEE_COUNT);
    assert_int_equal(json_object_size(json_object_get(json, "steps")), STEP_COUNT);
    assert_true(json_is_true(json_object_get(json, "starts")) && json_is_null(json_object_get(json, "cause")));
    json_decref(json);
    host_free(&host);
}

static void a_missing_layer_takes_its_guarantees_alone(void **state) {
    (void)state;
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    lacks(&host, &diagnosis, STEP_NET_NAMESPACE, ENOSPC);
    diagnosis.status = EXIT_REFUSED, diagnosis.cause = STEP_NET_NAMESPACE;
    judge(&host, &diagnosis);
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        bool needs = step_text[STEP_NET_NAMESPACE].gives & UINT32_C(1) << i;
        assert_int_equal(diagnosis.guarantees[i], needs ? FINDING_MISSING : FINDING_HELD);
    }
    char *words = words_of(&diagnosis);
    assert_non_null(strstr(words, "  net-namespace: can't make a network namespace (ENOSPC)\n"));
    assert_non_null(strstr(words, "    so these can't be promised: net-egress, net-local, unix-socket\n"));
    assert_non_null(strstr(words, "    mend, as root: sysctl -w a=b\n"));
    assert_non_null(strstr(words, "  net-egress      MISSING  for lack of net-namespace\n"));
    assert_non_null(strstr(words, "  fs-read         held   "));
    free(words);
    json_t *json = diagnosis_json(&diagnosis);
    assert_string_equal(json_string_value(json_object_get(json, "cause")), "net-namespace");
    json_decref(json);
    host_free(&host);
}

static void what_was_not_reached_is_unknown(void **state) {
    (void)state;
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    lacks(&host, &diagnosis, STEP_USER_NAMESPACE, EPERM);
    lacks(&host, &diagnosis, STEP_KEYRING, ENOSYS);
    diagnosis.complete = false;
    judge(&host, &diagnosis);
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        assert_int_equal(diagnosis.guarantees[i], i == GUARANTEE_IPC ? FINDING_MISSING : FINDING_UNKNOWN);
    assert_int_equal(diagnosis.steps[STEP_SECCOMP], FINDING_UNKNOWN);
    char *words = words_of(&diagnosis);
    assert_non_null(strstr(words, "there can't be a box at all"));
    assert_null(strstr(words, "  held"));
    free(words);
    host_free(&host);
}

static void without_a_plan_nothing_is_known(void **state) {
    (void)state;
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    diagnosis.complete = false;
    diagnosis.plan = NULL, diagnosis.place = NULL;
    diagnosis.status = EXIT_USAGE, diagnosis.instead = "nothing else could be tried either";
    judge(&host, &diagnosis);
    char *words = words_of(&diagnosis);
    assert_non_null(strstr(words, "nothing else could be tried either\n"));
    assert_null(strstr(words, "  held"));
    free(words);
    json_t *json = diagnosis_json(&diagnosis);
    assert_true(json_is_null(json_object_get(json, "workspace")));
    json_decref(json);
    host_free(&host);
}

static bool warned(const struct diagnosis *diagnosis, const char *name) {
    for (size_t i = 0; i < diagnosis->warnings.count; i++)
        if (strcmp(diagnosis->warnings.at[i].name, name) == 0)
            return true;
    return false;
}

static void warnings_when_there_is_reason(void **state) {
    (void)state;
    static const char *const names[] = {"panic-on-oom",  "oom-kills-asker", "no-swap",      "few-open-files",
                                        "few-processes", "sockets",         "core-pattern", "owners"};
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    host.probe.landlock_abi = 9;
    judge(&host, &diagnosis);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_false(warned(&diagnosis, names[i]));
    assert_true(warned(&diagnosis, "no-terminal"));
    host_free(&host);
    found(&host, &diagnosis);
    host.probe.outer_root = diagnosis.temporary = true;
    struct facts *facts = &diagnosis.facts;
    facts->panic_on_oom = facts->oom_kills_asker = 1;
    facts->swap_kib = 0;
    facts->open_files = facts->processes = 20;
    facts->core_pattern = "|/usr/lib/systemd/systemd-coredump";
    judge(&host, &diagnosis);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(warned(&diagnosis, names[i]));
    host_free(&host);
}

static void hostile_names_stay_names(void **state) {
    (void)state;
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    lacks(&host, &diagnosis, STEP_MOUNTS, EPERM);
    diagnosis.absences.at[0].detail = "/a\nfake\x1b[31m\xff";
    diagnosis.facts.words = "system\nfake\xff";
    diagnosis.place = "/b\nfake\xff";
    diagnosis.verdict = "c\nfake\xff";
    diagnosis.instead = "d\nfake\xff";
    diagnosis.absences.at[0].mend.text = "e\nfake\xff";
    assert_int_equal(facts_note(&host.arena, &diagnosis.facts, "f\xff", "g\nfake\xff"), 0);
    judge(&host, &diagnosis);
    char *words = words_of(&diagnosis);
    assert_null(strstr(words, "\nfake"));
    assert_null(strchr(words, '\x1b'));
    assert_null(strchr(words, '\xff'));
    free(words);
    json_t *json = diagnosis_json(&diagnosis);
    assert_non_null(json);
    json_decref(json);
    host_free(&host);
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    struct host host;
    struct diagnosis diagnosis;
    found(&host, &diagnosis);
    judge(&host, &diagnosis);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(diagnosis_text(&diagnosis, full), -1);
    fclose(full);
    host_free(&host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_held),
        cmocka_unit_test(a_missing_layer_takes_its_guarantees_alone),
        cmocka_unit_test(what_was_not_reached_is_unknown),
        cmocka_unit_test(without_a_plan_nothing_is_known),
        cmocka_unit_test(warnings_when_there_is_reason),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
