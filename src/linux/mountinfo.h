/* mountinfo.h: the mounts that this process sees (proc(5)). */
#ifndef PINFOLD_LINUX_MOUNTINFO_H
#define PINFOLD_LINUX_MOUNTINFO_H

#include "base/lines.h"
#include "plan/probe.h"

struct mountinfo {
    const char *device;  /* of the file system, as major:minor */
    const char *root;    /* what of the file system is mounted, escapes undone */
    const char *point;   /* absolute path, escapes undone */
    const char *options; /* of the mount, comma-separated: ro,nosuid,... */
};

/* -1 with errno set. Ends with lines_close. */
int mountinfo_open(struct lines *lines) __attribute__((nonnull, warn_unused_result));

/* The next mount, good until the next call; false at the end or, with lines->failed, after a failure. */
bool mountinfo_next(struct lines *lines, struct mountinfo *mount) __attribute__((nonnull));

/* All of them, the later on top; texts are in the arena. -1 with errno set. */
int mountinfo_list(struct arena *arena, shown_list *mounts) __attribute__((nonnull, warn_unused_result));

#endif
