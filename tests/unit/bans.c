/* Unit tests of plan/bans: by path, above and below, by object, and only for later layers. */
#include "plan/bans.h"
#include "host.h"

static void ban(struct host *host, enum ban_kind kind, struct place place, unsigned layer) {
    struct ban one = {.kind = kind, .value = place.path, .origin = "F:1:2: never", .layer = layer};
    HOST_ADD(host, &host->policy.bans, one);
    HOST_ADD(host, &host->probe.bans, place);
}

static void grant(struct host *host, enum access access, struct place place, unsigned layer) {
    host_grant(host, access, place);
    host->policy.grants.at[host->policy.grants.count - 1].layer = layer;
}

static int check(struct host *host) {
    host->err = (struct error){0};
    int result = bans_check(&host->policy, &host->probe, &host->err);
    if (result)
        assert_int_equal(host->err.status, EXIT_USAGE);
    host_free(host);
    return result;
}

static void paths(void **state) {
    (void)state;
    static const struct {
        const char *ban, *grant;
        int result;
    } cases[] = {{"/a/b", "/a/b", -1}, {"/a/b", "/a/b/c", -1}, {"/a/b", "/a", -1}, {"/a/b", "/a/bc", 0},
                 {"/a/b", "/a/c", 0},  {"/", "/a", -1},        {"/a/b/", "/x", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int access = ACCESS_READ; access <= ACCESS_WRITE; access++) {
            struct host host;
            host_user(&host);
            host.probe.workspace = host_folder(cases[i].ban[1] ? "/ws" : "/none");
            ban(&host, BAN_READ, host_folder(cases[i].ban), 1);
            grant(&host, (enum access)access, host_folder(cases[i].grant), 2);
            if (!cases[i].ban[1])
                host.policy.bans.at[0].layer = 2; /* the workspace comes later than anything, so look at the grant */
            int result = cases[i].ban[1] ? cases[i].result : -1;
            assert_int_equal(check(&host), result);
        }
}

static void only_later_layers(void **state) {
    (void)state;
    for (unsigned layer = 1; layer <= 3; layer++) {
        struct host host;
        host_user(&host);
        ban(&host, BAN_READ, host_folder("/a"), 2);
        grant(&host, ACCESS_READ, host_folder("/a"), layer);
        assert_int_equal(check(&host), layer > 2 ? -1 : 0);
    }
}

/* What other boxes keep is in no workspace and no writable root; a folder above it may be read, nothing in it. */
static void sessions(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int read, written;
    } cases[] = {{"/home/u/.local/state/pinfold", -1, -1},
                 {"/home/u/.local/state/pinfold/sessions/x/home", -1, -1},
                 {"/home/u/.local/state", 0, -1},
                 {"/home/u/.local/state/pinfolds", 0, 0},
                 {"/bound/state/pinfold/sessions/x", -1, -1},
                 {"/bound", 0, -1},
                 {"/home/u/.local/state/other", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int kind = 0; kind < 3; kind++) {
            struct host host;
            struct shown root = {"8:1", "/", "/"}, bound = {"8:1", "/home/u/.local", "/bound"};
            host_user(&host);
            HOST_ADD(&host, &host.probe.mounts, root);
            HOST_ADD(&host, &host.probe.mounts, bound);
            host.policy.state = "/home/u/.local/state/pinfold";
            if (kind == 2) {
                host.policy.mode = (struct setting){MODE_READONLY, "--mode"};
                host.probe.workspace = host_folder(cases[i].path);
            } else {
                grant(&host, kind ? ACCESS_WRITE : ACCESS_READ, host_folder(cases[i].path), 2);
            }
            int result = check(&host);
            if (result != (kind ? cases[i].written : cases[i].read))
                fail_msg("%s, %d: %d", cases[i].path, kind, result);
        }
}

static void a_session_needs_a_home(void **state) {
    (void)state;
    struct host host;
    host_user(&host);
    host.policy.session = "ci";
    host.policy.session_origin = "--session";
    assert_int_equal(check(&host), -1);
    host_user(&host);
    host.policy.session = "ci";
    host.policy.session_origin = "--session";
    host.policy.state = "/home/u/.local/state/pinfold";
    assert_int_equal(check(&host), 0);
}

static void kinds(void **state) {
    (void)state;
    static const struct {
        enum ban_kind ban;
        enum access access;
        int result;
    } cases[] = {{BAN_READ, ACCESS_SOCKET, 0},    {BAN_WRITE, ACCESS_READ, 0},  {BAN_WRITE, ACCESS_WRITE, -1},
                 {BAN_SOCKET, ACCESS_SOCKET, -1}, {BAN_SOCKET, ACCESS_READ, 0}, {BAN_VARIABLE, ACCESS_READ, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host host;
        host_user(&host);
        ban(&host, cases[i].ban, host_folder("/a"), 1);
        grant(&host, cases[i].access, host_folder("/a/b"), 2);
        assert_int_equal(check(&host), cases[i].result);
    }
}

static void the_same_object_by_another_path(void **state) {
    (void)state;
    struct host host;
    struct place banned = host_folder("/a"), other = banned;
    other.path = "/mnt/a";
    host_user(&host);
    ban(&host, BAN_READ, banned, 1);
    grant(&host, ACCESS_READ, other, 2);
    assert_int_equal(check(&host), -1);
}

static void the_workspace(void **state) {
    (void)state;
    static const struct {
        enum ban_kind ban;
        enum mode mode;
        int result;
    } cases[] = {{BAN_READ, MODE_DIRECT, -1},  {BAN_READ, MODE_READONLY, -1}, {BAN_WRITE, MODE_DIRECT, -1},
                 {BAN_WRITE, MODE_DISCARD, 0}, {BAN_WRITE, MODE_READONLY, 0}, {BAN_SOCKET, MODE_DIRECT, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host host;
        host_user(&host);
        host.policy.mode.value = cases[i].mode;
        ban(&host, cases[i].ban, host_folder("/home/u"), 9);
        assert_int_equal(check(&host), cases[i].result);
    }
}

static void bans_that_were_not_found(void **state) {
    (void)state;
    static const int errors[] = {ENOENT, ENOTDIR, EACCES, ELOOP, EIO, ENAMETOOLONG};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct host host;
        struct place place = {.path = "/gone", .error = errors[i]};
        host_user(&host);
        ban(&host, BAN_READ, place, 1);
        assert_int_equal(check(&host), i < 3 ? 0 : -1);
        host_user(&host);
        ban(&host, BAN_READ, place, 1);
        grant(&host, ACCESS_READ, host_folder("/gone/x"), 2);
        assert_int_equal(check(&host), -1);
    }
}

static void the_policy_itself(void **state) {
    (void)state;
    static const struct {
        const char *guard;
        enum access access;
        const char *grant;
        int result;
    } cases[] = {{"/p/x.json", ACCESS_WRITE, "/p", -1},
                 {"/p/x.json", ACCESS_WRITE, "/p/x.json", -1},
                 {"/p/x.json", ACCESS_READ, "/p", 0},
                 {"/p/x.json", ACCESS_WRITE, "/p/y", 0},
                 {"/c/pinfold", ACCESS_WRITE, "/c/pinfold/trust.json", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host host;
        host_user(&host);
        HOST_ADD(&host, &host.policy.guards, cases[i].guard);
        grant(&host, cases[i].access, host_folder(cases[i].grant), 2);
        assert_int_equal(check(&host), cases[i].result);
    }
    for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        struct host host;
        host_user(&host);
        host.policy.mode.value = (uint64_t)mode;
        HOST_ADD(&host, &host.policy.guards, "/home/u/src/p.json");
        assert_int_equal(check(&host), mode == MODE_DIRECT ? -1 : 0);
    }
}

static void reading_at_all(void **state) {
    (void)state;
    struct host host;
    struct place place = host_folder("/t");
    host_user(&host);
    assert_null(bans_on_reading(&host.policy, &host.probe, &place));
    ban(&host, BAN_WRITE, host_folder("/t"), 1);
    assert_null(bans_on_reading(&host.policy, &host.probe, &place));
    ban(&host, BAN_READ, host_folder("/t/secret"), 1);
    assert_non_null(bans_on_reading(&host.policy, &host.probe, &place));
    host_free(&host);
    host_user(&host);
    ban(&host, BAN_READ, (struct place){0}, 1);
    assert_non_null(bans_on_reading(&host.policy, &host.probe, &place));
    host_free(&host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(only_later_layers),
        cmocka_unit_test(kinds),
        cmocka_unit_test(sessions),
        cmocka_unit_test(a_session_needs_a_home),
        cmocka_unit_test(the_same_object_by_another_path),
        cmocka_unit_test(the_workspace),
        cmocka_unit_test(bans_that_were_not_found),
        cmocka_unit_test(the_policy_itself),
        cmocka_unit_test(reading_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
