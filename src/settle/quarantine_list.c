/* quarantine_list.c (touching: the quarantine's folders). See quarantine.h: what is in it, and the way back. */
#include "settle/quarantine.h"

#include "base/fd.h"
#include "base/fields.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "linux/store.h"
#include "linux/sys.h"
#include "settle/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ITEMS_MAX = 64 << 20, SHOWN = 1024 };

static int cannot(const char *what, const char *path, int error, struct error *err) {
    char shown[SHOWN];
    return error_set(err, EXIT_USAGE, "%s %s (%s)", path_show(path, shown, sizeof shown), what, error_name(error));
}

static int list_items(struct arena *arena, int folder, const char *run, kept_list *all) {
    struct stat status;
    autoclose int fd = openat(folder, "items", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    errno = EFBIG;
    if (fstat(fd, &status) || status.st_size > ITEMS_MAX)
        return -1;
    char *text = arena_alloc(arena, (size_t)status.st_size + 1);
    const char *at = text;
    ssize_t size = text ? fd_read_all(fd, text, (size_t)status.st_size) : -1;
    if (size < 0)
        return -1;
    for (const char *number; (number = fields_next(&at, text + size));) {
        const char *path = fields_next(&at, text + size), *why = fields_next(&at, text + size);
        struct kept *kept = path && why ? list_add(arena, all) : NULL;
        if (!path || !why)
            break;
        if (!kept)
            return -1;
        *kept = (struct kept){.run = run, .item = (unsigned)strtoul(number, NULL, 10), .path = path, .why = why};
        if (!fstatat(folder, number, &status, AT_SYMLINK_NOFOLLOW)) {
            kept->mode = status.st_mode;
            kept->size = status.st_size;
        }
    }
    return 0;
}

static int order(const struct kept *a, const struct kept *b) {
    int runs = strcmp(a->run, b->run);
    return runs ? runs : (a->item > b->item) - (a->item < b->item);
}

static int compare(const void *a, const void *b) {
    return order(a, b);
}

int quarantine_list(struct arena *arena, const char *state, kept_list *all, struct error *err) {
    autoclose int store = store_open(state, "quarantine", false, err);
    if (store < 0)
        return err->status ? -1 : 0;
    struct entries entries = {.fd = store};
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        if (entry->name[0] == '.')
            continue;
        autoclose int folder = lookup_open(store, entry->name);
        const char *run = folder < 0 ? NULL : arena_copy(arena, entry->name);
        if (folder < 0 && errno == ENOENT)
            continue;
        if (!run || list_items(arena, folder, run, all))
            return cannot("can't be read", entry->name, errno, err);
    }
    if (entries.error)
        return cannot("can't be read", state, entries.error, err);
    if (all->count)
        qsort(all->at, all->count, sizeof *all->at, compare);
    return 0;
}

int quarantine_open(const char *state, const char *run, struct error *err) {
    autoclose int store = store_open(state, "quarantine", false, err);
    if (store < 0)
        return -1;
    autoclose int place = strchr(run, '/') || run[0] == '.' ? -1 : lookup_open(store, run);
    int folder = place < 0 ? -1 : openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno != ENOENT)
        return cannot("can't be opened", run, errno, err);
    err->status = 0;
    return folder;
}

/* The run's folder goes with the last thing in it. */
static void tidy(const char *state, int folder, const struct kept *kept) {
    struct arena arena = {0};
    kept_list left = {0};
    struct error err;
    bool any = list_items(&arena, folder, kept->run, &left) != 0;
    for (size_t i = 0; i < left.count; i++)
        any |= left.at[i].mode != 0;
    autoclose int store = any ? -1 : store_open(state, "quarantine", false, &err);
    if (store >= 0 && !unlinkat(folder, "items", 0))
        (void)!unlinkat(store, kept->run, AT_REMOVEDIR);
    (void)!arena_free(&arena);
}

/* Never over something that has come meanwhile, but on a file system that has no such rename. */
static int put_back(int folder, const char *number, int at, const char *name) {
    if (!sys_rename_new(folder, number, at, name) || (errno == EINVAL && !renameat(folder, number, at, name)))
        return 0;
    return errno != EXDEV || copy_tree(folder, number, at, name) || copy_remove(folder, number) ? -1 : 0;
}

int quarantine_restore(const char *state, const struct kept *kept, struct error *err) {
    char number[16], *above = strdup(kept->path), *slash = above ? strrchr(above, '/') : NULL;
    struct stat status;
    if (!slash) {
        free(above);
        return error_memory(err);
    }
    *slash = '\0';
    const char *name = kept->path + (slash - above) + 1;
    autoclose int at = lookup_open(AT_FDCWD, *above ? above : "/");
    int error = at < 0 ? errno : 0;
    free(above);
    if (error)
        return cannot("can't be restored: the folder that it was in is not there", kept->path, error, err);
    autoclose int folder = quarantine_open(state, kept->run, err);
    if (folder < 0)
        return err->status ? -1 : cannot("is not in the quarantine any more", kept->path, ENOENT, err);
    snprintf(number, sizeof number, "%u", kept->item);
    if (!fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW))
        errno = EEXIST; /* also where a copy or a file system can't see to it */
    else if (errno == ENOENT && !put_back(folder, number, at, name)) {
        tidy(state, folder, kept);
        return 0;
    }
    return errno == EEXIST
               ? cannot("can't be restored: something else is there now; move that away first", kept->path, EEXIST, err)
               : cannot("can't be restored", kept->path, errno, err);
}

int quarantine_remove(const char *state, const struct kept *kept, struct error *err) {
    char number[16];
    autoclose int folder = quarantine_open(state, kept->run, err);
    if (folder < 0)
        return err->status ? -1 : 0;
    snprintf(number, sizeof number, "%u", kept->item);
    if (copy_remove(folder, number))
        return cannot("can't be removed", kept->path, errno, err);
    tidy(state, folder, kept);
    return 0;
}
