/* Unit tests of settle/run: a record that is written is read again as it was; one that is broken off, never. */
#include "settle/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct run made(struct arena *arena) {
    struct run run = {.since = {1700000000, 999999999}, .running = {12, 3}, .git_writable = true, .by_content = true};
    static const char odd[] = "/w/\n\x1b\xff/.git";
    struct thing *root = list_add(arena, &run.roots), *held = list_add(arena, &run.held),
                 *known = list_add(arena, &run.known);
    assert_true(root && held && known);
    *root = (struct thing){"/w", 2049, 18446744073709551615U / 2};
    *held = (struct thing){odd, 1, 2};
    *known = (struct thing){"/", 0, 0};
    struct original *text = list_add(arena, &run.files);
    assert_non_null(text);
    *text = (struct original){.path = odd, .digest = "-", .text = "a\0b\n", .size = 4, .mode = 0640};
    struct original *other = list_add(arena, &run.files);
    assert_non_null(other);
    *other = (struct original){.path = "/w/x", .mode = 07777};
    memset(other->digest, 'f', 64);
    return run;
}

/* As a record says it. */
static char *written(struct arena *arena, struct run *run, size_t *size) {
    *run = made(arena);
    char *text = run_write(arena, run, size);
    assert_non_null(text);
    return text;
}

static void equal(const struct thing *one, const struct thing *other) {
    assert_string_equal(one->path, other->path);
    assert_true(one->dev == other->dev && one->ino == other->ino);
}

static void round_trip(void **state) {
    (void)state;
    struct arena arena = {0};
    struct run run, read;
    size_t size;
    char *text = written(&arena, &run, &size);
    assert_int_equal(run_read(&arena, text, size, &read), 0);
    assert_true(read.since.tv_sec == run.since.tv_sec && read.since.tv_nsec == run.since.tv_nsec);
    assert_true(read.running.tv_sec == 12 && read.running.tv_nsec == 3);
    assert_true(read.git_writable && !read.protects && read.by_content);
    assert_true(read.roots.count == 1 && read.held.count == 1 && read.known.count == 1 && read.files.count == 2);
    equal(&read.roots.at[0], &run.roots.at[0]);
    equal(&read.held.at[0], &run.held.at[0]);
    equal(&read.known.at[0], &run.known.at[0]);
    for (size_t i = 0; i < 2; i++) {
        const struct original *one = &read.files.at[i], *other = &run.files.at[i];
        assert_string_equal(one->path, other->path);
        assert_string_equal(one->digest, other->digest);
        assert_true(one->mode == other->mode && one->size == other->size && !one->text == !other->text);
        if (one->text)
            assert_memory_equal(one->text, other->text, other->size);
    }
    (void)!arena_free(&arena);
}

static void broken(void **state) {
    (void)state;
    struct arena arena = {0};
    struct run run, read;
    size_t size;
    char *text = written(&arena, &run, &size);
    for (size_t less = 0; less < size; less++)
        assert_int_equal(run_read(&arena, text, less, &read), -1);
    char *more = arena_copy_bytes(&arena, text, size);
    assert_non_null(more);
    assert_int_equal(run_read(&arena, more, size + 1, &read), -1);
    static const char other[] = "pinfold run 2", number[] = "pinfold run 1\0x\0001",
                      relative[] = "pinfold run 1\0001\0001\0001\0001\0001\0001\0001\0001\0w\0001\0001\0000\0000\0000";
    assert_int_equal(run_read(&arena, other, sizeof other, &read), -1);
    assert_int_equal(run_read(&arena, number, sizeof number, &read), -1);
    assert_int_equal(run_read(&arena, relative, sizeof relative, &read), -1);
    (void)!arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
