/* Unit tests of base/path: questions about paths as strings, and text that is safe to print. */
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void under_is_by_component(void **state) {
    (void)state;
    assert_true(path_is_under("/a", "/a"));
    assert_true(path_is_under("/a/b", "/a"));
    assert_true(path_is_under("/a/b/c", "/a"));
    assert_true(path_is_under("/", "/"));
    assert_true(path_is_under("/a", "/"));
    assert_false(path_is_under("/ab", "/a"));
    assert_false(path_is_under("/a", "/a/b"));
    assert_false(path_is_under("/a.b", "/a"));
    assert_false(path_is_under("/", "/a"));
    assert_false(path_is_under("a", "/"));
    assert_false(path_is_under("", "/"));
}

static void a_folder_sorts_right_before_what_is_below_it(void **state) {
    (void)state;
    static const char *const sorted[] = {"/",   "/a",   "/a/b", "/a/b/c", "/a/c",  "/a b",
                                         "/a!", "/a-b", "/a.b", "/ab",    "/a\xff"};
    size_t count = sizeof sorted / sizeof sorted[0];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            int order = path_compare(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void canonical_paths(void **state) {
    (void)state;
    static const char *const good[] = {"/", "/a", "/a/b", "/...", "/.a", "/..a", "/a..", "/a/.b", "/ ", "/\xff"};
    static const char *const bad[] = {"",     "a",    "//",    "/a/",    "/a//b", "/.",  "/..",
                                      "/./a", "/../", "/a/..", "/a/./b", ".",     "a/b", "//a"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(path_is_canonical(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(path_is_canonical(bad[i]));
}

static void utf8_is_strict(void **state) {
    (void)state;
    static const char *const bad[] = {"\x80",         "\xc0\x80",
                                      "\xc1\xbf",     "\xc2",
                                      "\xe0\x80\x80", "\xe0\x9f\xbf",
                                      "\xed\xa0\x80", "\xf0\x80\x80\x80",
                                      "\xf5\x80",     "\xf4\x90\x80\x80",
                                      "\xe2\x82",     "\xf0\x9f\x98",
                                      "\xff",         "\xfe",
                                      "\xc3("};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(utf8_length(bad[i]), 0);
        assert_false(utf8_valid(bad[i]));
    }
    assert_int_equal(utf8_length(""), 0);
    assert_int_equal(utf8_length("a"), 1);
    assert_int_equal(utf8_length("\xc2\x80"), 2);
    assert_int_equal(utf8_length("\xdf\xbf"), 2);
    assert_int_equal(utf8_length("\xe0\xa0\x80"), 3);
    assert_int_equal(utf8_length("\xef\xbf\xbf"), 3);
    assert_int_equal(utf8_length("\xf4\x8f\xbf\xbf"), 4);
    assert_true(utf8_valid(""));
    assert_true(utf8_valid("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    assert_false(utf8_valid("good\xff"));
}

static void show_escapes_what_a_terminal_would_obey(void **state) {
    (void)state;
    char out[64];
    assert_string_equal(path_show("/a b", out, sizeof out), "/a b");
    assert_string_equal(path_show("a\x1b[2J", out, sizeof out), "a\\x1b[2J");
    assert_string_equal(path_show("a\n\t\x7f", out, sizeof out), "a\\x0a\\x09\\x7f");
    assert_string_equal(path_show("\xc2\x9b", out, sizeof out), "\\xc2\\x9b");
    assert_string_equal(path_show("\xe2\x80\xae", out, sizeof out), "\\xe2\\x80\\xae");
    assert_string_equal(path_show("\xd8\x9c", out, sizeof out), "\\xd8\\x9c");
    assert_string_equal(path_show("\xe2\x80\x93", out, sizeof out), "\xe2\x80\x93");
    assert_string_equal(path_show("\xc3\xa9", out, sizeof out), "\xc3\xa9");
    assert_string_equal(path_show("a\xff", out, sizeof out), "a\\xff");
    assert_string_equal(path_show("", out, sizeof out), "");
}

/* Whatever the room and the bytes: no write past the room, ends with NUL, valid UTF-8 without control bytes. */
static void show_keeps_to_its_room(void **state) {
    (void)state;
    static const char *const texts[] = {"plain text", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", "\x01\x02\x03\x04\x05",
                                        "\xff\xfe\xc3\xa9"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        for (size_t room = 1; room < 40; room++) {
            char *out = malloc(room);
            assert_non_null(out);
            path_show(texts[t], out, room);
            assert_true(strlen(out) < room);
            assert_true(utf8_valid(out));
            for (const char *at = out; *at; at++)
                assert_true((unsigned char)*at >= 0x20);
            free(out);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_is_by_component),
        cmocka_unit_test(a_folder_sorts_right_before_what_is_below_it),
        cmocka_unit_test(canonical_paths),
        cmocka_unit_test(utf8_is_strict),
        cmocka_unit_test(show_escapes_what_a_terminal_would_obey),
        cmocka_unit_test(show_keeps_to_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
