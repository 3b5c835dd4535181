/* Unit tests of supervise/output: head and tail, exactly, for every size around the limits. */
#include "supervise/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 512 };

/* Feed `size` bytes in pieces, take the rest in portions, and compare with what the limit promises. */
static void check(size_t limit, size_t size, size_t piece, size_t portion) {
    char input[MOST], tail[MOST], got[2 * MOST], wanted[2 * MOST];
    size_t got_size = 0, wanted_size = 0;
    for (size_t i = 0; i < size; i++)
        input[i] = (char)('!' + i % 90);
    struct output output;
    output_init(&output, limit, tail);
    for (size_t at = 0; at < size; at += piece) {
        size_t part = size - at < piece ? size - at : piece;
        size_t passed = output_take(&output, input + at, part);
        assert_true(passed <= part);
        memcpy(got + got_size, input + at, passed);
        got_size += passed;
    }
    for (size_t part; (part = output_rest(&output, got + got_size, portion)) > 0; got_size += part)
        assert_true(part <= portion);
    assert_int_equal(output_rest(&output, got + got_size, portion), 0);

    size_t dropped = size > limit ? size - limit : 0;
    assert_int_equal(output_dropped(&output), dropped);
    memcpy(wanted, input, size);
    wanted_size = size;
    if (dropped) {
        size_t head = limit / 2, kept = limit - head;
        wanted_size = head;
        wanted_size += (size_t)sprintf(wanted + head, "\n[pinfold: %zu bytes left out]\n", dropped);
        memcpy(wanted + wanted_size, input + size - kept, kept);
        wanted_size += kept;
    }
    assert_int_equal(got_size, wanted_size);
    assert_memory_equal(got, wanted, wanted_size);
}

static void every_size_around_small_limits(void **state) {
    (void)state;
    for (size_t limit = 1; limit <= 33; limit++)
        for (size_t size = 0; size <= 3 * limit + 2; size++)
            for (size_t piece = 1; piece <= size + 1; piece++)
                check(limit, size, piece, OUTPUT_MARKER);
}

static void rest_comes_in_portions(void **state) {
    (void)state;
    for (size_t limit = 120; limit <= 200; limit++)
        for (size_t size = limit - 2; size <= limit + 100; size += 17)
            for (size_t portion = OUTPUT_MARKER; portion < OUTPUT_MARKER + 9; portion++)
                check(limit, size, 13, portion);
}

static void head_passes_at_once(void **state) {
    (void)state;
    char tail[8];
    struct output output;
    output_init(&output, 10, tail);
    assert_int_equal(output_take(&output, "abc", 3), 3);
    assert_int_equal(output_take(&output, "defg", 4), 2);
    assert_int_equal(output_take(&output, "hij", 3), 0);
    assert_int_equal(output_dropped(&output), 0);
    assert_int_equal(output_take(&output, "klm", 3), 0);
    assert_int_equal(output_dropped(&output), 3);
}

static void marker_fits_the_largest_count(void **state) {
    (void)state;
    char tail[1] = "t", to[OUTPUT_MARKER];
    struct output output;
    output_init(&output, 1, tail);
    output.rest = UINT64_MAX;
    size_t size = output_rest(&output, to, sizeof to);
    static const char wanted[] = "\n[pinfold: 18446744073709551614 bytes left out]\nt";
    assert_int_equal(size, sizeof wanted - 1);
    assert_memory_equal(to, wanted, size);
}

static void largest_limit_has_a_tail_size(void **state) {
    (void)state;
    assert_int_equal(output_tail_size(1), 1);
    assert_int_equal(output_tail_size(2), 1);
    assert_int_equal(output_tail_size(UINT64_MAX), (UINT64_MAX >> 1) + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_around_small_limits),
        cmocka_unit_test(rest_comes_in_portions),
        cmocka_unit_test(head_passes_at_once),
        cmocka_unit_test(marker_fits_the_largest_count),
        cmocka_unit_test(largest_limit_has_a_tail_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
