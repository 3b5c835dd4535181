/* scan.h: every folder below one, each given to a function if there is something in it that programs look for. */
#ifndef PINFOLD_SETTLE_SCAN_H
#define PINFOLD_SETTLE_SCAN_H

#include "base/error.h"
#include "settle/listings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* A folder that was listed, with what its names say. */
struct scanned {
    int fd;           /* it, for reading */
    const char *path; /* as it was reached; good until the function returns */
    bool git;         /* it holds `.git` */
    bool bare;        /* what it holds is a git directory */
};

struct scan {
    void *context;
    /* -1 ends the scan, with *err filled. May change what is in the folder. */
    int (*folder)(void *context, const struct scanned *scanned);
    /* A folder of the caller's that its owner was shut out of, with its status as it was, is open now. 1: it is to be
     * closed again; 0: it stays open; -1: as above. */
    int (*closed)(void *context, const char *path, const struct stat *status);
    /* Can nothing have changed below this folder? Asked for names that begin with a dot. */
    bool (*skip)(void *context, const char *path);
    /* A symlink, FIFO, socket or device in a folder: its name and type (DT_*). Once for each. */
    int (*oddity)(void *context, const struct scanned *scanned, const char *name, unsigned char type);
    /* Unless NULL: a folder in a folder, by its name and inode. */
    int (*child)(void *context, const struct scanned *scanned, const char *name, uint64_t inode);
    struct listings *listings; /* of this root; NULL: every folder is listed */
    struct error *err;
    size_t folders; /* that were looked at */
    size_t unseen;  /* those of others, that this caller may not list: neither may the command */
};

/* Everything below `root`, mounts included, links not followed; at any depth, by a few descriptors. A folder of the
 * caller's that was closed to its owner is opened for the time being. 0, or -1 with *err. */
int scan_tree(struct scan *scan, const char *root) __attribute__((nonnull, warn_unused_result));

#endif
