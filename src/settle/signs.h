/* signs.h: is a folder one that git looks into? By the names in it. */
#ifndef PINFOLD_SETTLE_SIGNS_H
#define PINFOLD_SETTLE_SIGNS_H

#include <stdbool.h>

enum { SIGN_GIT, SIGN_HEAD, SIGN_OBJECTS, SIGN_REFS, SIGN_COMMON, SIGNS };

struct signs {
    bool is[SIGNS];
    bool maybe; /* there is a name that a file system without regard to case may take for one of them */
};

void signs_take(struct signs *signs, const char *name) __attribute__((nonnull));

/* When all names were taken: those that have another spelling in this open folder. -1 with *sign: it can't be looked
 * at. */
int signs_spelled(struct signs *signs, int fd, const char **sign) __attribute__((nonnull, warn_unused_result));

/* Can git take it for a git directory? HEAD alone may lie in another: that of a further work tree, which shares the
 * rest of this one. */
bool signs_bare(const struct signs *signs) __attribute__((nonnull));

#endif
