/* Unit tests of linux/compile: steps and guarantees, ids, the current folder, the home and the environment of the plan,
 * for hosts that we don't own. The mounts have a file of their own (compile_mounts.c). */
#include "host.h"

#include "base/path.h"

static bool step_needed(const struct host *host, int step) {
    return step == STEP_IDMAPPED_MOUNTS ? host->probe.outer_root
           : step == STEP_RELAY         ? host->plan.relay
           : step == STEP_OVERLAY       ? host->policy.mode.value == MODE_DISCARD
           : step == STEP_SECRETS       ? host->probe.secrets.count > 0
           : step == STEP_PROTECT       ? host->policy.mode.value == MODE_DIRECT
           : step == STEP_SETTLE        ? host->policy.mode.value == MODE_DIRECT
           : step == STEP_TOOLCHAINS    ? host->probe.toolchains.count > 0
                                        : true;
}

/* The guarantees that are lost with a step: what steps.def says, or all. */
static uint32_t lost_with(int step) {
    return step_text[step].gives & G_BOX ? G_ALL : step_text[step].gives;
}

static void a_whole_host_gives_everything(void **state) {
    (void)state;
    void (*const hosts[])(struct host *) = {host_user, host_root};
    for (size_t i = 0; i < 2; i++) {
        struct host host;
        hosts[i](&host);
        host_must_compile(&host);
        assert_int_equal(host.plan.provided, G_ALL);
        assert_int_equal(plan_check(&host.plan, &host.err), 0);
        assert_string_equal(plan_confined(&host.plan), "full");
        for (int step = 0; step < STEP_COUNT; step++)
            assert_int_equal(host.plan.taken[step], step_needed(&host, step));
        host_free(&host);
    }
}

/* Each step missing alone: exactly the guarantees that steps.def gives it are lost, the plan is refused, and passes
 * only when all of them are waived by name. */
static void a_missing_step_loses_exactly_its_guarantees(void **state) {
    (void)state;
    void (*const hosts[])(struct host *) = {host_user, host_root, host_root_kept};
    for (size_t i = 0; i < 3; i++)
        for (int step = 0; step < STEP_COUNT; step++) {
            struct host host;
            hosts[i](&host);
            host.policy.mode = (struct setting){step == STEP_OVERLAY ? MODE_DISCARD : MODE_DIRECT, "--mode"};
            host.probe.missing[step] = EPERM;
            host_must_compile(&host);
            uint32_t kept = i == 2 ? lost_with(STEP_IDMAPPED_MOUNTS) : 0;
            uint32_t lost = step_needed(&host, step) ? lost_with(step) : 0;
            assert_int_equal(host.plan.provided, G_ALL & ~lost & ~kept);
            assert_false(host.plan.taken[step]);
            if (lost | kept) {
                assert_int_equal(plan_check(&host.plan, &host.err), -1);
                assert_int_equal(host.err.status, EXIT_REFUSED);
                assert_non_null(strstr(host.err.text, "refused, nothing was started"));
                assert_non_null(strstr(host.err.text, "remedy: "));
            }
            for (int guarantee = 0; guarantee < GUARANTEE_COUNT; guarantee++) {
                host.policy.waived = G_ALL & ~(UINT32_C(1) << guarantee);
                bool needed = (lost | kept) & UINT32_C(1) << guarantee;
                assert_int_equal(plan_check(&host.plan, &host.err), needed ? -1 : 0);
                assert_string_equal(plan_confined(&host.plan), "waived");
            }
            host_free(&host);
        }
}

/* What is given up by name is named in the message, as an option that can be typed. */
static void a_refusal_names_cause_remedy_and_waiver(void **state) {
    (void)state;
    for (int step = 0; step < STEP_COUNT; step++) {
        struct host host;
        host_root(&host);
        host.policy.mode = (struct setting){MODE_DISCARD, "--mode"};
        host.probe.missing[step] = ENOSPC;
        host.probe.detail = "on-this-thing";
        host.probe.detail_of = (enum step)step;
        host_must_compile(&host);
        if (!step_needed(&host, step)) {
            host_free(&host);
            continue;
        }
        assert_int_equal(plan_check(&host.plan, &host.err), -1);
        assert_non_null(strstr(host.err.text, step_text[step].what));
        assert_non_null(strstr(host.err.text, step_text[step].mend));
        assert_non_null(strstr(host.err.text, "ENOSPC"));
        assert_non_null(strstr(host.err.text, "on-this-thing"));
        uint32_t gives = step_text[step].gives;
        for (int i = 0; i < GUARANTEE_COUNT && !(gives & (G_BOX | G_NEVER_WAIVED)); i++)
            if (gives & UINT32_C(1) << i) {
                char waiver[64];
                snprintf(waiver, sizeof waiver, "--waive %s", guarantee_text[i].name);
                assert_non_null(strstr(host.err.text, waiver));
            }
        host_free(&host);
    }
}

static void every_guarantee_needs_a_step_of_its_own(void **state) {
    (void)state;
    uint32_t named = 0;
    for (int step = 0; step < STEP_COUNT; step++) {
        assert_int_equal(step_text[step].gives & ~(G_ALL | G_BOX), 0);
        assert_true(*step_text[step].name && *step_text[step].what && *step_text[step].mend);
        named |= step_text[step].gives & G_ALL;
    }
    assert_int_equal(named, G_ALL & ~(G(FS_READ) | G(ENVIRONMENT) | G(NO_SURVIVORS))); /* those by the box as a whole */
}

/* With nothing known of the host, no plan; with any one needed step missing, none that passes. */
static void zero_never_passes(void **state) {
    (void)state;
    struct plan nothing = {0};
    struct policy policy = {0};
    struct probe probe = {0};
    struct error err = {0};
    nothing.policy = &policy;
    nothing.probe = &probe;
    assert_int_equal(plan_check(&nothing, &err), -1);
    assert_int_equal(err.status, EXIT_REFUSED);
    struct host host = {0};
    assert_int_equal(host_compile(&host), -1);
    host_free(&host);
}

static void ids_of_a_user(void **state) {
    struct host *host = *state;
    host_must_compile(host);
    assert_false(host->plan.root_kept);
    assert_false(host->plan.root_mapped);
    assert_int_equal(host->plan.id_count, 1);
}

static void ids_of_root(void **state) {
    (void)state;
    struct host host;
    host_root(&host);
    host_must_compile(&host);
    assert_true(host.plan.root_mapped);
    assert_false(host.plan.root_kept);
    assert_true(host.plan.id_base >= 65536); /* no id that a host gives to somebody */
    assert_int_equal(host.plan.id_count, 65536);
    assert_null(host_mount(&host, "/etc/shadow")); /* the mapped id can't read it */
    host_free(&host);
    host_root_kept(&host);
    host_must_compile(&host);
    assert_true(host.plan.root_kept);
    assert_false(host.plan.root_mapped);
    assert_false(host.plan.provided & G(PRIVILEGE));
    host_free(&host);
}

static void starts_in_the_callers_folder(void **state) {
    (void)state;
    static const char *const inside[] = {"/home/u/src", "/home/u/src/deep/er", "/usr/share", "/srv/lib/x"};
    static const char *const outside[] = {"/home/u", "/home/u/other", "/home", "/",   "/tmp",
                                          "/proc",   "/dev",          "/srv",  "/var"};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
        struct host host;
        host_user(&host);
        host_grant(&host, ACCESS_READ, host_folder("/srv/lib"));
        host.policy.workspace = "/home/u/src";
        host.probe.current = host_folder(inside[i]);
        host_must_compile(&host);
        assert_string_equal(host.plan.current, inside[i]);
        host_free(&host);
    }
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        struct host host;
        host_user(&host);
        host_grant(&host, ACCESS_READ, host_folder("/srv/lib"));
        host.policy.workspace = "/home/u/src";
        host.probe.current = host_folder(outside[i]);
        assert_int_equal(host_compile(&host), -1);
        assert_int_equal(host.err.status, EXIT_USAGE);
        assert_non_null(strstr(host.err.text, "cd /home/u/src"));
        host_free(&host);
    }
}

static void a_current_folder_that_is_gone(void **state) {
    struct host *host = *state;
    host->probe.current = (struct place){.error = ENOENT};
    host->policy.workspace = "/home/u/src";
    host_must_compile(host);
    assert_string_equal(host->plan.current, "/home/u/src");
    assert_non_null(host->plan.notice);
    host->probe.current.error = EACCES;
    assert_int_equal(host_compile(host), -1);
    assert_int_equal(host->err.status, EXIT_USAGE);
    assert_non_null(strstr(host->err.text, "cd /"));
}

static const char *variable(const struct host *host, const char *name) {
    for (size_t i = 0; i < host->plan.environment.kept.count; i++)
        if (strncmp(host->plan.environment.kept.at[i], name, strlen(name)) == 0 &&
            host->plan.environment.kept.at[i][strlen(name)] == '=')
            return host->plan.environment.kept.at[i] + strlen(name) + 1;
    return NULL;
}

static void the_environment_tells_the_truth_of_the_box(void **state) {
    struct host *host = *state;
    host_must_compile(host);
    assert_string_equal(variable(host, "HOME"), host->plan.home);
    assert_string_equal(variable(host, "PWD"), host->plan.current);
    assert_string_equal(variable(host, "TMPDIR"), "/tmp"); /* the caller's is no folder of the box */
    assert_string_equal(variable(host, "PATH"), "/usr/bin:/bin");
    assert_null(variable(host, "SECRET"));
    char *const bare[] = {NULL}, *const own[] = {(char *)"TMPDIR=/home/u/src/tmp", (char *)"PATH=", NULL};
    assert_int_equal(compile_native(&host->arena, &host->policy, &host->probe, bare, &host->plan, &host->err), 0);
    assert_non_null(variable(host, "PATH"));
    assert_null(variable(host, "TMPDIR"));
    assert_int_equal(compile_native(&host->arena, &host->policy, &host->probe, own, &host->plan, &host->err), 0);
    assert_string_equal(variable(host, "TMPDIR"), "/home/u/src/tmp");
    assert_string_equal(variable(host, "PATH"), "");
}

static void the_home_stands_where_it_can(void **state) {
    (void)state;
    static const struct {
        const char *home, *wanted;
    } rows[] = {{"/home/u", "/home/u"},    {"/nonexistent", "/nonexistent"},
                {"/root", "/root"},        {"/", "/run/home"},
                {"/usr/x", "/run/home"},   {"/etc", "/run/home"},
                {"/proc/1", "/run/home"},  {"/dev/shm", "/run/home"},
                {"/sys", "/run/home"},     {"/tmp", "/run/home"},
                {"/tmp/h", "/tmp/h"},      {"/run/user/1", "/run/user/1"},
                {"/var/tmp", "/run/home"}, {"relative", "/run/home"},
                {"/a/../b", "/run/home"},  {NULL, "/run/home"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct host host;
        host_user(&host);
        host.probe.workspace = host.probe.current = host_folder("/srv/ws");
        host.probe.account_home = (struct place){0};
        host.probe.home = rows[i].home ? host_folder(rows[i].home) : (struct place){0};
        host_must_compile(&host);
        assert_string_equal(host.plan.home, rows[i].wanted);
        const struct mount *home = host_mount(&host, rows[i].wanted);
        assert_non_null(home);
        assert_int_equal(home->kind, MOUNT_SCRATCH);
        assert_true(home->writable);
        assert_int_equal(home->mode, 0700);
        host_free(&host);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_host_gives_everything),
        cmocka_unit_test(a_missing_step_loses_exactly_its_guarantees),
        cmocka_unit_test(a_refusal_names_cause_remedy_and_waiver),
        cmocka_unit_test(every_guarantee_needs_a_step_of_its_own),
        cmocka_unit_test(zero_never_passes),
        HOST_TEST(ids_of_a_user),
        cmocka_unit_test(ids_of_root),
        cmocka_unit_test(starts_in_the_callers_folder),
        HOST_TEST(a_current_folder_that_is_gone),
        HOST_TEST(the_environment_tells_the_truth_of_the_box),
        cmocka_unit_test(the_home_stands_where_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
