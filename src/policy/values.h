/* values.h: words that mean the same on the command line and in a policy file. Pure.
 *
 * Each returns NULL when the word is right and the result is filled, else what is wanted instead, for a message. */
#ifndef PINFOLD_POLICY_VALUES_H
#define PINFOLD_POLICY_VALUES_H

#include "plan/session.h"
#include "policy/policy.h"

const char *value_mode(const char *word, uint64_t *mode) __attribute__((nonnull));
const char *value_git(const char *word, uint64_t *git) __attribute__((nonnull));
const char *value_toolchains(const char *word, uint64_t *toolchains) __attribute__((nonnull));
const char *value_timeout(const char *word, uint64_t *milliseconds) __attribute__((nonnull));
const char *value_grace(const char *word, uint64_t *milliseconds) __attribute__((nonnull));
const char *value_output_limit(const char *word, uint64_t *bytes) __attribute__((nonnull));

/* NAME or NAME=VALUE. */
const char *value_variable(const char *word) __attribute__((nonnull));

/* The id of a session, or "none". `near` is what may have been meant by one that is wrong, or "". */
const char *value_session(const char *word, char near[SESSION_ID_MAX + 1]) __attribute__((nonnull));

/* A guarantee that may be waived. *near is the nearest name when there is no such guarantee, or NULL. */
const char *value_waiver(const char *word, int *guarantee, const char **near) __attribute__((nonnull));

#endif
