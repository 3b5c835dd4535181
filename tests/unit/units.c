/* Unit tests of base/units: sizes and durations as written on the command line. */
#include "base/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct row {
    const char *text;
    uint64_t value;
};
typedef int parser(const char *text, uint64_t *value);

static void check_read(parser *parse, const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t got = 99;
        assert_int_equal(parse(rows[i].text, &got), 0);
        assert_true(got == rows[i].value);
    }
}

/* What is refused leaves the number as it was. */
static void check_refused(parser *parse, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t got = 77;
        assert_int_equal(parse(texts[i], &got), -1);
        assert_true(got == 77);
    }
}

static void sizes(void **state) {
    (void)state;
    static const struct row rows[] = {{"0", 0},
                                      {"1", 1},
                                      {"007", 7},
                                      {"1K", 1024},
                                      {"64K", 65536},
                                      {"3M", 3 << 20},
                                      {"2G", UINT64_C(2) << 30},
                                      {"8589934591G", UINT64_C(8589934591) << 30},
                                      {"9223372036854775807", INT64_MAX}};
    check_read(units_size, rows, sizeof rows / sizeof rows[0]);
}

static void durations(void **state) {
    (void)state;
    static const struct row rows[] = {{"0", 0},
                                      {"1", 1000},
                                      {"250ms", 250},
                                      {"30s", 30000},
                                      {"5m", 300000},
                                      {"2h", 7200000},
                                      {"0ms", 0},
                                      {"8784h", UINT64_C(31622400000)},
                                      {"31622400", UINT64_C(31622400000)}};
    check_read(units_duration, rows, sizeof rows / sizeof rows[0]);
}

static void what_is_no_size_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "K",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.5K",
                                      "1k",
                                      "1m",
                                      "1KB",
                                      "1T",
                                      "0x10",
                                      "1e3",
                                      "1 K",
                                      "one",
                                      "1K1",
                                      "\xd9\xa1",
                                      "9223372036854775808",
                                      "18446744073709551616",
                                      "99999999999999999999999",
                                      "8589934592G",
                                      "9007199254740992K"};
    check_refused(units_size, bad, sizeof bad / sizeof bad[0]);
}

static void what_is_no_duration_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "s",
                                      "-5s",
                                      "1.5s",
                                      "1S",
                                      "1M",
                                      "1d",
                                      "1min",
                                      "5 s",
                                      "1h30m",
                                      "8785h",
                                      "31622401",
                                      "31622400001ms",
                                      "18446744073709551616ms"};
    check_refused(units_duration, bad, sizeof bad / sizeof bad[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
        cmocka_unit_test(what_is_no_size_is_refused),
        cmocka_unit_test(what_is_no_duration_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
