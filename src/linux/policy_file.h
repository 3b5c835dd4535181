/* policy_file.h: the bytes of policy files, from places that others can't write to. */
#ifndef PINFOLD_LINUX_POLICY_FILE_H
#define PINFOLD_LINUX_POLICY_FILE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

#define POLICY_FILE_SYSTEM "/etc/pinfold/policy.json"
#define POLICY_FILE_USER_FOLDER ".config/pinfold" /* in the home of the account, with policy.json and trust.json */
#define POLICY_FILE_WORKSPACE ".pinfold.json"     /* in the workspace */

struct policy_file {
    const char *name;  /* for messages: as it was asked for, safe to print */
    const char *path;  /* canonical; NULL: it has none (a pipe, memory) */
    text_list guards;  /* the file, there or not, and the symlinks that lead to it: no command may change them */
    const char *bytes; /* followed by a NUL */
    size_t size;
    bool found; /* else it isn't there, which is only possible where that is allowed */
};

/* An operator's file. It and every folder and link on the way must be root's or the caller's and closed to others; it
 * must be a regular file of at most 1 MiB. `optional`: it may be absent (ENOENT, ENOTDIR). Else 125 or 126. */
int policy_file_read(struct arena *arena, const char *path, bool optional, struct policy_file *file, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* "fd:N", N from 3 on: a regular file or memory, from its beginning, or a pipe, to its end. Who handed it in answers
 * for it. */
int policy_file_read_descriptor(struct arena *arena, const char *word, struct policy_file *file, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The path of a workspace's file; NULL when out of memory. */
const char *policy_file_workspace(struct arena *arena, const char *workspace)
    __attribute__((nonnull, warn_unused_result));

/* That file, if it is there. It may be anybody's, but no symlink. */
int policy_file_read_workspace(struct arena *arena, const char *workspace, struct policy_file *file, struct error *err)
    __attribute__((nonnull, warn_unused_result));

#endif
