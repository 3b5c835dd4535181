/* Unit tests of linux/mountinfo: fields, escapes, lines that are none, and this process's own mounts. */
#include "linux/mountinfo.h"
#include "folder.h"

static struct lines lines;

static void open_text(const char *text) {
    int fd = open(folder_in("mountinfo"), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    assert_int_equal(lines_open(&lines, folder_in("mountinfo")), 0);
}

static void next_is(const char *point, const char *options) {
    struct mountinfo mount;
    assert_true(mountinfo_next(&lines, &mount));
    assert_string_equal(mount.point, point);
    assert_string_equal(mount.options, options);
}

static void end_is_reached(void) {
    struct mountinfo mount;
    assert_false(mountinfo_next(&lines, &mount));
    assert_false(lines.failed);
    lines_close(&lines);
}

static void points_and_options(void **state) {
    (void)state;
    open_text("22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
              "23 22 0:5 /sub /mnt ro,nosuid,nodev - tmpfs t rw,size=4k\n"
              "24 22 0:5 / /srv/a rw shared:1 master:2 propagate_from:3 - fuse.x x rw\n");
    next_is("/", "rw,relatime");
    next_is("/mnt", "ro,nosuid,nodev");
    next_is("/srv/a", "rw");
    end_is_reached();
}

static void file_system_and_what_of_it(void **state) {
    (void)state;
    struct mountinfo mount;
    open_text("4294967295 22 0:5 /sub\\040a /mnt ro - tmpfs t rw\n");
    assert_true(mountinfo_next(&lines, &mount));
    assert_string_equal(mount.device, "0:5");
    assert_string_equal(mount.root, "/sub a");
    end_is_reached();
}

static void escapes_are_undone(void **state) {
    (void)state;
    static const struct {
        const char *written, *meant;
    } rows[] = {{"/a\\040b", "/a b"},
                {"/a\\011b\\012c", "/a\tb\nc"},
                {"/\\134040", "/\\040"}, /* a backslash, not a space */
                {"/a\\043b", "/a#b"},
                {"/\\303\\244", "/\xc3\xa4"},
                {"/\xc3\xa4\\040", "/\xc3\xa4 "},
                {"/\\040\\040\\040", "/   "},
                {"/a\\040", "/a "}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "22 1 8:1 / %s rw - ext4 x rw\n", rows[i].written);
        open_text(text);
        next_is(rows[i].meant, "rw");
        end_is_reached();
    }
}

/* Never written by a kernel; must not read past the end. */
static void escapes_that_are_cut_short_stay(void **state) {
    (void)state;
    static const char *const points[] = {"/a\\", "/a\\0", "/a\\04", "/a\\9", "/a\\x41"};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "22 1 8:1 / %s rw - ext4 x rw\n", points[i]);
        open_text(text);
        next_is(points[i], "rw");
        end_is_reached();
    }
}

static void escapes_of_the_root_do_not_shift_the_point(void **state) {
    (void)state;
    open_text("22 1 8:1 /x\\040y /a rw - ext4 /dev/x\\040y rw\n");
    next_is("/a", "rw");
    end_is_reached();
}

static void lines_that_are_no_mounts_are_passed_over(void **state) {
    (void)state;
    open_text("\n22\n22 1 8:1\n22 1 8:1 /\n22 1 8:1 / /cut\n23 22 0:5 / /mnt rw - tmpfs t rw\n");
    next_is("/mnt", "rw");
    end_is_reached();
}

static void the_own_mounts(void **state) {
    (void)state;
    struct mountinfo mount;
    bool root = false, proc = false;
    assert_int_equal(mountinfo_open(&lines), 0);
    while (mountinfo_next(&lines, &mount)) {
        assert_int_equal(mount.point[0], '/');
        assert_true(strncmp(mount.options, "rw", 2) == 0 || strncmp(mount.options, "ro", 2) == 0);
        root |= strcmp(mount.point, "/") == 0;
        proc |= strcmp(mount.point, "/proc") == 0;
    }
    assert_true(root && proc);
    assert_false(lines.failed);
    lines_close(&lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_options),
        cmocka_unit_test(file_system_and_what_of_it),
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(escapes_that_are_cut_short_stay),
        cmocka_unit_test(escapes_of_the_root_do_not_shift_the_point),
        cmocka_unit_test(lines_that_are_no_mounts_are_passed_over),
        cmocka_unit_test(the_own_mounts),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
