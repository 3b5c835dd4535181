/* overlap.c (touching: lstat). See overlap.h. */
#include "settle/overlap.h"

#include "base/path.h"

#include <string.h>
#include <sys/stat.h>

static bool lists(const struct thing *things, size_t count, const char *path) {
    for (size_t i = 0; i < count; i++)
        if (path_is_under(path, things[i].path))
            return true;
    return false;
}

/* Could its command change what is there? */
static bool could_change(const struct run *run, const char *path) {
    return lists(run->roots.at, run->roots.count, path) && !lists(run->held.at, run->held.count, path);
}

static bool changed_since(const char *path, const struct timespec *since) {
    struct stat status;
    return lstat(path, &status) || status.st_ctim.tv_sec >= since->tv_sec; /* some have whole seconds only */
}

static void reduce_text(struct original *file, const struct run *other) {
    const struct original *older = NULL;
    for (size_t at = run_find(other, file->path); run_has(other, at, file->path) && !older; at++)
        older = other->files.at[at].text ? &other->files.at[at] : NULL;
    file->text = older ? older->text : NULL;
    file->size = older ? older->size : 0;
    file->mode = older ? older->mode : file->mode;
}

static void reduce_digest(struct original *file, const struct run *other) {
    bool same = !other->by_content && !changed_since(file->path, &other->since);
    for (size_t at = run_find(other, file->path); other->by_content && run_has(other, at, file->path); at++)
        same |= strcmp(other->files.at[at].digest, file->digest) == 0;
    if (!same)
        strcpy(file->digest, "-");
}

static bool knows(const struct run *run, const struct thing *thing) {
    for (size_t i = 0; i < run->known.count; i++)
        if (run->known.at[i].dev == thing->dev && run->known.at[i].ino == thing->ino &&
            strcmp(run->known.at[i].path, thing->path) == 0)
            return true;
    return false;
}

void overlap_reduce(struct run *own, const run_list *others) {
    for (size_t i = 0; i < others->count; i++) {
        const struct run *other = &others->at[i];
        size_t kept = 0;
        for (size_t k = 0; k < own->files.count; k++) {
            struct original *file = &own->files.at[k];
            if (!could_change(other, file->path))
                continue;
            if (strcmp(file->digest, "-") != 0)
                reduce_digest(file, other);
            else if (file->text)
                reduce_text(file, other);
        }
        for (size_t k = 0; k < own->known.count; k++)
            if (!could_change(other, own->known.at[k].path) || knows(other, &own->known.at[k]))
                own->known.at[kept++] = own->known.at[k];
        own->known.count = kept;
    }
}
