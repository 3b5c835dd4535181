/* listings.h: which folders are in which, as a scan found them. Each name that comes or goes changes the time of its
 * folder (st_ctime), which nobody can set, so one that has the same still isn't listed again.
 *
 * Only a help: what can't be read, is damaged or isn't known is listed, and what can't be kept is listed next time. */
#ifndef PINFOLD_SETTLE_LISTINGS_H
#define PINFOLD_SETTLE_LISTINGS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

struct listing;

struct listings {
    const char *state, *root; /* the folder of what pinfold keeps, and the one that is looked through */
    struct bytes text;        /* as it was kept */
    const struct listing *known;
    const uint32_t *index;      /* by the hash of a folder: its place among the known plus one, 0: none */
    size_t count, slots;        /* of the known, of the index */
    struct bytes found, names;  /* of this scan */
    size_t fresh;               /* of what was found: not known before */
    struct timespec old_enough; /* what changed before it has got another time by what is done from now on */
};

/* What was kept for a root. Both texts stay the caller's. */
void listings_read(struct listings *listings, const char *state, const char *root) __attribute__((nonnull));

/* The names of the folders in this one, each with a NUL in front of it; NULL: it must be listed. */
const char *listings_find(const struct listings *listings, const struct stat *status, size_t *size)
    __attribute__((nonnull, warn_unused_result));

/* A folder with nothing in it that needs another look, and the status that it had before it was listed. */
void listings_note(struct listings *listings, const struct stat *status, const char *names, size_t size)
    __attribute__((nonnull(1, 2)));

/* Keep what was found, when that is worth it. */
void listings_write(struct listings *listings) __attribute__((nonnull));

void listings_free(struct listings *listings) __attribute__((nonnull));

#endif
