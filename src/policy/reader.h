/* reader.h: the text of a policy file as a layer. Pure.
 *
 * Everything in the layer has FILE:LINE:COLUMN: KEY as its origin. What is there, what is a list and what a number is
 * also written down in policies/policy.schema.json, which the tests hold against this. */
#ifndef PINFOLD_POLICY_READER_H
#define PINFOLD_POLICY_READER_H

#include "policy/policy.h"

enum document_kind {
    DOCUMENT_OPERATOR = 1,  /* paths are absolute or begin with ~/ */
    DOCUMENT_PROFILE = 2,   /* the same, with the keys of a profile: those that are built in */
    DOCUMENT_WORKSPACE = 4, /* paths may be relative to the workspace; says nothing about other layers */
};

struct source {
    enum document_kind kind;
    const char *name;   /* how messages call it */
    const char *home;   /* what ~ means; NULL: nothing */
    const char *folder; /* DOCUMENT_WORKSPACE: the workspace, absolute */
};

/* Fill *policy, which is zeroed first. 125 with the place and, for a misspelt word, the nearest one. Strings are in the
 * arena; source->name is kept. */
int policy_read(struct arena *arena, const struct source *source, const char *bytes, size_t size, struct policy *policy,
                struct error *err) __attribute__((nonnull, warn_unused_result));

/* May a profile be called that? Letters, digits, '.', '_', '-'; 1 to 64 of them. */
bool profile_name_valid(const char *name) __attribute__((nonnull));

#endif
