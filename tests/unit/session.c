/* Unit tests of plan/session: which ids there are, what somebody may have meant, and names of folders. */
#include "plan/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LONG_64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void ids(void **state) {
    (void)state;
    static const char *const right[] = {"a", "7", "CI", "feature-1", "a.b_c-", LONG_64};
    static const char *const wrong[] = {"",    ".",  "..",    ".a",       "-a",        "_a",        "a/b", "a b",
                                        "a\n", "\n", "a\xff", "\xc3\xa9", LONG_64 "a", "../../etc", "a~"};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        assert_true(session_id_valid(right[i]));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(session_id_valid(wrong[i]));
}

static void what_was_meant(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a b", "a-b"},         {"../../etc", "etc"},      {".a", "a"}, {"a/b/", "a-b"}, {"x\n\n\ny", "x-y"},
        {LONG_64 "b", LONG_64}, {"\xc3\xa9t\xc3\xa9", "t"}};
    static const char *const nothing[] = {"", "...", "/", "\xff", "--"};
    char near[SESSION_ID_MAX + 1];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(session_id_near(cases[i][0], near));
        assert_string_equal(near, cases[i][1]);
        assert_true(session_id_valid(near));
    }
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        assert_false(session_id_near(nothing[i], near));
}

/* One for each workspace, and each is told from what else may lie beside it. */
static void names(void **state) {
    (void)state;
    char one[SESSION_NAME_ROOM], other[SESSION_NAME_ROOM];
    size_t size;
    session_name("ci", "/srv/a", one);
    session_name("ci", "/srv/b", other);
    assert_string_not_equal(one, other);
    assert_true(session_name_valid(one, &size));
    assert_int_equal(size, 2);
    session_name(LONG_64, "/", one);
    assert_true(session_name_valid(one, &size));
    assert_int_equal(size, 64);
    session_name("a.b", "/", one);
    assert_true(session_name_valid(one, &size));
    assert_int_equal(size, 3);
    one[strlen(one) - 1] = 'g';
    assert_false(session_name_valid(one, &size));
    static const char *const wrong[] = {
        ".new-1-2", ".old-1-2", "ci", "ci.", ".", "..", ".0123456789abcdef0123456789abcdef"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(session_name_valid(wrong[i], &size));
}

static void paths(void **state) {
    (void)state;
    struct arena arena = {0};
    const char *top = session_path(&arena, "/s", "ci", "/w", SESSION_FOLDERS);
    const char *home = session_path(&arena, "/s", "ci", "/w", SESSION_HOME);
    assert_memory_equal(top, "/s/sessions/ci.", 15);
    assert_memory_equal(home, top, strlen(top));
    assert_string_equal(home + strlen(top), "/home");
    assert_int_equal(arena_free(&arena), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ids), cmocka_unit_test(what_was_meant), cmocka_unit_test(names),
                                       cmocka_unit_test(paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
