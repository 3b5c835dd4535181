/* copy.h: a file or a folder taken to another file system, where it can't be renamed to. */
#ifndef PINFOLD_SETTLE_COPY_H
#define PINFOLD_SETTLE_COPY_H

enum { COPY_DEPTH = 64 };

/* Copy `name` in the folder `from` to `new_name`, which isn't there, in the folder `to`: regular files, folders and
 * symlinks, with their modes but set-ID bits and with their times; what else is in a folder is left out. Links are not
 * followed. -1 with errno; what was copied stays. ELOOP: deeper than COPY_DEPTH. */
int copy_tree(int from, const char *name, int to, const char *new_name);

/* Remove `name` in the folder `at`, and what is in it. -1 with errno; what was not removed stays. */
int copy_remove(int at, const char *name);

#endif
