/* run.c (pure): see run.h. Fields that end with NUL: numbers in decimal, paths as they are. */
#include "settle/run.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char version[] = "pinfold run 1";

struct writer {
    struct arena *arena;
    char *at;
    size_t size, room;
    bool failed;
};

static void put_bytes(struct writer *writer, const char *bytes, size_t size) {
    if (writer->failed || size >= SIZE_MAX / 4 - writer->size)
        return;
    if (writer->size + size > writer->room) {
        size_t room = 2 * (writer->size + size) + 512;
        char *more = arena_alloc(writer->arena, room);
        writer->failed = !more;
        if (!more)
            return;
        if (writer->size)
            memcpy(more, writer->at, writer->size);
        writer->at = more;
        writer->room = room;
    }
    memcpy(writer->at + writer->size, bytes, size);
    writer->size += size;
}

static void put_text(struct writer *writer, const char *text) {
    put_bytes(writer, text, strlen(text) + 1);
}

static void put_number(struct writer *writer, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    put_text(writer, text);
}

static void put_things(struct writer *writer, const struct thing *things, size_t count) {
    put_number(writer, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        put_text(writer, things[i].path);
        put_number(writer, (int64_t)things[i].dev);
        put_number(writer, (int64_t)things[i].ino);
    }
}

char *run_write(struct arena *arena, const struct run *run, size_t *size) {
    struct writer writer = {.arena = arena};
    put_text(&writer, version);
    put_number(&writer, run->since.tv_sec);
    put_number(&writer, run->since.tv_nsec);
    put_number(&writer, run->running.tv_sec);
    put_number(&writer, run->running.tv_nsec);
    put_number(&writer, run->git_writable);
    put_number(&writer, run->protects);
    put_number(&writer, run->by_content);
    put_things(&writer, run->roots.at, run->roots.count);
    put_things(&writer, run->held.at, run->held.count);
    put_things(&writer, run->known.at, run->known.count);
    put_number(&writer, (int64_t)run->files.count);
    for (size_t i = 0; i < run->files.count; i++) {
        const struct original *file = &run->files.at[i];
        put_text(&writer, file->path);
        put_text(&writer, file->digest);
        put_number(&writer, file->mode);
        put_number(&writer, file->text ? (int64_t)file->size : -1);
        if (file->text)
            put_bytes(&writer, file->text, file->size);
    }
    *size = writer.size;
    return writer.failed ? NULL : writer.at;
}

struct reader {
    struct arena *arena;
    const char *at, *end;
    bool failed;
};

static const char *take_text(struct reader *reader) {
    const char *nul = reader->failed ? NULL : memchr(reader->at, '\0', (size_t)(reader->end - reader->at));
    const char *copy = nul ? arena_copy(reader->arena, reader->at) : NULL;
    reader->failed |= !copy;
    reader->at = copy ? nul + 1 : reader->at;
    return copy ? copy : "";
}

static int64_t take_number(struct reader *reader) {
    const char *text = take_text(reader);
    char *end;
    long long number = strtoll(text, &end, 10);
    reader->failed |= !*text || *end;
    return reader->failed ? 0 : number;
}

static struct thing take_thing(struct reader *reader) {
    struct thing thing = {.path = take_text(reader)};
    thing.dev = (dev_t)take_number(reader);
    thing.ino = (ino_t)take_number(reader);
    reader->failed |= thing.path[0] != '/';
    return thing;
}

/* Fills a list of things; a macro, since the lists are types of their own. */
#define TAKE_THINGS(reader, list)                                                                                      \
    for (int64_t left_ = take_number(reader); left_ > 0 && !(reader)->failed; left_--) {                               \
        struct thing *added_ = list_add((reader)->arena, list);                                                        \
        (reader)->failed |= !added_;                                                                                   \
        if (added_)                                                                                                    \
            *added_ = take_thing(reader);                                                                              \
    }

static void take_original(struct reader *reader, struct run *run) {
    struct original file = {.path = take_text(reader)};
    const char *digest = take_text(reader);
    reader->failed |= strlen(digest) >= sizeof file.digest;
    snprintf(file.digest, sizeof file.digest, "%s", digest);
    file.mode = (mode_t)take_number(reader) & 07777;
    int64_t size = take_number(reader);
    if (reader->failed || size > reader->end - reader->at) {
        reader->failed = true;
        return;
    }
    if (size >= 0) {
        file.text = arena_copy_bytes(reader->arena, reader->at, (size_t)size);
        file.size = (size_t)size;
        reader->at += size;
        reader->failed |= !file.text;
    }
    struct original *added = list_add(reader->arena, &run->files);
    reader->failed |= !added;
    if (added)
        *added = file;
}

int run_read(struct arena *arena, const char *text, size_t size, struct run *run) {
    struct reader reader = {.arena = arena, .at = text, .end = text + size};
    *run = (struct run){0};
    if (strcmp(take_text(&reader), version) != 0)
        return -1;
    run->since.tv_sec = (time_t)take_number(&reader);
    run->since.tv_nsec = (long)take_number(&reader);
    run->running.tv_sec = (time_t)take_number(&reader);
    run->running.tv_nsec = (long)take_number(&reader);
    run->git_writable = take_number(&reader);
    run->protects = take_number(&reader);
    run->by_content = take_number(&reader);
    TAKE_THINGS(&reader, &run->roots)
    TAKE_THINGS(&reader, &run->held)
    TAKE_THINGS(&reader, &run->known)
    for (int64_t left = take_number(&reader); left > 0 && !reader.failed; left--)
        take_original(&reader, run);
    run_sort(run);
    return reader.failed || reader.at != reader.end ? -1 : 0;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct original *)a)->path, ((const struct original *)b)->path);
}

void run_sort(struct run *run) {
    if (run->files.count)
        qsort(run->files.at, run->files.count, sizeof *run->files.at, compare);
}

size_t run_find(const struct run *run, const char *path) {
    size_t from = 0, to = run->files.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(run->files.at[middle].path, path) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool run_has(const struct run *run, size_t at, const char *path) {
    return at < run->files.count && strcmp(run->files.at[at].path, path) == 0;
}
