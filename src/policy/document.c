/* document.c (pure): see document.h. */
#include "policy/document.h"

#include "base/path.h"

#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS /* without them a list of many lists takes quadratic time */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <jsmn.h>
#pragma GCC diagnostic pop

const char *node_kind_name(enum node_kind kind) {
    static const char *const names[] = {
        [NODE_OBJECT] = "an object", [NODE_LIST] = "a list", [NODE_STRING] = "a string", [NODE_NUMBER] = "a number",
        [NODE_TRUE] = "true",        [NODE_FALSE] = "false", [NODE_NULL] = "null"};
    return names[kind];
}

/* The number of newlines before an offset; *start is where its line begins. */
static size_t line_of(const struct document *document, size_t at, size_t *start) {
    size_t low = 0, high = document->newlines.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (document->newlines.at[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    *start = low ? document->newlines.at[low - 1] + 1 : 0;
    return low;
}

int document_error(const struct document *document, size_t at, struct error *err, const char *format, ...) {
    char text[sizeof err->text];
    size_t start, line = line_of(document, at, &start);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(err, EXIT_USAGE, "%s:%zu:%zu: %s", document->name, line + 1, at - start + 1, text);
}

const char *document_origin(struct arena *arena, const struct document *document, size_t at, const char *key) {
    size_t start, line = line_of(document, at, &start);
    return arena_printf(arena, "%s:%zu:%zu: %s", document->name, line + 1, at - start + 1, key);
}

/* What the two libraries don't check, or not with a place: encoding, NUL, depth. Comments become spaces, so that every
 * offset stays. A newline ends a string here: in JSON it can't stand in one, which jansson says later. */
static int prepare(struct document *document, char *text, struct error *err) {
    bool string = false;
    int depth = 0;
    for (size_t at = 0; at < document->size;) {
        size_t size = utf8_length(text + at); /* the text ends with a NUL, so this stays in it */
        char byte = text[at];
        if (!byte)
            return document_error(document, at, err, "a NUL byte, which no policy can have");
        if (!size)
            return document_error(document, at, err, "not valid UTF-8 (byte 0x%02x)", (unsigned char)byte);
        if (!at && size == 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
            return document_error(document, at, err, "the file begins with a byte order mark; save it without one");
        if (string) {
            if (byte == '\\' && (text[at + 1] == '"' || text[at + 1] == '\\'))
                size = 2;
            string = byte != '"' && byte != '\n';
        } else if (byte == '"') {
            string = true;
        } else if (byte == '/' && text[at + 1] == '/') {
            for (; at < document->size && text[at] != '\n'; at += size) {
                size = utf8_length(text + at);
                if (!size)
                    return document_error(document, at, err, "%s", text[at] ? "not valid UTF-8" : "a NUL byte");
                memset(text + at, ' ', size);
            }
            continue;
        } else if ((byte == '{' || byte == '[') && ++depth > DOCUMENT_DEPTH_MAX) {
            return document_error(document, at, err, "more than %d objects and lists in one another",
                                  DOCUMENT_DEPTH_MAX);
        } else if (byte == '}' || byte == ']') {
            depth--;
        }
        at += size;
    }
    return 0;
}

/* jansson stops behind what it can't take and shows it as near '...': its start is meant. */
static size_t start_of_failure(const struct document *document, const char *text, const json_error_t *failure) {
    size_t at = failure->position > 0 ? (size_t)failure->position : 0;
    const char *near = strstr(failure->text, " near '");
    size_t length = near ? strlen(near + 7) : 0;
    if (at > document->size)
        at = document->size;
    if (length > 1 && near[7 + length - 1] == '\'' && length - 1 <= at &&
        memcmp(text + at - (length - 1), near + 7, length - 1) == 0)
        at -= length - 1;
    return at;
}

/* Mistakes that people make. NULL: another one. */
static const char *usual_mistake(const char *text, size_t at, const char *said) {
    if ((text[at] == '/' && text[at + 1] == '*') || text[at] == '#')
        return "comments begin with // and end with the line";
    if (text[at] == '\'')
        return "strings stand in \"\", not in ''";
    if (strncmp(said, "string or '}' expected", 22) == 0 && isalpha((unsigned char)text[at]))
        return "keys stand in \"\", as strings do";
    if (strstr(said, "}' expected near '\"") || strstr(said, "]' expected near '\""))
        return "a comma is missing before this";
    return NULL;
}

static int syntax_error(const struct document *document, const char *text, const json_error_t *failure,
                        struct error *err) {
    size_t at = start_of_failure(document, text, failure), before = at;
    while (before && strchr(" \t\r\n", text[before - 1]))
        before--;
    if (at >= document->size && !before)
        return document_error(document, at, err, "there is nothing in the file; a policy that says nothing is {}");
    if (json_error_code(failure) == json_error_premature_end_of_input || at >= document->size)
        return document_error(document, document->size, err, "the file ends in the middle of something");
    if ((text[at] == '}' || text[at] == ']') && before && text[before - 1] == ',')
        return document_error(document, before - 1, err, "no comma belongs before the closing %c", text[at]);
    const char *usual = usual_mistake(text, at, failure->text);
    if (usual)
        return document_error(document, at, err, "%s", usual);
    if (json_error_code(failure) == json_error_null_character)
        return document_error(document, at, err, "\\u0000, which no policy can have");
    if (json_error_code(failure) == json_error_end_of_input_expected)
        return document_error(document, at, err, "something follows after the end of the object");
    return document_error(document, at, err, "not JSON: %s", failure->text);
}

struct tree {
    struct arena *arena;
    const jsmntok_t *tokens;
    size_t count, next;
    bool memory; /* there is none left */
};

/* Give the next token and its value a node. -1: out of memory, or the two libraries differ. */
static int build(struct tree *tree, json_t *value, struct node *node);

static int build_items(struct tree *tree, json_t *value, struct node *node, int size) {
    size_t count = json_is_object(value) ? json_object_size(value) : json_array_size(value), i = 0;
    if (size < 0 || count != (size_t)size)
        return -1;
    node->items = count ? arena_alloc(tree->arena, count * sizeof *node->items) : NULL;
    tree->memory |= count && !node->items;
    if (count && !node->items)
        return -1;
    node->count = count;
    if (!json_is_object(value)) {
        for (; i < count; i++)
            if (build(tree, json_array_get(value, i), &node->items[i]))
                return -1;
        return 0;
    }
    /* jansson keeps the order of an object's members */
    for (void *member = json_object_iter(value); member; member = json_object_iter_next(value, member), i++) {
        if (i == count || tree->next == tree->count || tree->tokens[tree->next].type != JSMN_STRING)
            return -1;
        struct node *item = &node->items[i];
        item->key_at = (size_t)tree->tokens[tree->next++].start - 1; /* jsmn leaves the quotes out */
        item->key = arena_copy(tree->arena, json_object_iter_key(member));
        tree->memory |= !item->key;
        if (!item->key || build(tree, json_object_iter_value(member), item))
            return -1;
    }
    return i == count ? 0 : -1;
}

static int build(struct tree *tree, json_t *value, struct node *node) {
    static const enum node_kind kinds[] = {
        [JSON_OBJECT] = NODE_OBJECT,  [JSON_ARRAY] = NODE_LIST,  [JSON_STRING] = NODE_STRING,
        [JSON_INTEGER] = NODE_NUMBER, [JSON_REAL] = NODE_NUMBER, [JSON_TRUE] = NODE_TRUE,
        [JSON_FALSE] = NODE_FALSE,    [JSON_NULL] = NODE_NULL};
    static const jsmntype_t types[] = {
        [NODE_OBJECT] = JSMN_OBJECT,    [NODE_LIST] = JSMN_ARRAY,     [NODE_STRING] = JSMN_STRING,
        [NODE_NUMBER] = JSMN_PRIMITIVE, [NODE_TRUE] = JSMN_PRIMITIVE, [NODE_FALSE] = JSMN_PRIMITIVE,
        [NODE_NULL] = JSMN_PRIMITIVE};
    if (!value || tree->next == tree->count)
        return -1;
    const jsmntok_t *token = &tree->tokens[tree->next++];
    node->kind = kinds[json_typeof(value)];
    if (token->type != types[node->kind])
        return -1;
    node->at = (size_t)token->start - (node->kind == NODE_STRING ? 1 : 0);
    if (node->kind == NODE_OBJECT || node->kind == NODE_LIST)
        return build_items(tree, value, node, token->size);
    if (node->kind != NODE_STRING)
        return 0;
    node->text = arena_copy(tree->arena, json_string_value(value));
    tree->memory |= !node->text;
    return node->text ? 0 : -1;
}

/* The tokens of the text as far as it can be read. *count is their number. */
static const jsmntok_t *tokenize(struct arena *arena, const struct document *document, const char *text,
                                 size_t *count) {
    jsmn_parser parser;
    jsmn_init(&parser);
    int room = jsmn_parse(&parser, text, document->size, NULL, 0);
    size_t size = room > 0 ? (size_t)room : document->size + 1; /* broken text: as many as there can be */
    jsmntok_t *tokens = arena_alloc(arena, size * sizeof *tokens);
    if (!tokens)
        return NULL;
    jsmn_init(&parser);
    (void)jsmn_parse(&parser, text, document->size, tokens, (unsigned)size);
    *count = parser.toknext;
    return tokens;
}

/* A key that stands twice: its second place. */
static int duplicate_error(struct arena *arena, const struct document *document, const char *text,
                           const json_error_t *failure, struct error *err) {
    size_t count = 0;
    const jsmntok_t *tokens = tokenize(arena, document, text, &count);
    if (!tokens)
        return error_memory(err);
    for (size_t i = 0; i < count; i++)
        if (tokens[i].type == JSMN_STRING && tokens[i].end + 1 == failure->position) {
            char shown[128];
            char *key = arena_copy_bytes(arena, text + tokens[i].start, (size_t)(tokens[i].end - tokens[i].start));
            return document_error(document, (size_t)tokens[i].start - 1, err, "the key %s is there twice",
                                  key ? path_show(key, shown, sizeof shown) : "");
        }
    return syntax_error(document, text, failure, err);
}

int document_parse(struct arena *arena, const char *name, const char *bytes, size_t size, struct document *document,
                   struct error *err) {
    *document = (struct document){.name = name, .size = size};
    if (size > DOCUMENT_SIZE_MAX)
        return error_set(err, EXIT_USAGE, "%s: larger than 1 MiB, which no policy is", name);
    char *text = arena_copy_bytes(arena, bytes, size);
    if (!text)
        return error_memory(err);
    for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))); at++) {
        size_t *newline = list_add(arena, &document->newlines);
        if (!newline)
            return error_memory(err);
        *newline = (size_t)(at - text);
    }
    if (prepare(document, text, err))
        return -1;
    json_error_t failure;
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &failure);
    if (!value)
        return json_error_code(&failure) == json_error_out_of_memory ? error_memory(err)
               : json_error_code(&failure) == json_error_duplicate_key
                   ? duplicate_error(arena, document, text, &failure, err)
                   : syntax_error(document, text, &failure, err);
    struct tree tree = {.arena = arena};
    tree.tokens = tokenize(arena, document, text, &tree.count);
    int failed = !tree.tokens || build(&tree, value, &document->root) || tree.next != tree.count;
    json_decref(value);
    if (!tree.tokens || tree.memory)
        return error_memory(err);
    if (failed)
        return error_set(err, EXIT_USAGE, "%s: two readers of JSON understand it differently, so neither is believed",
                         name);
    if (document->root.kind != NODE_OBJECT)
        return document_error(document, document->root.at, err, "an object is wanted: { ... }; this is %s",
                              node_kind_name(document->root.kind));
    return 0;
}
