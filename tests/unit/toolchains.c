/* Unit tests of plan/toolchains: patterns, which places may be roots, and the rules that each row of the table keeps.
 */
#include "plan/toolchains.h"

#include "policy/environment.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void stars_are_filled_from_the_path(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *below, *filled;
    } cases[] = {{"bin", "", "bin"},
                 {"lib/node_modules", "bin", "lib/node_modules"},
                 {"v*/bin", "v1/bin/tool", "v1/bin"},
                 {"v*/lib", "v1/bin/tool", "v1/lib"},
                 {"v*/bin", "versions", "versions/bin"},
                 {"v*/bin", "alias/x", NULL},
                 {"v*/bin", "", NULL},
                 {"venvs/*/bin", "venvs/x/bin/y", "venvs/x/bin"},
                 {"venvs/*/bin", "venvs", NULL},
                 {"venvs/*/bin", "shared/x", NULL},
                 {"*/bin", "default/bin", "default/bin"},
                 {"*/bin", ".hidden/bin", NULL},
                 {"store/*/*/bin", "store/ghc/pkg/bin", "store/ghc/pkg/bin"},
                 {"store/*/*/bin", "store/ghc", NULL},
                 {".", "", "."}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[PATH_MAX];
        assert_int_equal(toolchain_fill(cases[i].pattern, cases[i].below, out), cases[i].filled != NULL);
        if (cases[i].filled)
            assert_string_equal(out, cases[i].filled);
    }
}

static void what_is_hidden_in_what_is_shown(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *shown, *rest;
    } cases[] = {
        {"versions/*/pip.conf", "versions", "*/pip.conf"},    {"versions/*/pip.conf", "versions/1", "pip.conf"},
        {"versions/*/pip.conf", ".", "versions/*/pip.conf"},  {"versions/*/pip.conf", "bin", NULL},
        {"versions/*/pip.conf", "versions/1/pip.conf", NULL}, {"versions/*/pip.conf", "versions/1/pip.conf/x", NULL},
        {"conda-meta/state", "conda-meta", "state"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rest = toolchain_rest(cases[i].pattern, cases[i].shown);
        assert_int_equal(rest != NULL, cases[i].rest != NULL);
        if (rest)
            assert_string_equal(rest, cases[i].rest);
    }
}

static void a_path_must_lead_into_what_is_shown(void **state) {
    (void)state;
    const struct toolchain *cargo = toolchain_find("cargo"), *local = toolchain_find("local");
    assert_true(toolchain_shows(cargo, ""));
    assert_true(toolchain_shows(cargo, "bin"));
    assert_true(toolchain_shows(cargo, "bin/x"));
    assert_false(toolchain_shows(cargo, "registry/bin"));
    assert_false(toolchain_shows(cargo, "binary"));
    assert_true(toolchain_shows(local, "lib/python3.11/site-packages"));
    assert_false(toolchain_shows(local, "share/keyrings"));
    assert_false(toolchain_shows(toolchain_find("asdf"), ".tool-versions"));
}

static struct probe user(void) {
    return (struct probe){.home = {.path = "/home/u"}, .account_home = {.path = "/home/account"}};
}

static void roots_that_may_not_be(void **state) {
    (void)state;
    struct probe probe = user();
    static const char *const never[] = {"/",
                                        "/home",
                                        "/home/u",
                                        "/home/account",
                                        "/proc/1/root",
                                        "/dev/shm/x",
                                        "/sys",
                                        "/home/u/.ssh",
                                        "/home/u/.ssh/venv",
                                        "/home/u/.aws",
                                        "/home/account/.gnupg/x",
                                        "/home/u/.config/gcloud/virtenv",
                                        "/home/u/.local/share/keyrings",
                                        "/home/u/../x",
                                        "relative",
                                        "/home/u/"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        assert_false(toolchain_allowed(&probe, never[i], true));
        assert_false(toolchain_allowed(&probe, never[i], false));
    }
    static const char *const shared[] = {"/home/u/.local", "/home/u/.config", "/home/u/.local/share", "/home/u/.cache"};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        assert_true(toolchain_allowed(&probe, shared[i], true));
        assert_false(toolchain_allowed(&probe, shared[i], false));
    }
    static const char *const good[] = {"/home/u/.sshx", "/home/u/venv", "/data/u/.pyenv", "/home/userx"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(toolchain_allowed(&probe, good[i], false));
    probe.home.path = "/"; /* a home at the root isn't one */
    assert_true(toolchain_allowed(&probe, "/data/x", false));
}

/* Names of files and folders that hold credentials, anywhere in what a row shows. */
static bool holds_credentials(const char *shown) {
    static const char *const names[] = {"credentials", "auth.json", "npmrc", "pip.conf", "condarc", "settings.xml",
                                        "config",      "token",     "netrc", "etc",      "share"};
    const char *slash = strrchr(shown, '/'), *name = slash ? slash + 1 : shown;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0 || (*name == '.' && strcmp(name + 1, names[i]) == 0))
            return true;
    return false;
}

static bool is_shown(const struct toolchain *row, const char *hidden) {
    char word[TOOLCHAIN_WORD];
    for (const char *shows = row->shows; toolchain_word(&shows, word);)
        if (strcmp(word, ".") == 0 || (strncmp(hidden, word, strlen(word)) == 0 && hidden[strlen(word)] == '/'))
            return true;
    return false;
}

static void check_words(const char *list) {
    char word[TOOLCHAIN_WORD];
    for (size_t size; *(list += strspn(list, " ")); list += size) {
        size = strcspn(list, " ");
        assert_true(size < TOOLCHAIN_WORD); /* toolchain_word would end there */
        memcpy(word, list, size);
        word[size] = '\0';
        assert_null(strstr(word, ".."));
    }
}

static void rows(void **state) {
    (void)state;
    for (size_t i = 0; i < toolchain_count; i++) {
        const struct toolchain *row = &toolchain_table[i];
        char word[TOOLCHAIN_WORD];
        print_message("%s\n", row->name);
        const char *const lists[] = {row->variables, row->places, row->markers, row->shows, row->hides, row->with};
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
            check_words(lists[k]);
        assert_true(*row->markers && *row->shows);
        for (const char *names = row->variables; toolchain_word(&names, word);)
            assert_true(environment_allows(word, strlen(word)));
        for (const char *with = row->with; toolchain_word(&with, word);)
            assert_non_null(toolchain_find(word));
        /* data of Homebrew, OCaml and Haskell packages are in a share of their own, far below a home's */
        bool own =
            strcmp(row->name, "homebrew") == 0 || strcmp(row->name, "opam") == 0 || strcmp(row->name, "cabal") == 0;
        for (const char *shows = row->shows; toolchain_word(&shows, word);) {
            assert_true(own || !holds_credentials(word));
            assert_true(word[0] != '/' && word[0] != '*' ? true : strchr(word, '/') != NULL);
            char *bracket = strchr(word, '[');
            assert_true(!bracket || (strchr(word, '/') && strchr(word, '/') < bracket)); /* never the first component */
        }
        for (const char *hides = row->hides; toolchain_word(&hides, word);)
            assert_true(is_shown(row, word));
        for (const char *places = row->places; toolchain_word(&places, word);)
            assert_true(word[0] != '/' || strncmp(word, "/home/", 6) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_are_filled_from_the_path),
        cmocka_unit_test(what_is_hidden_in_what_is_shown),
        cmocka_unit_test(a_path_must_lead_into_what_is_shown),
        cmocka_unit_test(roots_that_may_not_be),
        cmocka_unit_test(rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
