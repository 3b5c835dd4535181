/* Unit tests of base/arena: zeroed, aligned memory that stays where it is, and growing lists in it. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_aligned_and_apart(void **state) {
    (void)state;
    struct arena arena = {0};
    enum { PIECES = 400 };
    unsigned char *piece[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        size_t size = i * i % 1999 + 1;
        piece[i] = arena_alloc(&arena, size);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        for (size_t at = 0; at < size; at++)
            assert_int_equal(piece[i][at], 0);
        memset(piece[i], (int)(i & 0xff), size);
    }
    for (size_t i = 0; i < PIECES; i++) {
        size_t size = i * i % 1999 + 1;
        assert_int_equal(piece[i][0], i & 0xff);
        assert_int_equal(piece[i][size - 1], i & 0xff);
    }
    arena_free(&arena);
    assert_null(arena.blocks);
    arena_free(&arena); /* again is nothing */
}

static void large_and_impossible_sizes(void **state) {
    (void)state;
    struct arena arena = {0};
    char *large = arena_alloc(&arena, 3 << 20);
    assert_non_null(large);
    large[0] = large[(3 << 20) - 1] = 1;
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_alloc(&arena, SIZE_MAX / 2));
    assert_non_null(arena_alloc(&arena, 0));
    arena_free(&arena);
}

static void text_is_copied(void **state) {
    (void)state;
    struct arena arena = {0};
    char source[] = "hello";
    char *copy = arena_copy(&arena, source), *part = arena_copy_bytes(&arena, source, 2);
    source[0] = 'j';
    assert_string_equal(copy, "hello");
    assert_string_equal(part, "he");
    assert_string_equal(arena_copy(&arena, ""), "");
    assert_string_equal(arena_printf(&arena, "%s-%d", "a", 7), "a-7");
    assert_string_equal(arena_printf(&arena, "%s", ""), "");
    assert_int_equal(strlen(arena_printf(&arena, "%50000d", 1)), 50000);
    arena_free(&arena);
}

static void a_list_grows_and_keeps_its_items(void **state) {
    (void)state;
    struct arena arena = {0};
    LIST(int) numbers = {0};
    for (int i = 0; i < 5000; i++) {
        int *added = list_add(&arena, &numbers);
        assert_non_null(added);
        assert_ptr_equal(added, &numbers.at[i]);
        *added = i;
    }
    assert_int_equal(numbers.count, 5000);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(numbers.at[i], i);
    arena_free(&arena);
}

static void new_items_of_a_list_are_zero(void **state) {
    (void)state;
    struct arena arena = {0};
    LIST(long) numbers = {0};
    for (int i = 0; i < 100; i++)
        assert_int_equal(*list_add(&arena, &numbers), 0);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(large_and_impossible_sizes),
        cmocka_unit_test(text_is_copied),
        cmocka_unit_test(a_list_grows_and_keeps_its_items),
        cmocka_unit_test(new_items_of_a_list_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
