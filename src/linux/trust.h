/* trust.h: which .pinfold.json the operator has looked at: pinned by path and SHA-256 in ~/.config/pinfold/trust.json
 * of the account, {"trust": 1, "files": {PATH: SHA-256}}. */
#ifndef PINFOLD_LINUX_TRUST_H
#define PINFOLD_LINUX_TRUST_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

struct pin {
    const char *path, *sha256;
};

struct trust {
    const char *path; /* of trust.json */
    LIST(struct pin) pins;
};

/* Read the pins below this home. A file that isn't there has none; one that others could change is 125. */
int trust_read(struct arena *arena, const char *home, struct trust *trust, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The pin of this path, or NULL. */
const struct pin *trust_find(const struct trust *trust, const char *path) __attribute__((nonnull));

/* Pin `path` to a digest, or take its pin away (sha256 NULL). Reads the pins anew under a lock, writes a file beside
 * trust.json and renames it; makes the folders it needs with mode 0700, the file has 0600. */
int trust_change(struct arena *arena, const char *home, const char *path, const char *sha256, struct error *err)
    __attribute__((nonnull(1, 2, 3, 5), warn_unused_result));

#endif
