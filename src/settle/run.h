/* run.h: what must be known of a run to settle it, kept in a file while it lasts: who finds the file unlocked knows
 * that its pinfold was killed, and settles in its place. */
#ifndef PINFOLD_SETTLE_RUN_H
#define PINFOLD_SETTLE_RUN_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct thing {
    const char *path;
    dev_t dev;
    ino_t ino;
};

/* What a file was when the run began. */
struct original {
    const char *path;
    char digest[65];  /* SHA-256 of its content; "-" of what is no file of a megabyte or less */
    const char *text; /* NULL: not kept */
    size_t size;
    mode_t mode;
};

struct run {
    struct timespec since;       /* by the clock of files */
    struct timespec running;     /* the clock that nobody sets (CLOCK_BOOTTIME), then */
    bool git_writable;           /* the git directories of the roots may be changed */
    bool protects;               /* what is in `held` is all of the built-in list that was there */
    LIST(struct thing) roots;    /* the folders that the command may change; none lies in another */
    LIST(struct thing) held;     /* the kernel held these in place */
    LIST(struct thing) known;    /* git directories that were there */
    LIST(struct original) files; /* where times say nothing, and configurations that may be changed */
    bool by_content;             /* the file systems don't tell all changes by time */
};

/* -1: memory, or a text that is no record. */
char *run_write(struct arena *arena, const struct run *run, size_t *size) __attribute__((nonnull, warn_unused_result));
int run_read(struct arena *arena, const char *text, size_t size, struct run *run)
    __attribute__((nonnull, warn_unused_result));

/* Put the files in order, by path; run_read has done so. The first of them with this path; do they have it there? */
void run_sort(struct run *run) __attribute__((nonnull));
size_t run_find(const struct run *run, const char *path) __attribute__((nonnull));
bool run_has(const struct run *run, size_t at, const char *path) __attribute__((nonnull));

#endif
