/* workspace.h: the policy file that lies in the workspace, where anybody may have put it. It can only narrow, unless
 * the operator has pinned just this content with pinfold trust. */
#ifndef PINFOLD_BOX_WORKSPACE_H
#define PINFOLD_BOX_WORKSPACE_H

#include "policy/policy.h"

struct workspace_file {
    const char *path, *name; /* canonical; and as messages have it. NULL: there is none */
    struct policy layer;
    char sha256[65]; /* of its bytes */
};

/* Read WORKSPACE/.pinfold.json. `workspace` is as the operator wrote it; NULL: the current folder. A workspace that
 * can't be looked up has none: it is refused later. */
int workspace_read(struct arena *arena, const char *workspace, const char *home, struct workspace_file *file,
                   struct error *err) __attribute__((nonnull(1, 4, 5), warn_unused_result));

/* Where the file would stand, there or not; NULL with the error set when the workspace can't be looked up. */
const char *workspace_file_path(struct arena *arena, const char *workspace, struct error *err)
    __attribute__((nonnull(1, 3), warn_unused_result));

/* The last layer: narrow `merged`, and open what a pinned file opens. 125 for a file that opens and isn't pinned. */
int workspace_merge(struct arena *arena, const char *home, struct policy *merged, struct error *err)
    __attribute__((nonnull(1, 3, 4), warn_unused_result));

/* The canonical path of a workspace, there or not (NULL: the current folder); NULL with the error set. */
const char *workspace_path(struct arena *arena, const char *workspace, struct error *err)
    __attribute__((nonnull(1, 3), warn_unused_result));

#endif
