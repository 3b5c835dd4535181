/* search.h: the search for what must not change in writable roots: what its parts have in common. Part of the probe. */
#ifndef PINFOLD_LINUX_SEARCH_H
#define PINFOLD_LINUX_SEARCH_H

#include "base/error.h"
#include "plan/probe.h"
#include "policy/policy.h"

struct search {
    struct arena *arena;
    const struct policy *policy;
    struct probe *probe;
    struct error *err;
    text_list roots; /* the folders that the command may change */
    size_t entries;  /* of folders looked through so far */
    bool names_only; /* it doesn't matter what else could make it impossible to hold them */
};

/* What is looked for, and why it would be held. */
struct sought {
    enum protected_kind kind;
    const char *why;
};

/* Each returns 0, or -1: memory, or *search->err says what could not be looked at. What isn't there, or out of the
 * caller's reach, is passed over: so it is for the command, and what is not there can't be held. */

/* Hold what `path` leads to, and each symlink on the way in its place, so far as the command could change them.
 * *found, unless NULL, is what it leads to; ->path is NULL when that is nothing. */
int search_follow(struct search *search, const char *path, struct sought sought, struct place *found)
    __attribute__((nonnull(1, 2), warn_unused_result));

/* The links in a folder that is held: follow them, those in folders below it to this depth as well. */
int search_links(struct search *search, const char *folder, int depth, struct sought sought)
    __attribute__((nonnull, warn_unused_result));

/* A look at `path` failed. 0: so there is nothing for this caller, nor for the command; -1: who knows, and *search->err
 * says so. */
int search_failed(const struct search *search, const char *path, int error)
    __attribute__((nonnull, warn_unused_result));

/* Does a writable root show this name? */
bool search_inside(const struct search *search, const char *path) __attribute__((nonnull));

/* Why what a git configuration names is held: of all that has this reason, the pointer is this one. */
extern const char search_named[];

/* The git directory of a folder, and what its configuration names. `folder` is canonical. */
int search_git(struct search *search, const char *folder) __attribute__((nonnull, warn_unused_result));

#endif
