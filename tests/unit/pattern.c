/* Unit tests of policy/pattern: which words have wildcards, what matches, how far a path has come. */
#include "policy/pattern.h"

#include "surroundings.h"

#include <string.h>

static struct arena arena;

static bool matches(const char *word, const char *path) {
    struct pattern pattern;
    bool failed;
    size_t matched;
    assert_null(pattern_cut(&arena, word, &pattern, &failed));
    assert_false(failed);
    pattern_walk(&pattern, path, &matched);
    return matched == strlen(path);
}

static void words(void **state) {
    (void)state;
    static const struct {
        const char *word;
        bool wildcard;
        const char *path;
    } cases[] = {{"/a", false, "/a"},         {"/a*", true, NULL},        {"/?", true, NULL},
                 {"/h[1]", false, "/h[1]"},   {"/a\\*", false, "/a*"},    {"/a\\\\*", true, NULL},
                 {"/a\\?b", false, "/a?b"},   {"/a\\b", false, "/a\\b"},  {"/a\\\\b", false, "/a\\b"},
                 {"/end\\", false, "/end\\"}, {"/{a,b}", false, "/{a,b}"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(pattern_has_wildcard(cases[i].word), cases[i].wildcard);
        if (cases[i].path)
            assert_string_equal(pattern_path(&arena, cases[i].word), cases[i].path);
    }
    static const char *const paths[] = {"/a*b", "/a\\b", "/\\*", "/?", "/plain", "/\\"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const char *word = pattern_escape(&arena, paths[i]);
        assert_false(pattern_has_wildcard(word));
        assert_string_equal(pattern_path(&arena, word), paths[i]);
        assert_true(matches(word, paths[i]));
    }
}

static void names(void **state) {
    (void)state;
    static const struct {
        const char *word, *path;
        bool match;
    } cases[] = {{"/*", "/a", true},
                 {"/*", "/.a", true},
                 {"/a*c", "/abc", true},
                 {"/a*c", "/ac", true},
                 {"/a*c", "/abcd", false},
                 {"/*a*a*b", "/aaaaaaab", true},
                 {"/*a*a*b", "/aaaaaaa", false},
                 {"/?", "/ab", false},
                 {"/??", "/ab", true},
                 {"/a\\*", "/ab", false},
                 {"/a\\*", "/a*", true},
                 {"/[ab]", "/a", false},
                 {"/a/*", "/a/b", true},
                 {"/*/b", "/a/x/b", false},
                 {"/a/**/b", "/a/b", true},
                 {"/a/**/b", "/a/x/y/b", true},
                 {"/a/**/b", "/b", false},
                 {"/**/.env", "/.env", true},
                 {"/**/.env", "/x/.env", true},
                 {"/**/.env", "/x/.envrc", false},
                 {"/a/**", "/a/x", true},
                 {"/a/**", "/a", false},
                 {"/**/**/b", "/x/b", true},
                 {"/a**b", "/axxb", true},
                 {"//a/./*/", "/a/b", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (matches(cases[i].word, cases[i].path) != cases[i].match)
            fail_msg("%s and %s: not %d", cases[i].word, cases[i].path, cases[i].match);
}

/* What is above a match is told as the match. */
static void walks(void **state) {
    (void)state;
    struct pattern pattern;
    bool failed;
    size_t matched;
    assert_null(pattern_cut(&arena, "/a/*/c/d", &pattern, &failed));
    uint64_t at = pattern_walk(&pattern, "/a/b", &matched);
    assert_true(at && !matched);
    assert_string_equal(pattern_only(&pattern, at), "c");
    assert_null(pattern_only(&pattern, pattern_walk(&pattern, "/a", &matched)));
    assert_int_equal(pattern_walk(&pattern, "/x", &matched), 0);
    pattern_walk(&pattern, "/a/b/c/d/e/f", &matched);
    assert_int_equal(matched, strlen("/a/b/c/d"));
    assert_null(pattern_cut(&arena, "/a/**/c", &pattern, &failed));
    assert_null(pattern_only(&pattern, pattern_walk(&pattern, "/a", &matched)));
}

static void refused(void **state) {
    (void)state;
    struct pattern pattern;
    bool failed;
    char word[200] = "";
    assert_non_null(pattern_cut(&arena, "/a/../*", &pattern, &failed));
    assert_non_null(pattern_cut(&arena, "/", &pattern, &failed));
    for (int i = 0; i < PATTERN_COMPONENTS_MAX; i++)
        strcat(word, "/*");
    assert_null(pattern_cut(&arena, word, &pattern, &failed));
    strcat(word, "/*");
    assert_non_null(pattern_cut(&arena, word, &pattern, &failed));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(names), cmocka_unit_test(walks),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
