/* Unit tests of policy/document: every node knows where it stands, and what is no JSON is refused at its place. */
#include "policy/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct document document;
static struct error err;

static const struct node *parse(const char *text) {
    if (document_parse(&arena, "F", text, strlen(text), &document, &err))
        fail_msg("%s", err.text);
    return &document.root;
}

static void refused(const char *text, size_t size, const char *start) {
    err = (struct error){0};
    assert_int_equal(document_parse(&arena, "F", text, size, &document, &err), -1);
    assert_int_equal(err.status, EXIT_USAGE);
    if (strncmp(err.text, start, strlen(start)) != 0)
        fail_msg("%s: not at the beginning of %s", start, err.text);
}

static void kinds_and_places(void **state) {
    (void)state;
    static const char text[] = "{ \"a\": [1, -2.5e3, true, false, null, \"x\"],\n  \"b\\u0062\": {} }";
    const struct node *root = parse(text);
    static const enum node_kind kinds[] = {NODE_NUMBER, NODE_NUMBER, NODE_TRUE, NODE_FALSE, NODE_NULL, NODE_STRING};
    static const char starts[] = "1-tfn\"";
    assert_int_equal(root->count, 2);
    assert_int_equal(root->items[0].count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(root->items[0].items[i].kind, kinds[i]);
        assert_int_equal(text[root->items[0].items[i].at], starts[i]);
    }
    assert_string_equal(root->items[0].key, "a");
    assert_int_equal(root->items[0].key_at, 2);
    assert_int_equal(text[root->items[0].at], '[');
    assert_string_equal(root->items[1].key, "bb");
    assert_int_equal(text[root->items[1].key_at], '"');
    assert_int_equal(root->items[1].kind, NODE_OBJECT);
    assert_string_equal(document_origin(&arena, &document, root->items[1].at, "k"), "F:2:14: k");
}

static void members_keep_their_order(void **state) {
    (void)state;
    char text[4096] = "{", name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%s\"k%d\": \"v%d\"", i ? ", " : "", i * 7919 % 1000, i);
        strcat(text, name);
    }
    const struct node *root = parse(strcat(text, "}"));
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "v%d", i);
        assert_string_equal(root->items[i].text, name);
        assert_int_equal(memcmp(text + root->items[i].at + 1, name, strlen(name)), 0);
    }
}

static void comments(void **state) {
    (void)state;
    const struct node *root = parse("// \"a\n{// }\n\"k\": \"// \\\" //\", // x\n \"l\": 1}//");
    assert_int_equal(root->count, 2);
    assert_string_equal(root->items[0].text, "// \" //");
    assert_string_equal(document_origin(&arena, &document, root->items[1].key_at, "l"), "F:4:2: l");
    refused("{} / /", 6, "F:1:4: ");
    refused("{\"a\" // :\n}", 11, "F:2:1: ");
    refused("{\"a\": \"\n// \"}", 13, "F:1:7: ");
}

static void sizes(void **state) {
    (void)state;
    static char text[DOCUMENT_SIZE_MAX + 2];
    memset(text, ' ', sizeof text);
    memcpy(text, "{}", 2);
    assert_int_equal(document_parse(&arena, "F", text, DOCUMENT_SIZE_MAX, &document, &err), 0);
    refused(text, DOCUMENT_SIZE_MAX + 1, "F: larger than 1 MiB");
    refused("", 0, "F:1:1: ");
}

static void depth(void **state) {
    (void)state;
    char text[64] = "{\"a\":";
    memset(text + 5, '[', 15);
    memset(text + 20, ']', 15);
    strcpy(text + 35, "}");
    parse(text);
    refused("[[[[[[[[[[[[[[[[[", 17, "F:1:17: ");
    parse("{\"a\": \"[[[[[[[[[[[[[[[[[[[[[[[[[\"}");
}

static void bytes_that_are_no_text(void **state) {
    (void)state;
    refused("{\0}", 3, "F:1:2: ");
    refused("{\n\xc3}", 4, "F:2:1: ");
    refused("{}\xe2\x82", 4, "F:1:3: "); /* cut at the end */
    refused("\xef\xbb\xbf{}", 5, "F:1:1: ");
}

static void the_second_of_two_keys(void **state) {
    (void)state;
    refused("{\"a\": {\"b\": 1}, \"b\": 2, \"a\": 3}", 31, "F:1:25: the key a is there twice");
    refused("{\"a\": \"a\", \"\\u0061\": 3}", 23, "F:1:12: the key");
    refused("{\"a\": 1, \"a\": 2, [", 18, "F:1:10: the key"); /* what follows isn't looked at */
    parse("{\"a\": {\"a\": {\"a\": 1}}}");
}

static void roots(void **state) {
    (void)state;
    refused("[]", 2, "F:1:1: an object is wanted");
    refused("1", 1, "F:1:1: ");
    refused(" \"x\"", 4, "F:1:2: ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_places),
        cmocka_unit_test(members_keep_their_order),
        cmocka_unit_test(comments),
        cmocka_unit_test(sizes),
        cmocka_unit_test(depth),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(the_second_of_two_keys),
        cmocka_unit_test(roots),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
