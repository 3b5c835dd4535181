/* Unit tests of plan/names: what is shown where, by bind mounts and by file systems that are mounted twice. */
#include "plan/names.h"
#include "host.h"

static void see(struct host *host, const char *device, const char *root, const char *point) {
    struct shown mount = {device, root, point};
    HOST_ADD(host, &host->probe.mounts, mount);
}

/* / and, on another disk, /home, which is shown once more; a part of it at /srv/in/keys; the root at /mnt. */
static struct host host_with_mounts(void) {
    struct host host;
    host_user(&host);
    see(&host, "8:1", "/", "/");
    see(&host, "8:2", "/@home", "/home");
    see(&host, "8:2", "/", "/data");
    see(&host, "8:2", "/@home/u/.config", "/srv/in/keys");
    see(&host, "8:1", "/", "/mnt");
    see(&host, "8:3", "/", "/data/other");
    return host;
}

static void shown(void **state) {
    (void)state;
    static const struct {
        const char *top, *path;
        bool shown;
    } cases[] = {{"/data", "/home/u", true},
                 {"/data/@home/u", "/home/u", true},
                 {"/data/@home/u", "/home/u/x/absent", true},
                 {"/data/@home/u/x", "/home/u", false},
                 {"/data/@home/v", "/home/u", false},
                 {"/data/home/u", "/home/u", false},
                 {"/data/other", "/home/u", false},
                 {"/home/u", "/data/@home/u/f", true},
                 {"/home", "/data/@home", true},
                 {"/home", "/data/@homes", false},
                 {"/srv", "/home/u/.config/pinfold", true},
                 {"/srv/in/keys", "/home/u/.config/pinfold", true},
                 {"/srv/in/keys/pinfold", "/home/u/.config/pinfold", true},
                 {"/srv/in/keys/x", "/home/u/.config/pinfold", false},
                 {"/srv", "/home/u/.ssh", false},
                 {"/mnt/etc", "/etc/pinfold", true},
                 {"/mnt", "/", true},
                 {"/", "/anything", true},
                 {"/mnt/home", "/home/u", false}, /* below the mount point is another disk */
                 {"/etc", "/mnt/etc/x", true}};
    struct host host = host_with_mounts();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (names_show(&host.probe.mounts, cases[i].top, cases[i].path) != cases[i].shown)
            fail_msg("%s in %s: not %d", cases[i].path, cases[i].top, cases[i].shown);
    assert_true(names_meet(&host.probe.mounts, "/home/u", "/data/@home/u/f"));
    assert_true(names_meet(&host.probe.mounts, "/data/@home/u/f", "/home/u"));
    assert_false(names_meet(&host.probe.mounts, "/data/other", "/home/u"));
    host_free(&host);
}

static void without_a_table(void **state) {
    (void)state;
    struct host host;
    host_user(&host);
    assert_true(names_show(&host.probe.mounts, "/a", "/a/b"));
    assert_false(names_show(&host.probe.mounts, "/a", "/b"));
    host_free(&host);
}

/* Each name once more: what lies on /home is below /data too; and what is mounted there shows a part of it. */
static void listed(void **state) {
    (void)state;
    struct host host = host_with_mounts();
    text_list names = {0}, parts = {0};
    assert_int_equal(names_list(&host.arena, &host.probe.mounts, "/home/u/.config/pinfold", &names), 0);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.at[0], "/home/u/.config/pinfold");
    assert_string_equal(names.at[1], "/data/@home/u/.config/pinfold");
    assert_string_equal(names.at[2], "/srv/in/keys/pinfold");
    assert_int_equal(names_parts(&host.arena, &host.probe.mounts, "/home/u", &parts), 0);
    assert_int_equal(parts.count, 1);
    assert_string_equal(parts.at[0], "/srv/in/keys");
    parts.count = 0;
    assert_int_equal(names_parts(&host.arena, &host.probe.mounts, "/home/u/.config", &parts), 0);
    assert_int_equal(parts.count, 0); /* the whole of it, which is a name */
    host_free(&host);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shown), cmocka_unit_test(listed),
                                       cmocka_unit_test(without_a_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
