/* Unit tests of linux/entries: each entry of a folder once, however many there are, and failures are told. */
#include "linux/entries.h"
#include "folder.h"

#include <dirent.h>

enum { MANY = 500 };

static struct entries open_entries(const char *path) {
    struct entries entries = {.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    assert_true(entries.fd >= 0);
    return entries;
}

static void end_is_reached(struct entries *entries) {
    assert_null(entries_next(entries));
    assert_null(entries_next(entries));
    assert_int_equal(entries->error, 0);
    close(entries->fd);
}

static void an_empty_folder_has_itself_and_its_parent(void **state) {
    (void)state;
    folder_dir("empty");
    struct entries entries = open_entries(folder_in("empty"));
    for (int i = 0; i < 2; i++) {
        const struct entry *entry = entries_next(&entries);
        assert_non_null(entry);
        assert_true(strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0);
    }
    end_is_reached(&entries);
}

static void names_types_and_inodes(void **state) {
    (void)state;
    folder_dir("kinds");
    folder_dir("kinds/folder");
    folder_file("kinds/file");
    folder_link("kinds/link", "nowhere");
    assert_int_equal(mkfifo(folder_in("kinds/fifo"), 0600), 0);
    static const struct {
        const char *name;
        int type;
    } kinds[] = {{"folder", DT_DIR}, {"file", DT_REG}, {"link", DT_LNK}, {"fifo", DT_FIFO}};
    struct entries entries = open_entries(folder_in("kinds"));
    unsigned seen = 0;
    for (const struct entry *entry; (entry = entries_next(&entries));)
        for (size_t i = 0; i < 4; i++)
            if (strcmp(entry->name, kinds[i].name) == 0) {
                char name[64];
                struct stat status;
                snprintf(name, sizeof name, "kinds/%s", entry->name);
                assert_int_equal(lstat(folder_in(name), &status), 0);
                assert_true(entry->ino == status.st_ino);
                assert_int_equal(entry->type, kinds[i].type);
                seen |= 1U << i;
            }
    assert_int_equal(seen, 15);
    end_is_reached(&entries);
}

/* More than the buffer holds, with names of all lengths up to the longest. */
static void many_entries_each_once(void **state) {
    (void)state;
    static int seen[MANY];
    folder_dir("many");
    for (int i = 0; i < MANY; i++) {
        char name[300];
        snprintf(name, sizeof name, "many/%03d%0*d", i, 1 + i % 252, 0);
        folder_file(name);
    }
    struct entries entries = open_entries(folder_in("many"));
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        if (entry->name[0] == '.')
            continue;
        int number = (entry->name[0] - '0') * 100 + (entry->name[1] - '0') * 10 + entry->name[2] - '0';
        assert_in_range(number, 0, MANY - 1);
        assert_int_equal(strlen(entry->name), 4 + number % 252);
        seen[number]++;
    }
    for (int i = 0; i < MANY; i++)
        assert_int_equal(seen[i], 1);
    end_is_reached(&entries);
}

static void a_failure_is_told(void **state) {
    (void)state;
    struct entries none = {.fd = -1};
    assert_null(entries_next(&none));
    assert_int_equal(none.error, EBADF);
    folder_file("plain");
    struct entries file = {.fd = open(folder_in("plain"), O_RDONLY | O_CLOEXEC)};
    assert_null(entries_next(&file));
    assert_int_equal(file.error, ENOTDIR);
    close(file.fd);
    folder_dir("removed");
    struct entries removed = open_entries(folder_in("removed"));
    assert_int_equal(rmdir(folder_in("removed")), 0);
    assert_null(entries_next(&removed));
    assert_int_equal(removed.error, ENOENT);
    close(removed.fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_folder_has_itself_and_its_parent),
        cmocka_unit_test(names_types_and_inodes),
        cmocka_unit_test(many_entries_each_once),
        cmocka_unit_test(a_failure_is_told),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
