/* listings.c (touching: files). See listings.h. STATE/listings has a file for each root, by the hash of its path: a
 * header, the folders, an index of them, their names. For this machine: numbers are as the processor has them. */
#include "settle/listings.h"

#include "base/digest.h"
#include "base/fd.h"
#include "linux/entries.h"
#include "linux/resolve.h"
#include "linux/store.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_MAX = 4 << 20, NAMES_MAX = 1 << 28, WORTH = 16 };

static const char folder[] = "listings", magic[16] = "listings 1";

struct header {
    char magic[sizeof magic];
    uint64_t sum; /* of all that follows: a file that was written while the machine stopped has other bytes */
    uint64_t count, slots, names;
    char root[PATH_MAX];
};

struct listing {
    uint64_t dev, ino;
    int64_t seconds;
    uint32_t nanoseconds, names, size, unused; /* names: where they begin; size: of all of them */
};

static uint64_t mixed(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * 0x9E3779B97F4A7C15U; /* 2^64 by the golden ratio */
    return hash ^ hash >> 32;
}

static uint64_t sum_of(const char *at, size_t size) {
    uint64_t sum = size, word = 0;
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = mixed(sum, word);
    }
    word = 0;
    memcpy(&word, at, size);
    return mixed(sum, word);
}

static size_t first_slot(uint64_t dev, uint64_t ino, size_t slots) {
    return mixed(dev, ino) & (slots - 1);
}

static char *file_of(const char *root, char name[65]) {
    digest_sha256(root, strlen(root), name);
    return name;
}

/* All that follows the header is where it says, and as it was written? */
static bool is_whole(const struct header *header, const char *text, size_t size) {
    enum { SUMMED = offsetof(struct header, sum) + sizeof header->sum };
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->count <= KNOWN_MAX &&
           header->slots <= 4 * (uint64_t)KNOWN_MAX && header->slots > header->count &&
           !(header->slots & (header->slots - 1)) && header->names <= NAMES_MAX &&
           size == sizeof *header + header->count * sizeof(struct listing) + header->slots * sizeof(uint32_t) +
                       header->names &&
           header->sum == sum_of(text + SUMMED, size - SUMMED);
}

static int read_file(struct bytes *text, int store, const char *name) {
    struct stat status;
    autoclose int fd = openat(store, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) || status.st_size < (off_t)sizeof(struct header) || status.st_size > INT_MAX ||
        bytes_reserve(text, (size_t)status.st_size))
        return -1;
    ssize_t got = fd_read_all(fd, text->at, (size_t)status.st_size);
    text->size = got < 0 ? 0 : (size_t)got;
    return got == status.st_size ? 0 : -1;
}

void listings_read(struct listings *listings, const char *state, const char *root) {
    char name[65], path[PATH_MAX];
    struct error ignored = {0};
    *listings = (struct listings){.state = state, .root = root};
    clock_gettime(CLOCK_REALTIME_COARSE, &listings->old_enough);
    listings->old_enough.tv_sec -= 2; /* the clock of files goes in steps */
    if (snprintf(path, sizeof path, "%s/%s/%s", state, folder, file_of(root, name)) >= (int)sizeof path ||
        access(path, F_OK))
        return;
    autoclose int store = store_open(state, folder, false, &ignored);
    if (store < 0 || read_file(&listings->text, store, name))
        return;
    const struct header *header = (const void *)listings->text.at;
    if (!is_whole(header, listings->text.at, listings->text.size) || strncmp(header->root, root, PATH_MAX) != 0)
        return;
    listings->known = (const void *)(header + 1);
    listings->count = header->count;
    listings->index = (const void *)(listings->known + header->count);
    listings->slots = header->slots;
}

static bool is_it(const struct listing *listing, const struct stat *status) {
    return listing->ino == status->st_ino && listing->dev == status->st_dev &&
           listing->seconds == status->st_ctim.tv_sec && listing->nanoseconds == (uint64_t)status->st_ctim.tv_nsec;
}

const char *listings_find(const struct listings *listings, const struct stat *status, size_t *size) {
    if (!listings->count)
        return NULL;
    const char *names = (const char *)(listings->index + listings->slots),
               *end = listings->text.at + listings->text.size;
    for (size_t slot = first_slot(status->st_dev, status->st_ino, listings->slots); listings->index[slot];
         slot = (slot + 1) & (listings->slots - 1)) {
        const struct listing *one = &listings->known[listings->index[slot] - 1];
        if (listings->index[slot] > listings->count)
            return NULL;
        if (!is_it(one, status))
            continue;
        *size = one->size;
        bool good = one->names <= (size_t)(end - names) && one->size <= (size_t)(end - names) - one->names &&
                    (!one->size || !names[one->names]);
        return good ? names + one->names : NULL;
    }
    return NULL;
}

/* Does whatever is done to it from now on give it another time? Where times are whole seconds, who knows. */
static bool is_settled(const struct listings *listings, const struct timespec *time) {
    return time->tv_nsec && time->tv_sec < listings->old_enough.tv_sec;
}

void listings_note(struct listings *listings, const struct stat *status, const char *names, size_t size) {
    size_t count = listings->found.size / sizeof(struct listing), unused;
    if (!is_settled(listings, &status->st_ctim) || count >= KNOWN_MAX || size > NAMES_MAX - listings->names.size ||
        bytes_reserve(&listings->found, sizeof(struct listing)))
        return;
    const struct listing one = {.dev = status->st_dev,
                                .ino = status->st_ino,
                                .seconds = status->st_ctim.tv_sec,
                                .nanoseconds = (uint32_t)status->st_ctim.tv_nsec,
                                .names = (uint32_t)listings->names.size,
                                .size = (uint32_t)size};
    if (bytes_add(&listings->names, names, size) || bytes_add(&listings->found, &one, sizeof one))
        return;
    listings->fresh += !listings_find(listings, status, &unused);
}

/* Those of folders that are gone. */
static void tidy(int store) {
    struct entries entries = {.fd = store};
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        struct header header = {0};
        struct stat status;
        autoclose int fd = openat(store, entry->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (!entry_is_dots(entry->name) &&
            (fd < 0 || fd_read_all(fd, &header, sizeof header) != (ssize_t)sizeof header || header.root[0] != '/' ||
             memchr(header.root, '\0', sizeof header.root) == NULL ||
             (lstat(header.root, &status) && resolve_absent(errno))))
            (void)!unlinkat(store, entry->name, 0);
    }
}

static int compose(const struct listings *listings, struct bytes *text) {
    struct header header = {.count = listings->found.size / sizeof(struct listing), .names = listings->names.size};
    const struct listing *found = (const void *)listings->found.at;
    memcpy(header.magic, magic, sizeof magic);
    for (header.slots = 64; header.slots < 2 * header.count;)
        header.slots *= 2;
    strcpy(header.root, listings->root);
    uint32_t *index = calloc(header.slots, sizeof *index);
    int result =
        index && !bytes_add(text, &header, sizeof header) && !bytes_add(text, found, header.count * sizeof *found) ? 0
                                                                                                                   : -1;
    for (size_t i = 0; !result && i < header.count; i++) {
        size_t slot = first_slot(found[i].dev, found[i].ino, header.slots);
        while (index[slot])
            slot = (slot + 1) & (header.slots - 1);
        index[slot] = (uint32_t)i + 1;
    }
    if (!result)
        result = bytes_add(text, index, header.slots * sizeof *index) ||
                         bytes_add(text, listings->names.at, listings->names.size)
                     ? -1
                     : 0;
    free(index);
    if (result)
        return -1;
    struct header *written = (void *)text->at;
    size_t from = offsetof(struct header, count);
    written->sum = sum_of(text->at + from, text->size - from);
    return 0;
}

void listings_write(struct listings *listings) {
    char name[65], part[96];
    struct bytes text = {0};
    struct error ignored = {0};
    if (listings->fresh <= WORTH + listings->count / 64 || strlen(listings->root) >= PATH_MAX)
        return;
    autoclose int store = store_open(listings->state, folder, true, &ignored);
    if (store < 0 || compose(listings, &text)) {
        bytes_free(&text);
        return;
    }
    if (!listings->count)
        tidy(store);
    snprintf(part, sizeof part, ".new-%d-%.32s", (int)getpid(), file_of(listings->root, name));
    autoclose int fd = openat(store, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && (fd_write_all(fd, text.at, text.size) || renameat(store, part, store, name)))
        (void)!unlinkat(store, part, 0);
    bytes_free(&text);
}

void listings_free(struct listings *listings) {
    bytes_free(&listings->text);
    bytes_free(&listings->found);
    bytes_free(&listings->names);
}
