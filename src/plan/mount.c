/* mount.c (pure): see mount.h. */
#include "plan/mount.h"

#include "base/path.h"

struct mount *mount_over(const mount_list *mounts, const char *path) {
    for (size_t i = mounts->count; i-- > 0;)
        if (path_is_under(path, mounts->at[i].target))
            return &mounts->at[i];
    return NULL;
}
