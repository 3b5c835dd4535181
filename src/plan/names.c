/* names.c (pure): see names.h. */
#include "plan/names.h"

#include "base/path.h"

#include <limits.h>
#include <string.h>

/* The mount that a path is on: the deepest, of several at one place the last. */
static const struct shown *mount_of(const shown_list *mounts, const char *path) {
    const struct shown *found = NULL;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct shown *mount = &mounts->at[i];
        if (path_is_under(path, mount->point) && (!found || strlen(mount->point) >= strlen(found->point)))
            found = mount;
    }
    return found;
}

/* "/" is before every path, and no part of it. */
static size_t length_of(const char *top) {
    return strcmp(top, "/") == 0 ? 0 : strlen(top);
}

/* `path`, which is at or below `from`, as it is called below `to`. */
static bool rename_to(const char *path, const char *from, const char *to, char *out) {
    const char *rest = path + length_of(from);
    size_t front = length_of(to), back = strcmp(rest, "/") == 0 ? 0 : strlen(rest);
    if (front + back >= PATH_MAX)
        return false;
    memcpy(out, to, front);
    memcpy(out + front, rest, back);
    out[front + back] = '\0';
    if (!front && !back)
        strcpy(out, "/");
    return true;
}

bool names_show(const shown_list *mounts, const char *top, const char *path) {
    char inner[PATH_MAX], name[PATH_MAX];
    if (path_is_under(path, top))
        return true;
    const struct shown *own = mount_of(mounts, path);
    if (!own || !rename_to(path, own->point, own->root, inner))
        return false;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct shown *mount = &mounts->at[i];
        if (mount != own && strcmp(mount->device, own->device) == 0 && path_is_under(inner, mount->root) &&
            rename_to(inner, mount->root, mount->point, name) && path_is_under(name, top))
            return true;
    }
    return false;
}

int names_other(struct arena *arena, const shown_list *mounts, const char *path, text_list *names) {
    char inner[PATH_MAX], name[PATH_MAX];
    const struct shown *own = mount_of(mounts, path);
    if (!own || !rename_to(path, own->point, own->root, inner))
        return 0;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct shown *mount = &mounts->at[i];
        if (mount == own || strcmp(mount->device, own->device) != 0 || !path_is_under(inner, mount->root) ||
            !rename_to(inner, mount->root, mount->point, name) || strcmp(name, path) == 0)
            continue;
        const char *copy = arena_copy(arena, name);
        if (!copy || text_add(arena, names, copy))
            return -1;
    }
    return 0;
}

int names_list(struct arena *arena, const shown_list *mounts, const char *path, text_list *names) {
    return text_add(arena, names, path) || names_other(arena, mounts, path, names) ? -1 : 0;
}

bool names_shared(const shown_list *mounts, const char *path) {
    char inner[PATH_MAX];
    const struct shown *own = mount_of(mounts, path);
    if (!own)
        return false;
    if (!rename_to(path, own->point, own->root, inner))
        return true;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct shown *mount = &mounts->at[i];
        bool same = strcmp(mount->device, own->device) == 0 &&
                    (path_is_under(mount->root, inner) || path_is_under(inner, mount->root));
        if (mount != own && (same || path_is_under(mount->point, path)))
            return true;
    }
    return false;
}

int names_parts(struct arena *arena, const shown_list *mounts, const char *path, text_list *points) {
    char inner[PATH_MAX];
    const struct shown *own = mount_of(mounts, path);
    if (!own || !rename_to(path, own->point, own->root, inner))
        return 0;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct shown *mount = &mounts->at[i];
        if (strcmp(mount->device, own->device) == 0 && path_is_under(mount->root, inner) &&
            strcmp(mount->root, inner) != 0 && !path_is_under(mount->point, path) &&
            text_add(arena, points, mount->point))
            return -1;
    }
    return 0;
}

bool names_meet(const shown_list *mounts, const char *a, const char *b) {
    return names_show(mounts, a, b) || names_show(mounts, b, a);
}
