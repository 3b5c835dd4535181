/* protected.h: what in writable roots was found that must not change, and what makes that impossible. */
#ifndef PINFOLD_PLAN_PROTECTED_H
#define PINFOLD_PLAN_PROTECTED_H

#include "plan/place.h"

#include <stdbool.h>

enum protected_kind {
    PROTECTED_GIT,           /* a git directory, or what its configuration names */
    PROTECTED_CONFIGURATION, /* of editors, agents, shells: built in */
    PROTECTED_ASKED,         /* by the operator, or the workspace's own file */
};

/* A folder or a file; or a symlink, which can be kept in its place only: what it leads to is another one. */
struct protected {
    struct place place;
    enum protected_kind kind;
    const char *why; /* for explain */
};

/* A file that another name of the same file could change, a link that leads to a whole root: why, and what mends it. */
struct obstacle {
    enum protected_kind kind;
    const char *path, *text;
};

/* A repository that was met when an earlier run was settled. */
struct repository {
    const char *path; /* of its git directory */
    dev_t dev;
    ino_t ino;
    bool made; /* by a command in a box: it isn't held, and judged whole each time */
};

struct protection {
    LIST(struct repository) remembered;
    LIST(struct protected) held;
    LIST(struct obstacle) obstacles;
    LIST(struct place) asked; /* one for each of policy->protects */
};

/* Names in the top folder of a writable root that are configuration of programs that run code on the host: editors,
 * agents, debuggers, shells' helpers, version control. Not prose, and not build files. NULL-terminated. */
extern const char *const protected_names[];

/* Is `name` the first part of a path of a table, or all of it? In whatever letters: a file system may have no regard to
 * case, and what is looked at then is the path of the table. */
bool protected_begins(const char *listed, const char *name) __attribute__((nonnull));

/* In a repository without a work tree, its top folder. */
extern const char *const protected_bare_names[];

#endif
