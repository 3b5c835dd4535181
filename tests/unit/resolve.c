/* Unit tests of linux/resolve: what a path means here, compared with realpath where both have an answer. */
#include "linux/resolve.h"
#include "folder.h"

struct scene {
    struct arena arena;
    struct place place;
    link_list links;
};

static struct scene scene;

static int set_up(void **state) {
    scene = (struct scene){.place = {.error = 99}};
    return folder_make(state);
}

static int tear_down(void **state) {
    arena_free(&scene.arena);
    return folder_remove(state);
}

static void look(const char *path) {
    assert_int_equal(resolve(&scene.arena, folder_path, path, &scene.place, &scene.links), 0);
}

static void found(const char *path, const char *wanted) {
    struct stat status;
    look(path);
    assert_int_equal(scene.place.error, 0);
    assert_string_equal(scene.place.path, wanted);
    assert_int_equal(lstat(wanted, &status), 0);
    assert_int_equal(scene.place.dev, status.st_dev);
    assert_int_equal(scene.place.ino, status.st_ino);
    assert_int_equal(scene.place.mode, status.st_mode);
}

static void lost(const char *path, int error, const char *wanted) {
    look(path);
    assert_int_equal(scene.place.error, error);
    assert_string_equal(scene.place.path, wanted);
}

static void plain_paths(void **state) {
    (void)state;
    folder_dir("a");
    folder_dir("a/b");
    folder_file("a/b/f");
    found("/", "/");
    found("//", "/");
    found("/..", "/");
    found("/../../tmp/..", "/");
    found(folder_path, folder_path);
    found(".", folder_path);
    found("./a//b/.", folder_in("a/b"));
    found("a/../a/b/..", folder_in("a"));
    found("a/b/f", folder_in("a/b/f"));
    found(folder_in("a/./b/../b/f"), folder_in("a/b/f"));
    assert_int_equal(scene.links.count, 0);
}

static void links_are_followed_and_recorded(void **state) {
    (void)state;
    folder_dir("a");
    folder_dir("a/b");
    folder_file("a/b/f");
    folder_link("one", "a");
    folder_link("a/two", "b/f");
    folder_link("abs", folder_in("one/two"));
    folder_link("up", "a/b/..");
    found("one", folder_in("a"));
    assert_int_equal(scene.links.count, 1);
    assert_string_equal(scene.links.at[0].path, folder_in("one"));
    assert_string_equal(scene.links.at[0].target, "a");
    scene.links.count = 0;
    found("abs", folder_in("a/b/f"));
    assert_int_equal(scene.links.count, 3);
    assert_string_equal(scene.links.at[0].path, folder_in("abs"));
    assert_string_equal(scene.links.at[1].path, folder_in("one"));
    assert_string_equal(scene.links.at[2].path, folder_in("a/two"));
    found("up/b/../two", folder_in("a/b/f"));
    found("one/..", folder_path); /* the parent of what the link means */
    assert_int_equal(resolve(&scene.arena, folder_path, "one", &scene.place, NULL), 0);
    assert_string_equal(scene.place.path, folder_in("a"));
}

static void loops_end(void **state) {
    (void)state;
    folder_link("self", "self");
    folder_link("x", "y");
    folder_link("y", "x");
    folder_link("grow", "grow/more");
    look("self");
    assert_int_equal(scene.place.error, ELOOP);
    look("x");
    assert_int_equal(scene.place.error, ELOOP);
    look("grow");
    assert_true(scene.place.error == ELOOP || scene.place.error == ENAMETOOLONG);
}

/* 40 links in a row are the kernel's limit as well. */
static void chains_of_links(void **state) {
    (void)state;
    char name[16], target[16];
    struct stat status;
    folder_dir("0");
    for (int i = 1; i <= 41; i++) {
        snprintf(name, sizeof name, "%d", i);
        snprintf(target, sizeof target, "%d", i - 1);
        folder_link(name, target);
    }
    found("40", folder_in("0"));
    assert_int_equal(stat(folder_in("40"), &status), 0);
    look("41");
    assert_int_equal(scene.place.error, ELOOP);
    assert_int_equal(stat(folder_in("41"), &status), -1);
}

static void what_is_not_there_is_taken_as_written(void **state) {
    (void)state;
    folder_dir("a");
    folder_link("dangling", "a/none");
    folder_link("link", "a");
    lost("none", ENOENT, folder_in("none"));
    lost("none/x/y", ENOENT, folder_in("none/x/y"));
    lost("link/x", ENOENT, folder_in("a/x"));
    lost("dangling", ENOENT, folder_in("a/none"));
    lost("dangling/x", ENOENT, folder_in("a/none/x"));
    lost("none/../x", ENOENT, folder_in("x"));
    lost("", ENOENT, folder_path);
}

static void a_file_is_no_folder(void **state) {
    (void)state;
    char real[PATH_MAX];
    folder_file("f");
    look("f/x");
    assert_int_equal(scene.place.error, ENOTDIR);
    static const char *const through[] = {"f/..", "f/.", "f/", "f/../f"};
    for (size_t i = 0; i < sizeof through / sizeof through[0]; i++) {
        assert_null(realpath(folder_in(through[i]), real)); /* the kernel says ENOTDIR */
        look(through[i]);
        assert_int_equal(scene.place.error, ENOTDIR);
    }
}

static void names_and_paths_that_are_too_long(void **state) {
    (void)state;
    static char name[PATH_MAX + 400];
    memset(name, 'n', NAME_MAX);
    look(name);
    assert_int_equal(scene.place.error, ENOENT);
    memset(name, 'n', NAME_MAX + 1);
    look(name);
    assert_int_equal(scene.place.error, ENAMETOOLONG);
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 2 ? 'd' : '/';
    look(name);
    assert_int_equal(scene.place.error, ENAMETOOLONG);
    /* a target that makes it too long */
    for (size_t i = 0; i < PATH_MAX - 2; i++)
        name[i] = i % 200 == 199 ? '/' : 'd';
    name[PATH_MAX - 2] = '\0';
    folder_link("long", name);
    look("long");
    assert_true(scene.place.error == ENAMETOOLONG || scene.place.error == ENOENT);
    look("long/long/long");
    assert_true(scene.place.error == ENAMETOOLONG || scene.place.error == ENOENT);
}

static void the_whole_path_is_kept_when_a_folder_is_closed(void **state) {
    (void)state;
    bool root = geteuid() == 0;
    assert_int_equal(chmod(folder_path, 0711), 0);
    bool dropped = root && !setegid(65534) && !seteuid(65534); /* root in a box can't */
    look("/proc/1/cwd/x/y");                                   /* EACCES for everybody but root */
    if (dropped) {
        assert_int_equal(seteuid(0) || setegid(0), 0);
        assert_int_equal(scene.place.error, EACCES);
        assert_string_equal(scene.place.path, "/proc/1/cwd/x/y");
    }
}

static void random_paths_agree_with_the_kernel(void **state) {
    (void)state;
    static const char *const parts[] = {"a", "b", "f", "..", ".", "to-a", "to-up", "to-none", "to-root", "none", ""};
    folder_dir("a");
    folder_dir("a/a");
    folder_dir("a/b");
    folder_file("a/f");
    folder_link("to-a", "a");
    folder_link("a/to-up", "../a/b");
    folder_link("a/b/to-a", folder_in("a"));
    folder_link("to-none", "none/here");
    folder_link("a/to-root", "/");
    unsigned random = 7;
    for (int round = 0; round < 5000; round++) {
        char path[256] = "", real[PATH_MAX];
        for (int n = 0; n < 6; n++) {
            random = random * 1103515245U + 12345U;
            strcat(strcat(path, parts[(random >> 16) % (sizeof parts / sizeof parts[0])]), "/");
        }
        look(*path == '/' ? path + strspn(path, "/") : path);
        const char *same = realpath(folder_in(path), real);
        if (same && scene.place.error)
            fail_msg("%s: %s", path, strerror(scene.place.error));
        if (same)
            assert_string_equal(scene.place.path, same);
        else if (!scene.place.error)
            fail_msg("%s: the kernel finds nothing (%s), resolve finds %s", path, strerror(errno), scene.place.path);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(plain_paths),
        TEST(links_are_followed_and_recorded),
        TEST(loops_end),
        TEST(chains_of_links),
        TEST(what_is_not_there_is_taken_as_written),
        TEST(a_file_is_no_folder),
        TEST(names_and_paths_that_are_too_long),
        TEST(the_whole_path_is_kept_when_a_folder_is_closed),
        TEST(random_paths_agree_with_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
