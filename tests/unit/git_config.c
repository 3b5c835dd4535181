/* Unit tests of linux/git_config: what git reads is read as git does. */
#include "linux/git_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *section, const char *key, const char *value) {
    struct git_config config;
    git_config_begin(&config, text, strlen(text));
    if (!section) {
        assert_false(git_config_next(&config));
        return;
    }
    assert_true(git_config_next(&config));
    assert_string_equal(config.section, section);
    assert_string_equal(config.key, key);
    assert_string_equal(config.value, value);
}

static void one_variable(void **state) {
    (void)state;
    static const struct {
        const char *text, *section, *key, *value;
    } cases[] = {{"[core]\n\thooksPath = ci/hooks\n", "core", "hookspath", "ci/hooks"},
                 {"[CORE]hookspath=x", "core", "hookspath", "x"},
                 {"[core]\r\n\thooksPath = a b \r\n", "core", "hookspath", "a b"},
                 {"\xef\xbb\xbf[a]b=c", "a", "b", "c"},
                 {"# x\n; [b]\n[a] # [c]\nb = c # d", "a", "b", "c"},
                 {"[a]\nb = \"c # d ; e\"  # f\n", "a", "b", "c # d ; e"},
                 {"[a]\nb = c\\\n d\n", "a", "b", "c d"},
                 {"[a]\nb = \"c \\\"d\\\" \\\\ \\t\"\n", "a", "b", "c \"d\" \\ \t"},
                 {"[a]\nb = c\" d \"\n", "a", "b", "c d "},
                 {"[diff \"x]\\\"y\"]\n\ttextconv = t\n", "diff", "textconv", "t"},
                 {"[diff.X]\n\ttextconv = t\n", "diff", "textconv", "t"},
                 {"[a]\nbare\nb = c\n", "a", "b", "c"},
                 {"[a]\nb =\n", "a", "b", ""},
                 {"[a]\nb\t=\t\"\"c\n", "a", "b", "c"},
                 {"[a]\n[b]\nc=d", "b", "c", "d"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(cases[i].text, cases[i].section, cases[i].key, cases[i].value);
}

/* Git refuses to go on there, whatever follows. */
static void broken(void **state) {
    (void)state;
    static const char *const cases[] = {"",
                                        "[a",
                                        "[a\n]b=c",
                                        "[a \"b\n\"]c=d",
                                        "[a]\nb = \"c\n",
                                        "[a]\nb = c\\x\n",
                                        "[a]\n=b\n",
                                        "[a]\nb: c\n[d]e=f\n",
                                        "[a]\n-b = c\n",
                                        "[a]\n"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(cases[i], NULL, NULL, NULL);
}

static void long_values_are_cut_off(void **state) {
    (void)state;
    struct git_config config;
    size_t size = 100000;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "[a]\nb=", 6);
    memcpy(text + size - 5, "\nc=d\n", 5);
    git_config_begin(&config, text, size);
    assert_true(git_config_next(&config));
    assert_int_equal(strlen(config.value), sizeof config.value - 1);
    assert_true(git_config_next(&config));
    assert_string_equal(config.value, "d");
    assert_false(git_config_next(&config));
    free(text);
}

/* Whatever the bytes are, it ends, and stays within them. */
static void any_bytes(void **state) {
    (void)state;
    static const char alphabet[] = "[]\"\\\n\r =#;abN.\0\xff";
    srand(1);
    for (int round = 0; round < 20000; round++) {
        size_t size = (size_t)rand() % 64;
        char *text = malloc(size + 1);
        struct git_config config;
        assert_non_null(text);
        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        git_config_begin(&config, text, size);
        for (size_t count = 0; git_config_next(&config); count++)
            assert_true(count <= size);
        assert_true(config.at <= config.end);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_variable), cmocka_unit_test(broken),
                                       cmocka_unit_test(long_values_are_cut_off), cmocka_unit_test(any_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
