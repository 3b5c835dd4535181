/* document.h: strict JSON with // comments, as a tree in which everything knows where it stands.
 *
 * jansson decides what is JSON (duplicate keys, numbers, escapes, surrogates) and decodes strings; its values have no
 * place, so jsmn, which reads the same text, gives the offsets. A text that the two take differently is refused. */
#ifndef PINFOLD_POLICY_DOCUMENT_H
#define PINFOLD_POLICY_DOCUMENT_H

#include "base/arena.h"
#include "base/error.h"

enum {
    DOCUMENT_SIZE_MAX = 1 << 20, /* bytes */
    DOCUMENT_DEPTH_MAX = 16,     /* objects and lists in one another */
};

enum node_kind { NODE_OBJECT, NODE_LIST, NODE_STRING, NODE_NUMBER, NODE_TRUE, NODE_FALSE, NODE_NULL };

struct node {
    enum node_kind kind;
    size_t at;        /* byte offset in the text */
    const char *key;  /* of a member of an object; else NULL */
    size_t key_at;    /* offset of the key */
    const char *text; /* of a string: decoded, valid UTF-8, without NUL */
    struct node *items;
    size_t count; /* of an object or a list */
};

struct document {
    const char *name; /* how messages call it, safe to print */
    size_t size;
    struct node root;      /* always an object */
    LIST(size_t) newlines; /* their offsets */
};

/* Read `size` bytes. 125 as "NAME:LINE:COLUMN: what is wrong". Everything is in the arena; `bytes` may go afterwards.
 */
int document_parse(struct arena *arena, const char *name, const char *bytes, size_t size, struct document *document,
                   struct error *err) __attribute__((nonnull, warn_unused_result));

/* 125 for what stands at an offset. Returns -1. Lines and columns count from 1, columns in bytes. */
int document_error(const struct document *document, size_t at, struct error *err, const char *format, ...)
    __attribute__((nonnull(1, 3, 4), format(printf, 4, 5)));

/* "NAME:LINE:COLUMN: KEY"; NULL when out of memory. */
const char *document_origin(struct arena *arena, const struct document *document, size_t at, const char *key)
    __attribute__((nonnull, warn_unused_result));

/* "an object", "a list", "a string", ... */
const char *node_kind_name(enum node_kind kind);

#endif
