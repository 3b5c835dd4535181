/* Unit tests of what must not be read: which policies contradict it (plan/secrets), which mounts hold it
 * (compile_secrets), for hosts that we don't own; and the lists of the floor. */
#include "plan/secrets.h"
#include "host.h"

#include "base/path.h"
#include "plan/floor.h"

static void secret(struct host *host, const char *path, mode_t mode, const char *origin) {
    struct secret one = {.path = path, .origin = origin, .mode = mode, .links = 1, .dev = 7, .ino = 9000};
    one.ino += (ino_t)host->probe.secrets.count;
    HOST_ADD(host, &host->probe.secrets, one);
}

static const struct mount *mount_at(const struct host *host, const char *path) {
    for (size_t i = 0; i < host->plan.mounts.count; i++)
        if (strcmp(host->plan.mounts.at[i].target, path) == 0)
            return &host->plan.mounts.at[i];
    return NULL;
}

/* Compiled with one root, a folder granted in this way: how one secret is held, -1 refused. */
static int state_of(enum access access, const char *root, const char *path, mode_t mode, uint32_t waived, int missing) {
    struct host host;
    host_user(&host);
    host_grant(&host, access, host_folder(root));
    secret(&host, path, mode, NULL);
    host.policy.waived = waived;
    host.probe.missing[STEP_SECRETS] = missing;
    int state = host_compile(&host) ? -1 : (int)host.plan.secrets.at[0];
    if (state >= 0)
        assert_int_equal(!(host.plan.provided & G(FS_SECRET)), state == SECRET_OPEN || missing);
    host_free(&host);
    return state;
}

static void one_root(void **state) {
    (void)state;
    const mode_t file = S_IFREG | 0600, folder = S_IFDIR | 0700, link = S_IFLNK | 0777;
    static const char root[] = "/home/u/r", path[] = "/home/u/r/x/s";
    assert_int_equal(state_of(ACCESS_READ, root, path, file, 0, 0), SECRET_HIDDEN);
    assert_int_equal(state_of(ACCESS_READ, root, path, folder, 0, 0), SECRET_HIDDEN);
    assert_int_equal(state_of(ACCESS_READ, root, path, 0, 0, 0), SECRET_HIDDEN);
    assert_int_equal(state_of(ACCESS_READ, root, path, link, 0, 0), SECRET_HIDDEN);
    assert_int_equal(state_of(ACCESS_READ, root, "/home/u/s", file, 0, 0), SECRET_AWAY);
    assert_int_equal(state_of(ACCESS_READ, root, "/home/u/rx", file, 0, 0), SECRET_AWAY);
    assert_int_equal(state_of(ACCESS_WRITE, root, path, folder, 0, 0), SECRET_COVERED);
    assert_int_equal(state_of(ACCESS_WRITE, root, path, file, 0, 0), -1);
    assert_int_equal(state_of(ACCESS_WRITE, root, path, 0, 0, 0), -1);
    assert_int_equal(state_of(ACCESS_WRITE, root, path, link, 0, 0), -1);
    assert_int_equal(state_of(ACCESS_WRITE, root, path, file, G(FS_SECRET), 0), SECRET_OPEN);
    assert_int_equal(state_of(ACCESS_READ, root, path, file, 0, EPERM), SECRET_OPEN); /* refused by plan_check */
    assert_int_equal(state_of(ACCESS_READ, root, path, folder, 0, EPERM), SECRET_COVERED);
    assert_int_equal(state_of(ACCESS_READ, root, root, folder, 0, 0), -1);
    assert_int_equal(state_of(ACCESS_READ, "/home/u/s/in", "/home/u/s", folder, 0, 0), -1);
    assert_int_equal(state_of(ACCESS_READ, "/home/u/s/in", "/home/u/s", folder, G(FS_SECRET), 0), SECRET_OPEN);
    assert_int_equal(state_of(ACCESS_READ, root, "/etc/secret", file, 0, 0), SECRET_HIDDEN);
    assert_int_equal(state_of(ACCESS_READ, root, "/etc/secret", folder, 0, 0), SECRET_COVERED);
}

/* In the order of paths, each folder once, without what lies in another. */
static void names_of_a_root(void **state) {
    (void)state;
    struct host host;
    host_user(&host);
    host_grant(&host, ACCESS_READ, host_folder("/srv/d"));
    secret(&host, "/srv/d/b/c", S_IFREG, "--deny");
    secret(&host, "/srv/d/b.x", 0, "--deny");
    secret(&host, "/srv/d/b", S_IFDIR, "--deny");
    secret(&host, "/srv/d/a", S_IFREG, "--deny");
    secret(&host, "/srv/d/a", S_IFREG, "F:1:1: deny");
    host_must_compile(&host);
    const struct mount *mount = mount_at(&host, "/srv/d");
    static const char *const names[] = {"a", "b", "b.x"};
    assert_int_equal(mount->hidden.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(mount->hidden.at[i], names[i]);
    for (size_t i = 0; i < host.plan.secrets.count; i++)
        assert_int_equal(host.plan.secrets.at[i], SECRET_HIDDEN);
    assert_non_null(plan_denies(&host.plan, "/srv/d/b/c/d"));
    assert_null(plan_denies(&host.plan, "/srv/d/bc"));
    host_free(&host);
}

/* The deepest root decides: a workspace in a granted folder is no part of its overlay. */
static void a_root_in_a_root(void **state) {
    (void)state;
    struct host host;
    host_user(&host);
    host_grant(&host, ACCESS_READ, host_folder("/home"));
    secret(&host, "/home/u/src/keys", S_IFDIR, "--deny");
    secret(&host, "/home/u/.ssh", S_IFDIR, NULL);
    host_must_compile(&host);
    assert_int_equal(host.plan.secrets.at[0], SECRET_COVERED);
    assert_int_equal(mount_at(&host, "/home/u/src/keys")->kind, MOUNT_EMPTY);
    secret(&host, "/home/u/src", S_IFDIR, "--deny");
    assert_int_equal(host_compile(&host), -1);
    host_free(&host);
}

static void the_current_folder(void **state) {
    (void)state;
    struct host host;
    host_user(&host);
    host.probe.current = host_folder("/home/u/src/keys/in");
    secret(&host, "/home/u/src/keys", S_IFDIR, "--deny");
    assert_int_equal(host_compile(&host), -1);
    assert_int_equal(host.err.status, EXIT_USAGE);
    assert_non_null(strstr(host.err.text, "is denied (--deny)"));
    host_free(&host);
}

/* What its mode closes to the box needs nothing, but where root is kept. */
static void closed_to_others(void **state) {
    (void)state;
    void (*const hosts[])(struct host *) = {host_root, host_root_kept};
    for (size_t i = 0; i < 2; i++) {
        struct host host;
        hosts[i](&host);
        secret(&host, "/etc/shadow", S_IFREG | 0640, NULL);
        host.probe.secrets.at[0].closed = true;
        host.policy.waived = i ? G(PRIVILEGE) : 0;
        host_must_compile(&host);
        assert_int_equal(host.plan.secrets.at[0], i ? SECRET_HIDDEN : SECRET_AWAY);
        host_free(&host);
    }
}

static void hard_links(void **state) {
    (void)state;
    static const struct {
        nlink_t links;
        dev_t dev;
        mode_t mode;
        bool closed;
        int result;
    } cases[] = {{1, 7, S_IFREG, false, 0}, {2, 7, S_IFREG, false, -1}, {2, 8, S_IFREG, false, 0},
                 {2, 7, S_IFDIR, false, 0}, {2, 7, S_IFREG, true, 0},   {9, 7, S_IFLNK, false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host host;
        host_user(&host);
        secret(&host, "/home/u/.netrc", cases[i].mode, NULL);
        host.probe.secrets.at[0].links = cases[i].links;
        host.probe.secrets.at[0].dev = cases[i].dev;
        host.probe.secrets.at[0].closed = cases[i].closed;
        assert_int_equal(secrets_check(&host.policy, &host.probe, &host.err), cases[i].result);
        host_free(&host);
    }
}

static void what_every_box_has(void **state) {
    (void)state;
    static const char *const paths[] = {"/etc", "/usr", "/", "/home/u"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct host host;
        host_user(&host);
        secret(&host, paths[i], S_IFDIR, "--deny");
        assert_int_equal(host_compile(&host), -1);
        assert_int_equal(host.err.status, EXIT_USAGE);
        host_free(&host);
    }
}

/* Lines of the floor are paths without tricks, once each, and lists are no longer than who lists a home expects. */
static void floor_lists(void **state) {
    (void)state;
    for (size_t i = 0; floor_system[i]; i++)
        assert_true(path_is_canonical(floor_system[i]) && path_is_under(floor_system[i], "/etc"));
    for (const struct floor_folder *folder = floor_home; folder->path; folder++)
        for (size_t i = 0; folder->names[i]; i++) {
            char path[256];
            snprintf(path, sizeof path, "/%s", folder->names[i]);
            assert_true(path_is_canonical(path) && strlen(folder->names[i]) > 1 && i < 128);
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(folder->names[i], folder->names[j]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_root),           cmocka_unit_test(names_of_a_root),
                                       cmocka_unit_test(a_root_in_a_root),   cmocka_unit_test(the_current_folder),
                                       cmocka_unit_test(closed_to_others),   cmocka_unit_test(hard_links),
                                       cmocka_unit_test(what_every_box_has), cmocka_unit_test(floor_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
