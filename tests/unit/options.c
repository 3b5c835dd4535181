/* Unit tests of cli/options: what a command line means, and what is refused with 125 and the right word. */
#define print_message cli_print_message /* cmocka has functions of these names */
#define print_error cli_print_error
#include "cli.h"
#undef print_message
#undef print_error

#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct parsed {
    struct arena arena;
    struct policy policy;
    struct options options;
    struct error err;
    int result;
    char **argv;
};

enum { WORDS = 24 };

static struct parsed *parse(enum subcommand subcommand, const char *const *words) {
    static struct parsed parsed;
    static char text[WORDS][128], *argv[WORDS + 1];
    int argc = 0;
    arena_free(&parsed.arena);
    parsed = (struct parsed){.argv = argv};
    parsed.options.policy = &parsed.policy;
    snprintf(text[argc], sizeof text[argc], "%s", subcommand_of(subcommand)->name);
    argv[argc] = text[argc];
    argc++;
    for (; *words; words++, argc++) {
        snprintf(text[argc], sizeof text[argc], "%s", *words);
        argv[argc] = text[argc];
    }
    argv[argc] = NULL;
    optind = 0; /* getopt keeps its place between two command lines; the program reads only one */
    (void)getopt(1, argv, "+");
    parsed.result = options_parse(&parsed.arena, subcommand, argc, argv, &parsed.options, &parsed.err);
    return &parsed;
}
#define RUN_WITH(...) parse(RUN, (const char *const[]){__VA_ARGS__, NULL})
#define EXPLAIN_WITH(...) parse(EXPLAIN, (const char *const[]){__VA_ARGS__, NULL})

static struct parsed *good(struct parsed *parsed) {
    if (parsed->result)
        fail_msg("%s", parsed->err.text);
    return parsed;
}

static void bad(struct parsed *parsed, const char *word) {
    assert_int_equal(parsed->result, -1);
    assert_int_equal(parsed->err.status, EXIT_USAGE);
    if (!strstr(parsed->err.text, word))
        fail_msg("\"%s\" is not in: %s", word, parsed->err.text);
}

static void nothing_given_means_closed(void **state) {
    (void)state;
    struct policy *policy = &good(RUN_WITH("make"))->policy;
    assert_null(policy->workspace);
    assert_int_equal(policy->grants.count + policy->environment.count + policy->descriptors.count, 0);
    assert_int_equal(policy->waived, 0);
    assert_int_equal(policy->timeout.value, 0);
    assert_null(policy->grace.origin);
    assert_null(policy->receipt);
    assert_null(policy->backend);
    assert_string_equal(policy->command[0], "make");
}

static void every_option_is_taken(void **state) {
    (void)state;
    struct policy *policy = &good(RUN_WITH("--workspace", "/w", "--read=/r", "--write", "/x", "--unix-socket", "/s",
                                           "--fd", "5", "--env", "A", "--env=B=1=2", "--waive", "ipc", "--timeout",
                                           "5m", "--grace=0", "--output-limit", "64K", "--receipt", "fd:9", "--", "a"))
                                 ->policy;
    assert_string_equal(policy->workspace, "/w");
    assert_int_equal(policy->grants.count, 3);
    assert_int_equal(policy->grants.at[0].access, ACCESS_READ);
    assert_string_equal(policy->grants.at[0].path, "/r");
    assert_string_equal(policy->grants.at[0].origin, "--read");
    assert_int_equal(policy->grants.at[1].access, ACCESS_WRITE);
    assert_int_equal(policy->grants.at[2].access, ACCESS_SOCKET);
    assert_string_equal(policy->grants.at[2].origin, "--unix-socket");
    assert_int_equal(policy->descriptors.at[0], 5);
    assert_string_equal(policy->environment.at[0].entry, "A");
    assert_string_equal(policy->environment.at[1].entry, "B=1=2");
    assert_int_equal(policy->waived, G(IPC));
    assert_int_equal(policy->timeout.value, 300000);
    assert_int_equal(policy->grace.value, 0);
    assert_int_equal(policy->output_limit.value, 65536);
    assert_string_equal(policy->receipt, "fd:9");
    assert_string_equal(policy->command[0], "a");
}

static void options_stop_at_the_command(void **state) {
    (void)state;
    struct parsed *parsed = good(RUN_WITH("--read", "/r", "make", "--read", "/etc", "--", "--help"));
    assert_int_equal(parsed->policy.grants.count, 1);
    assert_string_equal(parsed->policy.command[1], "--read");
    assert_string_equal(parsed->policy.command[3], "--");
    assert_false(parsed->options.help);
    parsed = good(RUN_WITH("--", "--read", "/x"));
    assert_int_equal(parsed->policy.grants.count, 0);
    assert_string_equal(parsed->policy.command[0], "--read");
    parsed = good(RUN_WITH("-", "x"));
    assert_string_equal(parsed->policy.command[0], "-");
    parsed = good(RUN_WITH("--"));
    assert_null(parsed->policy.command[0]);
    parsed = good(parse(RUN, (const char *const[]){NULL}));
    assert_null(parsed->policy.command[0]);
}

static void slips_get_a_suggestion(void **state) {
    (void)state;
    bad(RUN_WITH("--worksapce", "/w"), "did you mean --workspace? See pinfold run --help");
    bad(RUN_WITH("--raed=/w"), "did you mean --read?");
    bad(RUN_WITH("--waive", "fs-raed"), "did you mean fs-read?");
    bad(RUN_WITH("--waive", "kernel_surface"), "did you mean kernel-surface?");
    bad(RUN_WITH("--zzzzzzzzzzzz"), "unknown option --zzzzzzzzzzzz; see pinfold run --help");
    bad(RUN_WITH("--waive", "everything-and-more"), "there is no such guarantee; pinfold explain lists them");
}

static void abbreviations_and_short_options_are_refused(void **state) {
    (void)state;
    bad(RUN_WITH("--work", "/w"), "unknown option --work");
    bad(RUN_WITH("--re", "/w"), "unknown option --re");
    bad(RUN_WITH("--rea=/w"), "unknown option --rea");
    bad(RUN_WITH("--r"), "unknown option --r");
    bad(RUN_WITH("-r", "/w"), "unknown option -r");
    bad(RUN_WITH("-h"), "unknown option -h");
    bad(RUN_WITH("-rw"), "unknown option -rw");
    bad(RUN_WITH("---read"), "unknown option ---read");
    bad(RUN_WITH("--=x"), "unknown option --=x");
    bad(RUN_WITH("--help=x"), "--help");
}

static void an_option_of_another_subcommand_is_unknown(void **state) {
    (void)state;
    bad(RUN_WITH("--json", "true"), "unknown option --json");
    bad(EXPLAIN_WITH("--receipt", "x"), "see pinfold explain --help");
    assert_true(good(EXPLAIN_WITH("--json"))->options.json);
    assert_true(good(RUN_WITH("--help"))->options.help);
}

static void a_missing_value_says_what_is_wanted(void **state) {
    (void)state;
    static const char *const options[][2] = {
        {"--workspace", "DIR"},   {"--read", "PATH"},        {"--fd", "N|none"},         {"--env", "NAME[=VALUE]"},
        {"--waive", "GUARANTEE"}, {"--timeout", "DURATION"}, {"--output-limit", "SIZE"}, {"--receipt", "FILE|fd:N"}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct parsed *parsed = parse(RUN, (const char *const[]){options[i][0], NULL});
        bad(parsed, options[i][0]);
        bad(parsed, options[i][1]);
    }
}

static void empty_values_are_refused(void **state) {
    (void)state;
    static const char *const options[] = {
        "--workspace=", "--read=",    "--write=", "--unix-socket=",  "--fd=",     "--env=",
        "--waive=",     "--timeout=", "--grace=", "--output-limit=", "--receipt="};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        bad(parse(RUN, (const char *const[]){options[i], "true", NULL}), "--");
}

static void values_out_of_range(void **state) {
    (void)state;
    static const char *const words[] = {"--fd=0",
                                        "--fd=2",
                                        "--fd=-1",
                                        "--fd=x",
                                        "--fd=3x",
                                        "--fd=1000000",
                                        "--fd= 3",
                                        "--fd=NONE",
                                        "--timeout=0",
                                        "--timeout=0ms",
                                        "--timeout=1.5",
                                        "--timeout=-1",
                                        "--grace=x",
                                        "--output-limit=0",
                                        "--output-limit=1",
                                        "--output-limit=2G",
                                        "--output-limit=1073741825",
                                        "--env==x"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        bad(parse(RUN, (const char *const[]){words[i], "true", NULL}), "--");
    assert_int_equal(good(RUN_WITH("--output-limit=1G", "x"))->policy.output_limit.value, 1 << 30);
    assert_int_equal(good(RUN_WITH("--output-limit=2", "x"))->policy.output_limit.value, 2);
}

static void every_guarantee_can_be_waived_but_two(void **state) {
    (void)state;
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        struct parsed *parsed = parse(RUN, (const char *const[]){"--waive", guarantee_text[i].name, NULL});
        if (G_NEVER_WAIVED & UINT32_C(1) << i)
            bad(parsed, "can't be waived");
        else
            assert_int_equal(good(parsed)->policy.waived, UINT32_C(1) << i);
    }
    bad(RUN_WITH("--waive", "environment"), "--env");
    bad(RUN_WITH("--waive", "descriptors"), "--fd");
    bad(RUN_WITH("--waive", "ipc,process"), "no such guarantee");
    bad(RUN_WITH("--waive", "IPC"), "no such guarantee");
}

static void descriptors_can_be_switched_off(void **state) {
    (void)state;
    struct parsed *parsed = good(RUN_WITH("--fd", "none", "--fd", "007", "x"));
    assert_true(parsed->policy.no_descriptors);
    assert_int_equal(parsed->policy.descriptors.count, 1);
    assert_int_equal(parsed->policy.descriptors.at[0], 7);
}

static void messages_are_safe_to_print(void **state) {
    (void)state;
    struct parsed *parsed = RUN_WITH("--\x1b[2Jx");
    assert_int_equal(parsed->result, -1);
    assert_null(strchr(parsed->err.text, '\x1b'));
    parsed = RUN_WITH("--waive=\x1b[2J");
    assert_int_equal(parsed->result, -1);
    assert_null(strchr(parsed->err.text, '\x1b'));
}

static void a_misspelt_subcommand(void **state) {
    (void)state;
    assert_string_equal(subcommand_nearest("rnu"), "run");
    assert_string_equal(subcommand_nearest("explian"), "explain");
    assert_null(subcommand_nearest("frobnicate"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_means_closed),
        cmocka_unit_test(every_option_is_taken),
        cmocka_unit_test(options_stop_at_the_command),
        cmocka_unit_test(slips_get_a_suggestion),
        cmocka_unit_test(abbreviations_and_short_options_are_refused),
        cmocka_unit_test(an_option_of_another_subcommand_is_unknown),
        cmocka_unit_test(a_missing_value_says_what_is_wanted),
        cmocka_unit_test(empty_values_are_refused),
        cmocka_unit_test(values_out_of_range),
        cmocka_unit_test(every_guarantee_can_be_waived_but_two),
        cmocka_unit_test(descriptors_can_be_switched_off),
        cmocka_unit_test(messages_are_safe_to_print),
        cmocka_unit_test(a_misspelt_subcommand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
