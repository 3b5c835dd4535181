/* pattern.h: the words of --deny. Pure.
 *
 * A word without wildcards is a path, letter by letter. With one, `*` and `?` stand for any bytes of one name, and a
 * component `**` for any number of folders, none too. A backslash takes that meaning from the `*`, `?` or backslash
 * after it; before anything else it is itself. */
#ifndef PINFOLD_POLICY_PATTERN_H
#define PINFOLD_POLICY_PATTERN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_COMPONENTS_MAX = 60 };

bool pattern_has_wildcard(const char *word) __attribute__((nonnull));

/* The path that a word without wildcards means. NULL when out of memory. */
char *pattern_path(struct arena *arena, const char *word) __attribute__((nonnull, warn_unused_result));

/* A word that means just this path. NULL when out of memory. */
char *pattern_escape(struct arena *arena, const char *path) __attribute__((nonnull, warn_unused_result));

/* An absolute word, cut at its slashes: "." and empty components are left out. */
struct pattern {
    const char *component[PATTERN_COMPONENTS_MAX];
    size_t count;
};

/* NULL, or what is wanted instead. Out of memory: *failed. */
const char *pattern_cut(struct arena *arena, const char *word, struct pattern *pattern, bool *failed)
    __attribute__((nonnull, warn_unused_result));

/* How far a path has come in a pattern: a set of components that may be next. 0: nothing below can match. */
uint64_t pattern_begin(const struct pattern *pattern) __attribute__((nonnull));
uint64_t pattern_step(const struct pattern *pattern, uint64_t state, const char *name) __attribute__((nonnull));
bool pattern_matches(const struct pattern *pattern, uint64_t state) __attribute__((nonnull));

/* The state after all components of an absolute path, or that of the first one that matches: then *matched is its
 * length in bytes, else 0. */
uint64_t pattern_walk(const struct pattern *pattern, const char *path, size_t *matched) __attribute__((nonnull));

/* The one name that can follow, or NULL: several can, or none. */
const char *pattern_only(const struct pattern *pattern, uint64_t state) __attribute__((nonnull));

#endif
