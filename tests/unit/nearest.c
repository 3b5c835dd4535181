/* Unit tests of base/nearest: the word that somebody meant, or none. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const words[] = {"workspace", "read",  "write",   "unix-socket",
                                    "timeout",   "grace", "fs-read", "fs-write"};
enum { COUNT = sizeof words / sizeof words[0] };

static void slips_are_understood(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"workspace", "workspace"},
                                           {"workspcae", "workspace"},
                                           {"worksapce", "workspace"},
                                           {"workspac", "workspace"},
                                           {"workspaces", "workspace"},
                                           {"raed", "read"},
                                           {"rea", "read"},
                                           {"readd", "read"},
                                           {"timout", "timeout"},
                                           {"timeuot", "timeout"},
                                           {"unix_socket", "unix-socket"},
                                           {"fs-raed", "fs-read"},
                                           {"fsread", "fs-read"},
                                           {"work", "workspace"},
                                           {"tim", "timeout"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *got = nearest(pairs[i][0], words, COUNT);
        assert_non_null(got);
        assert_string_equal(got, pairs[i][1]);
    }
}

static void far_words_are_not_guessed(void **state) {
    (void)state;
    static const char *const far[] = {"", "x", "zz", "completely-different", "policy", "network"};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
        assert_null(nearest(far[i], words, COUNT));
    assert_null(nearest("read", words, 0));
}

static void words_of_any_length_are_safe(void **state) {
    (void)state;
    char word[200];
    for (size_t size = 0; size < sizeof word; size++) {
        memset(word, 'a', size);
        word[size] = '\0';
        assert_null(nearest(word, words, COUNT));
    }
    static const char *const huge[] = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    assert_ptr_equal(nearest("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", huge, 1), huge[0]); /* its beginning */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_understood),
        cmocka_unit_test(far_words_are_not_guessed),
        cmocka_unit_test(words_of_any_length_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
