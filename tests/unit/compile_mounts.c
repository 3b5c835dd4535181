/* Unit tests of linux/compile_mounts: order, covers, what is left out, and that nothing is created in a tree of the
 * host; each rule also over some thousand random hosts (the seed is printed when one fails). */
#include "mount_rules.h"

#include "plan/roots.h"

static void hosts_keep_the_invariants(void **state) {
    (void)state;
    void (*const hosts[])(struct host *) = {host_user, host_root, host_root_kept};
    for (size_t i = 0; i < 3; i++) {
        struct host host;
        hosts[i](&host);
        host_must_compile(&host);
        check_mounts(&host);
        assert_false(on_host(&host, host.plan.home));
        assert_false(on_host(&host, "/var/lib"));
        assert_false(writable_at(&host, "/usr"));
        assert_false(writable_at(&host, "/etc/passwd"));
        host_free(&host);
    }
}

static unsigned draw(unsigned *random, unsigned count) {
    *random = *random * 1103515245U + 12345U;
    return (*random >> 16) % count;
}

static unsigned last_seed; /* of the host that is looked at; 0: all were as they must be */

static int tell_seed(void **state) {
    (void)state;
    if (last_seed)
        printf("# failed with seed %u\n", last_seed);
    return 0;
}

/* What grants, homes and sockets are drawn from: folders that lie in and around one another. */
static const char *const folders[] = {
    "/home/u/src", "/home/u/src/a", "/home/u/src/a/b", "/home/u/lib", "/home/v",      "/home/v/x",   "/tmp/w",
    "/tmp/w/x",    "/srv",          "/srv/data",       "/srv/data/x", "/var/cache/x", "/run/user/5", "/opt/x",
    "/usr/share",  "/home/u/src-b", "/var/tmp/w",      "/data",       "/data/home",   "/mnt/a",      "/mnt/a/b/c",
    "/run",        "/run/home",     "/run/home/ws",    "/tmp/home/x"};
static const char *const homes[] = {"/home/u",   "/root",      "/",      "/nonexistent",
                                    "/srv/home", "/data/home", "/tmp/h", "/usr/none"};
enum { FOLDERS = sizeof folders / sizeof folders[0], HOMES = sizeof homes / sizeof homes[0], ROUNDS = 10000 };

static const char *draw_folder(unsigned *random) {
    return folders[draw(random, FOLDERS)];
}

/* Folders, with mounts below or not, and files. */
static void draw_grants(struct host *host, unsigned *random) {
    for (unsigned n = draw(random, 5); n > 0; n--) {
        struct place place = host_folder(draw_folder(random));
        if (draw(random, 5) == 0)
            place = host_place(arena_printf(&host->arena, "%s/file", place.path), S_IFREG | 0644);
        place.has_mounts = draw(random, 4) == 0;
        host_grant(host, (enum access)draw(random, 2), place);
    }
}

static void draw_sockets(struct host *host, unsigned *random) {
    for (unsigned n = draw(random, 4); n > 0; n--) {
        const char *path = arena_printf(&host->arena, "%s/s.sock", draw_folder(random));
        HOST_ADD(host, &host->probe.sockets, path);
        if (draw(random, 3) == 0)
            host_grant(host, ACCESS_SOCKET, host_place(path, S_IFSOCK | 0666));
    }
}

/* The folder above the workspace may be a work tree, and where a folder stands there may be a link to another. */
static void draw_surroundings(struct host *host, unsigned *random) {
    const char *workspace = host->probe.workspace.path, *slash = strrchr(workspace, '/');
    if (draw(random, 3) == 0 && slash != workspace)
        host->probe.work_tree = host_folder(arena_copy_bytes(&host->arena, workspace, (size_t)(slash - workspace)));
    for (unsigned n = draw(random, 3); n > 0; n--) {
        const char *path = arena_printf(&host->arena, "%s-link", draw_folder(random));
        HOST_ADD(host, &host->probe.links, ((struct link){path, draw_folder(random)}));
    }
}

/* Random hosts. */
static void random_hosts_keep_the_invariants(void **state) {
    (void)state;
    size_t compiled = 0;
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        struct host host;
        unsigned random = seed * 2654435761U;
        last_seed = seed;
        (draw(&random, 3) ? host_user : draw(&random, 2) ? host_root : host_root_kept)(&host);
        host.policy.mode = (struct setting){draw(&random, MODE_READONLY + 1), "--mode"};
        host.probe.home =
            draw(&random, 4) ? host_folder(homes[draw(&random, HOMES)]) : host_absent(homes[draw(&random, HOMES)]);
        host.probe.account_home = (struct place){0};
        host.probe.workspace = host.probe.current = host_folder(draw_folder(&random));
        draw_grants(&host, &random);
        draw_sockets(&host, &random);
        draw_surroundings(&host, &random);
        if (draw(&random, 3))
            host.policy.state = draw(&random, 2) ? "/home/u/.local/state/pinfold" : "/data/home/state";
        if (host.policy.state && draw(&random, 2)) {
            host.policy.session = "s";
            host.policy.session_origin = "--session";
        }
        if (!host_compile(&host)) {
            check_mounts(&host);
            compiled++;
        } else {
            assert_int_equal(host.err.status, EXIT_USAGE);
        }
        host_free(&host);
    }
    last_seed = 0;
    assert_true(compiled > ROUNDS / 4);
}

static void the_workspace_survives_the_covers_of_home_and_tmp(void **state) {
    (void)state;
    static const char *const places[] = {"/home/u/src", "/tmp/w", "/var/tmp/w", "/run/user/1000/w", "/tmp/a/b/c"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct host host;
        host_user(&host);
        host.probe.workspace = host.probe.current = host_folder(places[i]);
        host_must_compile(&host);
        check_mounts(&host);
        const struct mount *mount = host_mount(&host, places[i]);
        assert_non_null(mount);
        assert_int_equal(mount->kind, MOUNT_TREE);
        assert_true(mount->create);
        assert_int_equal(mount->dev, host.probe.workspace.dev);
        assert_int_equal(mount->ino, host.probe.workspace.ino);
        host_free(&host);
    }
}

static void a_session_stands_where_scratch_folders_would(void **state) {
    static const char *const kept[] = {"/home/u", "/tmp", "/var/tmp"}, *const names[] = {"home", "tmp", "var-tmp"};
    struct host *host = *state;
    char name[SESSION_NAME_ROOM];
    host->policy.session = "ci";
    host->policy.session_origin = "--session";
    host->policy.state = "/home/u/.local/state/pinfold";
    session_name("ci", host->probe.workspace.path, name);
    for (int i = 0; i < SESSION_FOLDERS; i++)
        host->probe.session[i] = (struct place){.dev = 7, .ino = 100 + (ino_t)i};
    host_grant(host, ACCESS_READ, host_folder("/home/u/.cargo"));
    host_must_compile(host);
    check_mounts(host);
    for (int i = 0; i < SESSION_FOLDERS; i++) {
        const struct mount *mount = host_mount(host, kept[i]);
        assert_non_null(mount);
        assert_true(mount->session && mount->writable && mount->rights == RIGHTS_WRITE && mount->dev == 7);
        assert_int_equal(mount->ino, 100 + i);
        assert_string_equal(mount->source,
                            arena_printf(&host->arena, "%s/sessions/%s/%s", host->policy.state, name, names[i]));
    }
    assert_int_equal(host_mount(host, "/run")->kind, MOUNT_SCRATCH);
    assert_int_equal(host_mount(host, "/dev/shm")->kind, MOUNT_SCRATCH);
    const struct mount *cargo = host_mount(host, "/home/u/.cargo");
    assert_true(cargo->in_session && cargo->view && !cargo->writable);
    assert_true(host_mount(host, "/home/u/src")->in_session);
}

static void a_granted_home_is_not_kept(void **state) {
    struct host *host = *state;
    host->policy.session = "ci";
    host->policy.session_origin = "--session";
    host->policy.state = "/home/u/.local/state/pinfold";
    host_grant(host, ACCESS_READ, host_folder("/home/u"));
    host_must_compile(host);
    check_mounts(host);
    assert_false(host_mount(host, "/home/u")->session);
    assert_true(host_mount(host, "/tmp")->session);
    assert_int_equal(host_mount(host, host->policy.state)->kind, MOUNT_EMPTY);
}

static void grants_that_add_nothing_are_left_out(void **state) {
    struct host *host = *state;
    host_grant(host, ACCESS_READ, host_folder("/home/u/src/sub"));
    host_grant(host, ACCESS_WRITE, host_folder("/home/u/src/sub"));
    host_grant(host, ACCESS_READ, host_folder("/usr/share"));
    host_grant(host, ACCESS_READ, host_folder("/srv/a/b"));
    host_grant(host, ACCESS_READ, host_folder("/srv/a"));
    host_grant(host, ACCESS_READ, host_folder("/home/u/src"));
    host_must_compile(host);
    check_mounts(host);
    assert_null(host_mount(host, "/home/u/src/sub"));
    assert_null(host_mount(host, "/usr/share"));
    assert_null(host_mount(host, "/srv/a/b"));
    assert_non_null(host_mount(host, "/srv/a"));
    assert_true(host_mount(host, "/home/u/src")->writable);
}

static void a_writable_grant_in_a_readable_one_stays(void **state) {
    struct host *host = *state;
    host_grant(host, ACCESS_READ, host_folder("/srv/a"));
    host_grant(host, ACCESS_WRITE, host_folder("/srv/a/out"));
    host_must_compile(host);
    check_mounts(host);
    assert_false(host_mount(host, "/srv/a")->writable);
    assert_true(host_mount(host, "/srv/a/out")->writable);
    assert_false(host_mount(host, "/srv/a/out")->create);
}

static void the_work_tree_around_is_read_only(void **state) {
    struct host *host = *state;
    host->probe.work_tree = host_folder("/home/u/src");
    host->probe.workspace = host->probe.current = host_folder("/home/u/src/part");
    host_must_compile(host);
    check_mounts(host);
    assert_false(writable_at(host, "/home/u/src/other"));
    assert_true(on_host(host, "/home/u/src/other"));
    assert_true(writable_at(host, "/home/u/src/part/x"));
}

static void sockets_under_granted_roots_are_covered(void **state) {
    struct host *host = *state;
    HOST_ADD(host, &host->probe.sockets, "/home/u/src/agent.sock");
    HOST_ADD(host, &host->probe.sockets, "/home/u/src/open.sock");
    HOST_ADD(host, &host->probe.sockets, "/run/docker.sock");
    host_grant(host, ACCESS_SOCKET, host_place("/home/u/src/open.sock", S_IFSOCK | 0666));
    host_grant(host, ACCESS_SOCKET, host_place("/run/db.sock", S_IFSOCK | 0666));
    host_must_compile(host);
    check_mounts(host);
    const struct mount *cover = host_mount(host, "/home/u/src/agent.sock");
    assert_int_equal(cover->kind, MOUNT_EMPTY);
    assert_int_equal(cover->step, STEP_SOCKETS);
    assert_false(cover->create);
    assert_int_equal(host_mount(host, "/home/u/src/open.sock")->rights, RIGHTS_SOCKET);
    assert_null(host_mount(host, "/run/docker.sock")); /* /run is the box's own: there is nothing to cover */
    assert_true(host_mount(host, "/run/db.sock")->create);
}

static void private_files_are_covered_when_root_is_kept(void **state) {
    (void)state;
    struct host host;
    host_root_kept(&host);
    host_must_compile(&host);
    check_mounts(&host);
    assert_int_equal(host_mount(&host, "/etc/shadow")->kind, MOUNT_EMPTY);
    assert_false(host_mount(&host, "/etc/shadow")->folder);
    assert_true(host_mount(&host, "/etc/ssl/private")->folder);
    host_free(&host);
}

static void a_home_that_is_missing_in_a_granted_tree_moves(void **state) {
    struct host *host = *state;
    host->probe.home = host_absent("/srv/home");
    host->probe.account_home = (struct place){0};
    host->probe.workspace = host->probe.current = host_folder("/ws");
    host_grant(host, ACCESS_READ, host_folder("/srv"));
    host_must_compile(host);
    check_mounts(host);
    assert_string_equal(host->plan.home, "/run/home");
    assert_non_null(host_mount(host, "/run/home"));
    assert_null(host_mount(host, "/srv/home"));
}

/* `--read /run`: the box's fall-back home can't be made in the host's /run. */
static void a_home_is_never_created_in_a_granted_run(void **state) {
    struct host *host = *state;
    host->probe.home = host_folder("/");
    host->probe.account_home = (struct place){0};
    host->probe.workspace = host->probe.current = host_folder("/ws");
    host_grant(host, ACCESS_READ, host_folder("/run"));
    if (!host_compile(host)) {
        check_mounts(host);
        const struct mount *home = host_mount(host, host->plan.home);
        assert_non_null(home);
        assert_true(home->create); /* else there is no folder to mount on: the launch would fail */
    }
}

/* A place that a grant or the workspace needs is no place for the home, whichever is made later. */
static void a_home_that_moves_covers_nothing(void **state) {
    struct host *host = *state;
    static const char *const grants[] = {"/run/home/a", "/tmp/home", "/var/tmp/home/b/c", "/pinfold-home"};
    static const char *const places[] = {"/tmp/home", "/var/tmp/home", "/pinfold-home", NULL};
    host->probe.home = host_absent("/srv/home");
    host->probe.account_home = (struct place){0};
    host->probe.workspace = host->probe.current = host_folder("/ws");
    host_grant(host, ACCESS_READ, host_folder("/srv"));
    for (size_t i = 0; i < 4; i++) {
        host_grant(host, i % 2 ? ACCESS_READ : ACCESS_WRITE, host_folder(grants[i]));
        if (!places[i])
            break;
        host_must_compile(host);
        check_mounts(host);
        assert_string_equal(host->plan.home, places[i]);
    }
    assert_int_equal(host_compile(host), -1);
    assert_int_equal(host->err.status, EXIT_USAGE);
    assert_non_null(strstr(host->err.text, "set HOME to a folder that exists"));
}

static void a_granted_home_is_not_covered(void **state) {
    struct host *host = *state;
    host_grant(host, ACCESS_READ, host_folder("/home/u"));
    for (int around = 0; around <= 1; around++) {
        if (around)
            host_grant(host, ACCESS_READ, host_folder("/home"));
        host_must_compile(host);
        check_mounts(host);
        assert_true(on_host(host, "/home/u"));
        assert_false(writable_at(host, "/home/u/.profile"));
        assert_true(writable_at(host, "/home/u/src"));
        assert_string_equal(host->plan.home, "/home/u");
    }
}

static void links_of_the_host_are_made_but_not_in_its_trees(void **state) {
    struct host *host = *state;
    HOST_ADD(host, &host->probe.links, ((struct link){"/home/u/src/link", "target"}));
    HOST_ADD(host, &host->probe.links, ((struct link){"/home/u/to-src", "src"}));
    HOST_ADD(host, &host->probe.links, ((struct link){"/bin", "usr/bin"}));
    host_must_compile(host);
    check_mounts(host);
    assert_null(host_mount(host, "/home/u/src/link"));
    assert_string_equal(host_mount(host, "/home/u/to-src")->source, "src");
    assert_string_equal(host_mount(host, "/bin")->source, "usr/bin");
    assert_string_equal(host_mount(host, "/var/run")->source, "/run");
}

static void proc_and_dev_are_the_boxs_own(void **state) {
    (void)state;
    static const char *const nodes[] = {"/dev/full", "/dev/null",   "/dev/random", "/dev/tty",   "/dev/urandom",
                                        "/dev/zero", "/dev/mqueue", "/dev/fd",     "/dev/ptmx",  "/dev/pts",
                                        "/dev/shm",  "/dev/stderr", "/dev/stdin",  "/dev/stdout"};
    /* what everybody may open; the rest is the host root's, who isn't mapped (root kept: see that test) */
    static const char *const covered[] = {"/proc/keys", "/proc/key-users"};
    static const char *const fixed[] = {"/proc/sys", "/proc/pressure"};
    struct host host;
    size_t devices = 0;
    host_user(&host);
    host_must_compile(&host);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        assert_non_null(host_mount(&host, nodes[i]));
    for (size_t i = 0; i < host.plan.mounts.count; i++)
        devices += path_is_under(host.plan.mounts.at[i].target, "/dev");
    assert_int_equal(devices, sizeof nodes / sizeof nodes[0]);
    assert_int_equal(host_mount(&host, "/proc")->kind, MOUNT_PROC);
    for (size_t i = 0; i < sizeof covered / sizeof covered[0]; i++)
        assert_int_equal(host_mount(&host, covered[i])->kind, MOUNT_EMPTY);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        assert_int_equal(host_mount(&host, fixed[i])->kind, MOUNT_READONLY);
    host_free(&host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_keep_the_invariants),
        cmocka_unit_test_teardown(random_hosts_keep_the_invariants, tell_seed),
        cmocka_unit_test(the_workspace_survives_the_covers_of_home_and_tmp),
        HOST_TEST(a_session_stands_where_scratch_folders_would),
        HOST_TEST(a_granted_home_is_not_kept),
        HOST_TEST(grants_that_add_nothing_are_left_out),
        HOST_TEST(a_writable_grant_in_a_readable_one_stays),
        HOST_TEST(the_work_tree_around_is_read_only),
        HOST_TEST(sockets_under_granted_roots_are_covered),
        cmocka_unit_test(private_files_are_covered_when_root_is_kept),
        HOST_TEST(a_home_that_is_missing_in_a_granted_tree_moves),
        HOST_TEST(a_home_is_never_created_in_a_granted_run),
        HOST_TEST(a_home_that_moves_covers_nothing),
        HOST_TEST(a_granted_home_is_not_covered),
        HOST_TEST(links_of_the_host_are_made_but_not_in_its_trees),
        cmocka_unit_test(proc_and_dev_are_the_boxs_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
