/* reading.h: what the two halves of the reader have in common: reader.c knows the keys, reader_values.c what each may
 * be. */
#ifndef PINFOLD_POLICY_READING_H
#define PINFOLD_POLICY_READING_H

#include "policy/document.h"
#include "policy/reader.h"

/* One object that is being read into a layer: the whole file, or a profile in it. */
struct reading {
    struct arena *arena;
    const struct source *source;
    const struct document *document;
    struct policy *policy;
    struct profile *profile; /* NULL: not in one */
    struct error *err;
};

/* What reads the value of a key. `member` has the key. 0, or -1 with *reading->err. */
typedef int take_value(struct reading *reading, const struct node *member);

take_value take_schema, take_read, take_write, take_create, take_deny, take_socket, take_env, take_waive, take_mode,
    take_git, take_protect, take_timeout, take_grace, take_output_limit, take_toolchains, take_backend, take_profile,
    take_extends, take_session, take_never;

/* A string that says what is wanted otherwise; NULL with the error set. */
const char *string_of(struct reading *reading, const struct node *node, const char *key, const char *wanted);

/* "; did you mean X?" or what may stand there, written to `out`. */
const char *hint_of(const char *word, const char *const *words, size_t count, char *out, size_t room);

#endif
