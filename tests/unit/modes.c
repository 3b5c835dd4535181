/* Unit tests of what a mode makes of the workspace: which folders may be one (roots), its mount (compile_mounts), the
 * steps, variables, and what explain says. */
#include "host.h"

#include "plan/describe.h"
#include "plan/roots.h"

#include <stdlib.h>

static struct host in_mode(enum mode mode) {
    struct host host;
    host_user(&host);
    host.policy.mode = (struct setting){mode, "--mode"};
    return host;
}

static struct host in_workspace(enum mode mode, const char *path) {
    struct host host = in_mode(mode);
    host.policy.workspace = path;
    host.probe.workspace = host.probe.current = host_folder(path);
    return host;
}

static const char *variable(const struct host *host, const char *name) {
    size_t size = strlen(name);
    for (size_t i = 0; i < host->plan.environment.kept.count; i++)
        if (strncmp(host->plan.environment.kept.at[i], name, size) == 0 &&
            host->plan.environment.kept.at[i][size] == '=')
            return host->plan.environment.kept.at[i] + size + 1;
    return NULL;
}

static void the_workspace_is_what_its_mode_says(void **state) {
    (void)state;
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        struct host host = in_mode((enum mode)mode);
        host_must_compile(&host);
        const struct mount *mount = host_mount(&host, "/home/u/src");
        assert_non_null(mount);
        assert_int_equal(mount->kind, MOUNT_TREE);
        assert_int_equal(mount->writable, mode != MODE_READONLY);
        assert_int_equal(mount->discard, mode == MODE_DISCARD);
        assert_int_equal(mount->view, mode == MODE_READONLY); /* below the scratch home */
        assert_int_equal(mount->rights, mode == MODE_READONLY ? RIGHTS_READ : RIGHTS_WRITE);
        assert_int_equal(mount->step, mode == MODE_DISCARD ? STEP_OVERLAY : STEP_MOUNTS);
        assert_true(mount->owned);
        assert_int_equal(host.plan.taken[STEP_OVERLAY], mode == MODE_DISCARD);
        assert_int_equal(host.plan.provided, G_ALL);
        assert_int_equal(plan_check(&host.plan, &host.err), 0);
        assert_string_equal(host.plan.current, "/home/u/src");
        host_free(&host);
    }
}

static void without_an_overlay_discard_is_refused_whatever_is_waived(void **state) {
    (void)state;
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        struct host host = in_mode((enum mode)mode);
        host.probe.missing[STEP_OVERLAY] = EPERM;
        host.policy.waived = G_ALL & ~G_NEVER_WAIVED;
        host_must_compile(&host);
        int refused = plan_check(&host.plan, &host.err);
        assert_int_equal(refused, mode == MODE_DISCARD ? -1 : 0);
        if (refused) {
            assert_int_equal(host.err.status, EXIT_REFUSED);
            assert_non_null(strstr(host.err.text, "EPERM"));
            assert_non_null(strstr(host.err.text, "--mode direct"));
            assert_null(strstr(host.err.text, "--waive"));
        }
        host_free(&host);
    }
}

static void mounts_below_refuse_discard_and_bind_readonly_plainly(void **state) {
    (void)state;
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        struct host host = in_mode((enum mode)mode);
        host.probe.workspace.has_mounts = true;
        assert_int_equal(host_compile(&host), mode == MODE_DISCARD ? -1 : 0);
        if (mode == MODE_DISCARD) {
            assert_int_equal(host.err.status, EXIT_REFUSED);
            assert_non_null(strstr(host.err.text, "mounted below"));
        } else {
            assert_false(host_mount(&host, "/home/u/src")->view);
        }
        host_free(&host);
    }
}

static void grants_in_the_workspace(void **state) {
    (void)state;
    static const struct {
        enum mode mode;
        enum access access;
        bool stands; /* has a mount of its own */
    } rows[] = {{MODE_DIRECT, ACCESS_WRITE, false},  {MODE_DISCARD, ACCESS_WRITE, true},
                {MODE_READONLY, ACCESS_WRITE, true}, {MODE_DIRECT, ACCESS_READ, false},
                {MODE_DISCARD, ACCESS_READ, false},  {MODE_READONLY, ACCESS_READ, false},
                {MODE_DISCARD, ACCESS_SOCKET, true}, {MODE_READONLY, ACCESS_SOCKET, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct host host = in_mode(rows[i].mode);
        mode_t type = rows[i].access == ACCESS_SOCKET ? S_IFSOCK | 0600 : S_IFDIR | 0755;
        host_grant(&host, rows[i].access, host_place("/home/u/src/in", type));
        HOST_ADD(&host, &host.probe.sockets, "/home/u/src/other.sock");
        host_must_compile(&host);
        assert_int_equal(host_mount(&host, "/home/u/src/in") != NULL, rows[i].stands);
        /* in an overlay a socket of the host is nobody's, and a cover would only keep it from being removed */
        assert_int_equal(host_mount(&host, "/home/u/src/other.sock") != NULL, rows[i].mode != MODE_DISCARD);
        if (rows[i].stands && rows[i].access == ACCESS_WRITE)
            assert_false(host_mount(&host, "/home/u/src/in")->discard);
        host_free(&host);
    }
}

static void a_writable_folder_can_t_hold_a_workspace_that_stays(void **state) {
    (void)state;
    static const char *const above[] = {"/srv/a/ws", "/srv/a", "/srv"};
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++)
        for (size_t i = 0; i < 3; i++) {
            struct host host = in_workspace((enum mode)mode, "/srv/a/ws");
            host_grant(&host, ACCESS_WRITE, host_folder(above[i]));
            int refused = roots_check(&host.policy, &host.probe, &host.err);
            assert_int_equal(refused, mode == MODE_DIRECT ? 0 : -1);
            if (refused) {
                assert_int_equal(host.err.status, EXIT_USAGE);
                assert_non_null(strstr(host.err.text, above[i]));
                assert_non_null(strstr(host.err.text, mode_name((enum mode)mode)));
            }
            host_free(&host);
        }
    struct host host = in_workspace(MODE_DISCARD, "/srv/a/ws");
    host_grant(&host, ACCESS_WRITE, host_folder("/srv/a/beside"));
    host_grant(&host, ACCESS_READ, host_folder("/srv/a"));
    host_must_compile(&host);
    assert_true(host_mount(&host, "/srv/a/ws")->discard);
    host_free(&host);
}

static void which_folders_may_be_a_workspace(void **state) {
    (void)state;
    static const struct {
        const char *path;
        bool direct, discard, readonly;
    } rows[] = {
        {"/srv/ws", true, true, true},        {"/", false, false, false},           {"/home/u", false, false, false},
        {"/home", false, false, false},       {"/usr", false, false, false},        {"/usr/local", false, false, true},
        {"/usr/share/x", false, false, true}, {"/usr/src/x", true, true, true},     {"/etc", false, false, false},
        {"/proc/1", false, false, false},     {"/dev/shm", false, false, false},    {"/sys/fs", false, false, false},
        {"/var", true, true, true},           {"/pinfold/build", false, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
            struct host host = in_workspace((enum mode)mode, rows[i].path);
            if (strncmp(rows[i].path, "/pinfold", 8) == 0)
                host.probe.executable = host_place("/pinfold/build/pinfold", S_IFREG | 0755);
            bool wanted = mode == MODE_DIRECT    ? rows[i].direct
                          : mode == MODE_DISCARD ? rows[i].discard
                                                 : rows[i].readonly;
            int refused = roots_check(&host.policy, &host.probe, &host.err);
            if (refused == (wanted ? -1 : 0))
                fail_msg("%s in mode %s: %s", rows[i].path, mode_name((enum mode)mode), host.err.text);
            if (refused)
                assert_int_equal(host.err.status, EXIT_USAGE);
            host_free(&host);
        }
}

static void variables_fit_the_mode(void **state) {
    (void)state;
    char *const caller[] = {(char *)"TMPDIR=/home/u/src/tmp", NULL};
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        struct host host = in_mode((enum mode)mode);
        host.probe.work_tree = host_folder("/srv/tree");
        host.probe.workspace = host.probe.current = host_folder("/srv/tree/ws");
        char *const in_ws[] = {(char *)"TMPDIR=/srv/tree/ws/tmp", NULL};
        assert_int_equal(compile_native(&host.arena, &host.policy, &host.probe, in_ws, &host.plan, &host.err), 0);
        assert_string_equal(variable(&host, "TMPDIR"), mode == MODE_READONLY ? "/tmp" : "/srv/tree/ws/tmp");
        /* git stops where the device number changes, unless told */
        assert_int_equal(variable(&host, "GIT_DISCOVERY_ACROSS_FILESYSTEM") != NULL, mode == MODE_DISCARD);
        host_free(&host);
    }
    struct host host = in_mode(MODE_READONLY);
    host_grant(&host, ACCESS_WRITE, host_folder("/home/u/src/tmp"));
    assert_int_equal(compile_native(&host.arena, &host.policy, &host.probe, caller, &host.plan, &host.err), 0);
    assert_string_equal(variable(&host, "TMPDIR"), "/home/u/src/tmp");
    host_free(&host);
}

static void explain_tells_the_mode(void **state) {
    (void)state;
    static const char *const words[] = {"mode direct: changes are made", "mode discard: changes are gone at the end",
                                        "mode readonly: nothing can be changed"};
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        struct host host = in_mode((enum mode)mode);
        char *text = NULL;
        size_t size;
        host_must_compile(&host);
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        assert_int_equal(describe_text(&host.plan, out), 0);
        fclose(out);
        assert_non_null(strstr(text, words[mode]));
        free(text);
        json_t *plan = describe_plan(&host.plan);
        assert_string_equal(json_string_value(json_object_get(plan, "mode")), mode_name((enum mode)mode));
        json_decref(plan);
        host_free(&host);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_workspace_is_what_its_mode_says),
        cmocka_unit_test(without_an_overlay_discard_is_refused_whatever_is_waived),
        cmocka_unit_test(mounts_below_refuse_discard_and_bind_readonly_plainly),
        cmocka_unit_test(grants_in_the_workspace),
        cmocka_unit_test(a_writable_folder_can_t_hold_a_workspace_that_stays),
        cmocka_unit_test(which_folders_may_be_a_workspace),
        cmocka_unit_test(variables_fit_the_mode),
        cmocka_unit_test(explain_tells_the_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
