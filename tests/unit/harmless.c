/* Unit tests of settle/harmless: what git would run, or can't read, is never harmless; what git itself writes is. */
#include "settle/harmless.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool judge(const char *now, const char *before, int steps, char why[HARMLESS_WHY]) {
    const struct text text = {now, strlen(now)}, old = {before, strlen(before)};
    return harmless_config(&text, &old, steps, why);
}

static void harmless(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "# only this\n",
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
        "[CORE]\nBare=false",
        "[core]\n\tbare\n",
        "[remote \"origin\"]\n\turl = https://a/b\n\tfetch = +refs/*:refs/*\n",
        "[remote \"o\"]\nurl = ../b.git\n",
        "[remote \"o\"]\nurl = git@host:b.git\n",
        "[branch \"main\"]\n\tremote = origin\n\tmerge = x\n",
        "[submodule \"s\"]\n\turl = https://a/b\n\tactive = true\n",
        "[user]\n\tname = A ; x\n\temail = a@b\n",
        "[extensions]\n\tworktreeConfig = true\n",
        "[color \"diff\"]\n\tmeta = red\n",
        "[advice]\n\tanything = false\n"};
    char why[HARMLESS_WHY];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!judge(texts[i], "", 0, why))
            fail_msg("%s: %s", texts[i], why);
}

static void harmful(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {{"[core]\nfsmonitor=x", "sets core.fsmonitor"},
                 {"[core]\nhooksPath=x", "sets core.hookspath"},
                 {"\xef\xbb\xbf[Core]\r\nFSMonitor = \"x\"\r\n", "sets core.fsmonitor"},
                 {"[core]bare=false\nfsmonitor=x", "sets core.fsmonitor"},
                 {"[core]\nbare=false # x\nfsmonitor=x", "sets core.fsmonitor"},
                 {"[core \"x\"]\nfsmonitor=x", "sets core.fsmonitor"},
                 {"[core.x]\nfsmonitor=x", "sets core.fsmonitor"},
                 {"[include]\npath=x", "sets include.path"},
                 {"[includeIf \"gitdir:/\"]\npath=x", "sets includeif.path"},
                 {"[alias]\nst=!x", "sets alias.st"},
                 {"[remote \"o\"]\nurl=ext::x", "sets remote.url"},
                 {"[remote \"o\"]\nurl=-x", "sets remote.url"},
                 {"[remote \"o\"]\npushurl=\"a\"\"::b\"", "sets remote.pushurl"},
                 {"[branch \"o\"]\nremote=ext::x", "sets branch.remote"},
                 {"[branch \"o\"]\npushRemote=-x", "sets branch.pushremote"},
                 {"[submodule \"o\"]\nurl=a::b", "sets submodule.url"},
                 {"[submodule \"o\"]\nupdate=!x", "sets submodule.update"},
                 {"[core]\nworktree=../../x", "sets core.worktree"},
                 {"[\"core\"]\nfsmonitor=x", "sets .fsmonitor"},
                 {"[core\nbare=false", "can't be read to its end"},
                 {"[core]\nbare=\"x\n", "can't be read to its end"},
                 {"[core]\nbare=false\n\\x\n", "can't be read to its end"},
                 {"x=1\n", "sets .x"}};
    char why[HARMLESS_WHY];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(judge(cases[i].text, "", 0, why));
        assert_string_equal(why, cases[i].why);
    }
    const struct text nul = {"[core]\nbare=false\n\0fsmonitor=x\n", 32}, none = {"", 0};
    assert_false(harmless_config(&nul, &none, 0, why));
    assert_false(judge("[c\x1b]\nx=1", "", 0, why));
    assert_null(strchr(why, '\x1b'));
}

static void before(void **state) {
    (void)state;
    static const char old[] = "[alias]\n\tst = !x\n[url \"https://a\"]\n\tinsteadOf = b\n";
    static const struct {
        const char *text;
        bool harmless;
    } cases[] = {{old, true},
                 {"[alias]st=!x", true},
                 {"[alias]\nst=\"!x\"\n[user]\nname=y", true},
                 {"[alias]\nst=!y", false},
                 {"[alias]\nsu=!x", false},
                 {"[alias \"z\"]\nst=!x", false},
                 {"[url \"https://a\"]\ninsteadOf=b", true},
                 {"[url \"ext::evil\"]\ninsteadOf=b", false},
                 {"[url \"HTTPS://a\"]\ninsteadOf=b", false}};
    char why[HARMLESS_WHY], *wide = malloc(20000), *wider = malloc(20001);
    assert_true(wide && wider);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(judge(cases[i].text, old, 0, why), cases[i].harmless);
    snprintf(wide, 20000, "[alias]\nst=%9000s%s", "!x", "a"); /* what was cut off is like nothing */
    snprintf(wider, 20001, "[alias]\nst=%9000s%s", "!x", "b");
    memset(wide + 11, 'y', 8000);
    memset(wider + 11, 'y', 8000);
    assert_false(judge(wider, wide, 0, why));
    assert_false(judge(wide, wide, 0, why));
    free(wide);
    free(wider);
}

static void work_tree_of_a_submodule(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int steps;
        bool harmless;
    } cases[] = {{"../../../sub", 3, true},     {"../../../a/b", 3, true},   {"../../sub", 3, false},
                 {"../../../../sub", 3, false}, {"../../../", 3, false},     {"/sub", 3, false},
                 {"../../..//etc", 3, false},   {"../../../a/..", 3, false}, {"../../../sub", 0, false}};
    char why[HARMLESS_WHY], text[128];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "[core]\n\tworktree = %s\n", cases[i].path);
        if (judge(text, "", cases[i].steps, why) != cases[i].harmless)
            fail_msg("%s", cases[i].path);
    }
}

static void things_to_do(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        bool harmless;
    } cases[] = {{"", 0, true},
                 {"pick 1234 x\nreword 12 exec\n# exec x\nlabel onto\nexecute\nxx y\n", 58, true},
                 {"pick 1 a\nexec rm", 16, false},
                 {" \t exec\tx", 9, false},
                 {"x\n", 2, false},
                 {"x", 1, false},
                 {"pick 1\r\nx y\r\n", 13, false},
                 {"pick\0\nexec", 10, false},
                 {"pick 1 \0", 8, false}};
    char why[HARMLESS_WHY];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct text text = {cases[i].text, cases[i].size};
        if (harmless_todo(&text, why) != cases[i].harmless)
            fail_msg("%zu: %s", i, why);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(harmless), cmocka_unit_test(harmful), cmocka_unit_test(before),
                                       cmocka_unit_test(work_tree_of_a_submodule), cmocka_unit_test(things_to_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
