/* overlay.h: folders of the host that are seen through an overlay of the box's own. */
#ifndef PINFOLD_LINUX_OVERLAY_H
#define PINFOLD_LINUX_OVERLAY_H

#include "linux/mounts.h"

/* Lay a read-only overlay over a tree that is bound at the mount's target: what is in it, but for FIFOs and sockets,
 * which lead nowhere. -1 with errno set. */
int overlay_view(const struct build *build, const struct mount *mount) __attribute__((nonnull, warn_unused_result));

/* The same, but for what the mount hides, which is absent whatever the host does. `errno` as for overlay_view. */
int overlay_hide(const struct build *build, const struct mount *mount) __attribute__((nonnull, warn_unused_result));

/* Mount the mount's source at `target`, writable, so that it stays as it is: what is changed is in memory that no path
 * of the box leads to, and ends with the box; nor does any path lead to the source. `prepared` as for mounts_bind. -1
 * with errno set: EOPNOTSUPP when a tmpfs has no extended attributes, EOVERFLOW when the source's owner isn't in the id
 * map.
 */
int overlay_discard(const struct build *build, const struct mount *mount, struct spot target, int prepared)
    __attribute__((nonnull, warn_unused_result));

#endif
