/* remember.c (touching: files). See remember.h. STATE/repositories has a file for each root, by the hash of its path:
 * fields that end with NUL, "held" or "made", path, device, inode. */
#include "settle/remember.h"

#include "base/digest.h"
#include "base/fd.h"
#include "base/fields.h"
#include "base/path.h"
#include "linux/resolve.h"
#include "linux/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 16 << 20 };

static const char folder[] = "repositories", held[] = "held", made[] = "made";

/* The whole file; NULL with *size 0: there is none. */
static int read_all(struct arena *arena, int store, const char *name, char **text, size_t *size) {
    struct stat status;
    *text = NULL;
    *size = 0;
    autoclose int fd = openat(store, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    errno = EFBIG;
    if (fstat(fd, &status) || status.st_size > FILE_MAX)
        return -1;
    *text = arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t got = *text ? fd_read_all(fd, *text, (size_t)status.st_size) : -1;
    *size = got < 0 ? 0 : (size_t)got;
    return got < 0 ? -1 : 0;
}

int remember_read(struct arena *arena, const char *state, const char *root, repository_list *all, struct error *err) {
    char name[65], file[PATH_MAX], *text;
    size_t size;
    if (!state)
        return 0;
    digest_sha256(root, strlen(root), name);
    if (snprintf(file, sizeof file, "%s/%s/%s", state, folder, name) < (int)sizeof file && access(file, F_OK))
        return resolve_absent(errno) ? 0 : store_cannot(file, errno, err); /* mostly none, at the cost of one call */
    autoclose int store = store_open(state, folder, false, err);
    if (store < 0)
        return err->status ? -1 : 0;
    if (read_all(arena, store, name, &text, &size))
        return store_cannot(folder, errno, err);
    const char *at = text, *end = text + size;
    for (const char *kind; at && (kind = fields_next(&at, end));) {
        const char *path = fields_next(&at, end), *dev = path ? fields_next(&at, end) : NULL,
                   *ino = dev ? fields_next(&at, end) : NULL;
        if (!ino || !path_is_canonical(path) || !path_is_under(path, root))
            break; /* it was broken off, or isn't ours */
        struct repository *added = list_add(arena, all);
        if (!added)
            return error_memory(err);
        *added = (struct repository){.path = path,
                                     .dev = (dev_t)strtoull(dev, NULL, 10),
                                     .ino = (ino_t)strtoull(ino, NULL, 10),
                                     .made = strcmp(kind, made) == 0};
    }
    return 0;
}

/* The text of a file with these. */
static char *compose(struct arena *arena, const char *root, const repository_list *all, size_t *size) {
    size_t room = 1, counts[2] = {0};
    for (size_t i = 0; i < all->count; i++)
        room += strlen(all->at[i].path) + 64;
    char *text = arena_alloc(arena, room);
    *size = 0;
    for (size_t i = 0; text && i < all->count; i++) {
        const struct repository *one = &all->at[i];
        if (!path_is_under(one->path, root) || ++counts[one->made] > (one->made ? REMEMBERED_MADE : REMEMBERED_HELD))
            continue;
        *size += (size_t)sprintf(text + *size, "%s", one->made ? made : held) + 1;
        *size += (size_t)sprintf(text + *size, "%s", one->path) + 1;
        *size += (size_t)sprintf(text + *size, "%" PRIu64, (uint64_t)one->dev) + 1;
        *size += (size_t)sprintf(text + *size, "%" PRIu64, (uint64_t)one->ino) + 1;
    }
    return text;
}

/* Is it what the probe read? */
static bool is_known(const char *root, const repository_list *all, const struct protection *known) {
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!path_is_under(all->at[i].path, root))
            continue;
        while (at < known->remembered.count && !path_is_under(known->remembered.at[at].path, root))
            at++;
        const struct repository *one = at < known->remembered.count ? &known->remembered.at[at++] : NULL;
        if (!one || one->dev != all->at[i].dev || one->ino != all->at[i].ino || one->made != all->at[i].made ||
            strcmp(one->path, all->at[i].path) != 0)
            return false;
    }
    for (; at < known->remembered.count; at++)
        if (path_is_under(known->remembered.at[at].path, root))
            return false;
    return true;
}

int remember_write(struct arena *arena, const char *state, const char *root, const repository_list *all,
                   const struct protection *known, struct error *err) {
    char name[65], part[96];
    size_t size;
    if (is_known(root, all, known))
        return 0;
    char *text = compose(arena, root, all, &size);
    if (!text)
        return error_memory(err);
    autoclose int store = store_open(state, folder, true, err);
    if (store < 0)
        return err->status ? -1 : error_set(err, EXIT_USAGE, "%s is not there", state);
    digest_sha256(root, strlen(root), name);
    snprintf(part, sizeof part, ".new-%d-%.32s", (int)getpid(), name);
    autoclose int fd = openat(store, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fchmod(fd, 0600) || fd_write_all(fd, text, size) || renameat(store, part, store, name))
        return store_cannot(folder, errno, err);
    return 0;
}
