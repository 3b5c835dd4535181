/* Unit tests of base/digest: the examples that the standard's authors publish, and the lengths where padding turns. */
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void is(const void *bytes, size_t size, const char *wanted) {
    char hex[65];
    memset(hex, '#', sizeof hex);
    digest_sha256(bytes, size, hex);
    assert_string_equal(hex, wanted);
}

static void nothing(void **state) {
    (void)state;
    static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    is("", 0, empty);
    is(NULL, 0, empty);
}

static void short_texts(void **state) {
    (void)state;
    is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_times_a(void **state) {
    (void)state;
    char *text = malloc(1000000);
    assert_non_null(text);
    memset(text, 'a', 1000000);
    is(text, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

/* Around a block of 64 bytes, whose last eight hold the length. */
static void lengths_where_padding_turns(void **state) {
    (void)state;
    static const struct {
        size_t size;
        const char *wanted;
    } rows[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
    };
    char text[128];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        is(text, rows[i].size, rows[i].wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(short_texts),
        cmocka_unit_test(a_million_times_a),
        cmocka_unit_test(lengths_where_padding_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
