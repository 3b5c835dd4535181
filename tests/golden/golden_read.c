/* golden_read.c (touching: the files of tests/golden): a host and a policy out of words. What isn't known is refused,
 * so that a misspelt fact can't make a plan look right. */
#include "golden.h"

#include "base/lines.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORDS_MAX = 12 };
enum section { SECTION_NONE, SECTION_HOST, SECTION_POLICY, SECTION_PLAN };

struct reader {
    struct golden *golden;
    const char *folder; /* of the golden files */
    enum section section;
    char *words[WORDS_MAX]; /* of the line, the first one is its name */
    size_t count;
    ino_t inode; /* the last one that was given to a place */
};

/* The number of an errno that hosts show, 0 for another word. */
static int errno_of(const char *name) {
    static const int all[] = {EPERM, EACCES, ENOSYS, ENOENT, ENOTDIR, EINVAL, ENOSPC, EOPNOTSUPP, ELOOP, ENODEV, EBUSY};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(error_name(all[i]), name) == 0)
            return all[i];
    return 0;
}

static int step_of(const char *name) {
    for (int step = 0; step < STEP_COUNT; step++)
        if (strcmp(step_text[step].name, name) == 0)
            return step;
    return -1;
}

/* The words from number `at` on describe a place: its path, then file, socket, fifo, mounts, mode, link=PATH or an
 * errno. */
static int take_place(struct reader *reader, size_t at, struct place *place) {
    *place = (struct place){.path = reader->words[at], .mode = S_IFDIR | 0755, .dev = 7, .ino = ++reader->inode};
    if (at >= reader->count)
        return -1;
    if (strcmp(place->path, "-") == 0)
        place->path = NULL;
    for (size_t i = at + 1; i < reader->count; i++) {
        const char *word = reader->words[i];
        if (strcmp(word, "file") == 0)
            place->mode = S_IFREG | 0644;
        else if (strcmp(word, "socket") == 0)
            place->mode = S_IFSOCK | 0666;
        else if (strcmp(word, "fifo") == 0)
            place->mode = S_IFIFO | 0644;
        else if (strcmp(word, "has-mounts") == 0)
            place->has_mounts = true;
        else if (strcmp(word, "symlink") == 0)
            place->mode = S_IFLNK | 0777;
        else if (strncmp(word, "link=", 5) == 0)
            place->link = word + 5;
        else if (!(place->error = errno_of(word)))
            return -1;
    }
    return 0;
}

#define LIST_PUT(reader, list, value)                                                                                  \
    (list_add(&(reader)->golden->arena, (list)) ? ((list)->at[(list)->count - 1] = (value), 0) : -1)

static int take_ids(struct probe *probe, const char *text) {
    char *end;
    probe->uid = (unsigned)strtoul(text, &end, 10);
    if (*end++ != ':')
        return -1;
    probe->gid = (unsigned)strtoul(end, &end, 10);
    probe->outer_root = probe->uid == 0;
    return *end ? -1 : 0;
}

/* fd N KIND WAY [as M] */
static int take_descriptor(struct reader *reader) {
    static const char *const kinds[] = {
        [DESCRIPTOR_CLOSED] = "closed",    [DESCRIPTOR_NULL] = "null",     [DESCRIPTOR_PIPE] = "pipe",
        [DESCRIPTOR_FILE] = "file",        [DESCRIPTOR_SOCKET] = "socket", [DESCRIPTOR_TTY] = "terminal",
        [DESCRIPTOR_DIRECTORY] = "folder", [DESCRIPTOR_OTHER] = "other"};
    char **words = reader->words;
    if (reader->count < 4)
        return -1;
    struct descriptor descriptor = {.number = atoi(words[1]), .dev = 3};
    bool shared = reader->count == 6 && strcmp(words[4], "as") == 0;
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof kinds[0] && strcmp(kinds[kind], words[2]) != 0)
        kind++;
    descriptor.kind = (enum descriptor_kind)kind;
    descriptor.readable = strcmp(words[3], "write") != 0;
    descriptor.writable = strcmp(words[3], "read") != 0;
    descriptor.ino = 1000 + (ino_t)(shared ? atoi(words[5]) : descriptor.number);
    bool way = strcmp(words[3], "both") == 0 || descriptor.readable != descriptor.writable;
    if (!way || kind == sizeof kinds / sizeof kinds[0] || (reader->count != 4 && !shared))
        return -1;
    return LIST_PUT(reader, &reader->golden->probe.descriptors, descriptor);
}

/* secret PATH [file|absent] [closed] [denied] [links=N] */
static int take_secret(struct reader *reader) {
    struct secret secret = {.path = reader->words[1], .mode = S_IFDIR | 0700, .dev = 7, .links = 1};
    secret.ino = 5000 + (ino_t)reader->golden->probe.secrets.count;
    for (size_t i = 2; i < reader->count; i++) {
        const char *word = reader->words[i];
        if (strcmp(word, "file") == 0)
            secret.mode = S_IFREG | 0600;
        else if (strcmp(word, "absent") == 0)
            secret.mode = 0;
        else if (strcmp(word, "closed") == 0)
            secret.closed = true;
        else if (strcmp(word, "denied") == 0)
            secret.origin = "--deny";
        else if (strncmp(word, "links=", 6) == 0)
            secret.links = (nlink_t)atoi(word + 6);
        else
            return -1;
    }
    return LIST_PUT(reader, &reader->golden->probe.secrets, secret);
}

/* missing STEP ERRNO [on DETAIL], which may be several words */
static int take_missing(struct reader *reader) {
    struct probe *probe = &reader->golden->probe;
    int step = reader->count >= 3 ? step_of(reader->words[1]) : -1;
    if (step < 0 || !errno_of(reader->words[2]) || reader->count == 4)
        return -1;
    probe->missing[step] = errno_of(reader->words[2]);
    if (reader->count == 3)
        return 0;
    probe->detail_of = (enum step)step;
    probe->detail = reader->words[4];
    for (size_t i = 5; i < reader->count && probe->detail; i++)
        probe->detail = arena_printf(&reader->golden->arena, "%s %s", probe->detail, reader->words[i]);
    return probe->detail && strcmp(reader->words[3], "on") == 0 ? 0 : -1;
}

/* landlock ABI, or: landlock none ERRNO */
static int take_landlock(struct reader *reader) {
    struct probe *probe = &reader->golden->probe;
    if (reader->count == 3 && strcmp(reader->words[1], "none") == 0) {
        probe->missing[STEP_LANDLOCK] = errno_of(reader->words[2]);
        return probe->missing[STEP_LANDLOCK] ? 0 : -1;
    }
    probe->landlock_abi = reader->count == 2 ? atoi(reader->words[1]) : 0;
    return probe->landlock_abi > 0 ? 0 : -1;
}

/* toolchain NAME PLACE; toolchain NAME hides PLACE; toolchain NAME PATH -> TARGET */
static int take_toolchain(struct reader *reader) {
    struct probe *probe = &reader->golden->probe;
    char **words = reader->words;
    struct piece piece = {.kind = PIECE_TREE};
    if (reader->count < 3)
        return -1;
    piece.why = arena_printf(&reader->golden->arena, "toolchain %s", words[1]);
    bool hides = strcmp(words[2], "hides") == 0;
    if (reader->count == 5 && strcmp(words[3], "->") == 0) {
        piece.kind = PIECE_LINK;
        piece.place.path = words[2];
        piece.target = words[4];
    } else if (take_place(reader, hides ? 3 : 2, &piece.place)) {
        return -1;
    } else if (hides) {
        piece.kind = PIECE_HIDE;
    }
    return piece.why ? LIST_PUT(reader, &probe->toolchains, piece) : -1;
}

static int take_host(struct reader *reader) {
    struct probe *probe = &reader->golden->probe;
    char **words = reader->words;
    const char *name = words[0];
    const struct {
        const char *name;
        struct place *place;
    } places[] = {{"executable", &probe->executable},     {"workspace", &probe->workspace},
                  {"current", &probe->current},           {"home", &probe->home},
                  {"account-home", &probe->account_home}, {"work-tree", &probe->work_tree},
                  {"tmp", &probe->temporary[0]},          {"var-tmp", &probe->temporary[1]},
                  {"run", &probe->temporary[2]}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strcmp(places[i].name, name) == 0)
            return take_place(reader, 1, places[i].place);
    struct place place;
    if (strcmp(name, "system") == 0)
        return take_place(reader, 1, &place) || LIST_PUT(reader, &probe->system, place);
    if (strcmp(name, "protected") == 0)
        return take_place(reader, 1, &place) ||
               LIST_PUT(reader, &probe->protection.held,
                        ((struct protected){place, PROTECTED_CONFIGURATION, "protected"}));
    if (strcmp(name, "private") == 0)
        return take_place(reader, 1, &place) || LIST_PUT(reader, &probe->private_places, place);
    if (strcmp(name, "secret") == 0 && reader->count > 1)
        return take_secret(reader);
    if (strcmp(name, "fd") == 0)
        return take_descriptor(reader);
    if (strcmp(name, "toolchain") == 0)
        return take_toolchain(reader);
    if (strcmp(name, "missing") == 0)
        return take_missing(reader);
    if (strcmp(name, "landlock") == 0)
        return take_landlock(reader);
    if (strcmp(name, "link") == 0 && reader->count == 4 && strcmp(words[2], "->") == 0)
        return LIST_PUT(reader, &probe->links, ((struct link){words[1], words[3]}));
    if (reader->count != 2)
        return -1;
    if (strcmp(name, "kernel") == 0)
        return snprintf(probe->release, sizeof probe->release, "%s", words[1]) < 0;
    if (strcmp(name, "caller") == 0)
        return take_ids(probe, words[1]);
    if (strcmp(name, "state") == 0)
        return (reader->golden->policy.state = words[1]) ? 0 : -1;
    if (strcmp(name, "socket") == 0)
        return LIST_PUT(reader, &probe->sockets, words[1]);
    if (strcmp(name, "obstacle") == 0)
        return LIST_PUT(reader, &probe->protection.obstacles,
                        ((struct obstacle){PROTECTED_CONFIGURATION, words[1], words[1]}));
    if (strcmp(name, "env") == 0)
        return LIST_PUT(reader, &reader->golden->caller, words[1]);
    return -1;
}

static int take_grant(struct reader *reader, enum access access, const char *origin) {
    struct place place;
    if (take_place(reader, 1, &place))
        return -1;
    struct grant grant = {.access = access, .path = reader->words[1], .origin = origin};
    return LIST_PUT(reader, &reader->golden->policy.grants, grant) ||
           LIST_PUT(reader, &reader->golden->probe.grants, place);
}

static int take_protect(struct reader *reader) {
    struct place place;
    return take_place(reader, 1, &place) ||
           LIST_PUT(reader, &reader->golden->policy.protects, ((struct protect){reader->words[1], "--protect"})) ||
           LIST_PUT(reader, &reader->golden->probe.protection.asked, place);
}

static int take_policy(struct reader *reader) {
    struct policy *policy = &reader->golden->policy;
    const char *name = reader->words[0], *value = reader->count > 1 ? reader->words[1] : NULL;
    if (!value)
        return -1;
    if (strcmp(name, "read") == 0)
        return take_grant(reader, ACCESS_READ, "--read");
    if (strcmp(name, "write") == 0)
        return take_grant(reader, ACCESS_WRITE, "--write");
    if (strcmp(name, "unix-socket") == 0)
        return take_grant(reader, ACCESS_SOCKET, "--unix-socket");
    if (strcmp(name, "protect") == 0)
        return take_protect(reader);
    if (reader->count != 2)
        return -1;
    if (strcmp(name, "workspace") == 0) /* --workspace was typed */
        policy->workspace = value;
    else if (strcmp(name, "env") == 0)
        return LIST_PUT(reader, &policy->environment, ((struct variable){value, "--env"}));
    else if (strcmp(name, "session") == 0) {
        policy->session = value;
        policy->session_origin = "--session";
    } else if (strcmp(name, "git") == 0 && git_find(value) >= 0)
        policy->git = (struct setting){(uint64_t)git_find(value), "--git"};
    else if (strcmp(name, "mode") == 0 && mode_find(value) >= 0)
        policy->mode = (struct setting){(uint64_t)mode_find(value), "--mode"};
    else if (strcmp(name, "waive") == 0 && guarantee_find(value) >= 0)
        policy->waived |= UINT32_C(1) << guarantee_find(value);
    else
        return -1;
    return 0;
}

/* A line of the plan: its words one space apart; what is indented belongs to the line before. */
static int take_expected(struct reader *reader, bool indented) {
    line_list *lines = &reader->golden->expected;
    struct arena *arena = &reader->golden->arena;
    char *text = arena_copy(arena, reader->words[0]);
    if (text && indented && lines->count)
        return (lines->at[lines->count - 1] = arena_printf(arena, "%s %s", lines->at[lines->count - 1], text)) ? 0 : -1;
    return text ? LIST_PUT(reader, lines, text) : -1;
}

static int read_file(struct reader *reader, const char *file, struct error *err);

static int take_line(struct reader *reader, char *line, struct error *err) {
    static const char *const sections[] = {"", "[host]", "[policy]", "[plan]"};
    bool indented = *line == ' ';
    char *text = arena_copy(&reader->golden->arena, ""), *rest = NULL;
    struct arena *arena = &reader->golden->arena;
    char *comment = *line == '#' ? line : strstr(line, " # "); /* a note of the person who wrote it */
    if (comment)
        *comment = '\0';
    reader->count = 0;
    for (char *word = strtok_r(line, " ", &rest); text && word; word = strtok_r(NULL, " ", &rest)) {
        text = arena_printf(arena, "%s%s%s", text, *text ? " " : "", word);
        if (reader->section != SECTION_PLAN && reader->count == WORDS_MAX)
            return -1;
        if (reader->count < WORDS_MAX && !(reader->words[reader->count++] = arena_copy(arena, word)))
            return -1;
    }
    if (!text || !*text)
        return text ? 0 : -1;
    for (int i = SECTION_HOST; i <= SECTION_PLAN; i++)
        if (strcmp(text, sections[i]) == 0) {
            reader->section = (enum section)i;
            return 0;
        }
    if (reader->count == 2 && strcmp(reader->words[0], "use") == 0) {
        char *part = arena_printf(arena, "%s/parts/%s", reader->folder, reader->words[1]);
        return part ? read_file(reader, part, err) : -1;
    }
    if (reader->section == SECTION_PLAN) {
        reader->words[0] = text;
        return take_expected(reader, indented);
    }
    return reader->section == SECTION_HOST     ? take_host(reader)
           : reader->section == SECTION_POLICY ? take_policy(reader)
                                               : -1;
}

static int read_file(struct reader *reader, const char *file, struct error *err) {
    struct lines lines;
    int number = 0, failed = 0;
    if (lines_open(&lines, file))
        return error_set(err, 2, "%s: %s", file, strerror(errno));
    for (char *line; !failed && (line = lines_next(&lines));) {
        number++;
        if (take_line(reader, line, err))
            failed = *err->text ? -1 : error_set(err, 2, "%s:%d: this is not understood", file, number);
    }
    if (!failed && lines.failed)
        failed = error_set(err, 2, "%s: can't be read", file);
    lines_close(&lines);
    return failed;
}

int golden_read(struct golden *golden, const char *file, struct error *err) {
    char *path = arena_copy(&golden->arena, file);
    struct reader reader = {.golden = golden, .folder = path ? dirname(path) : NULL};
    if (!path || read_file(&reader, file, err))
        return -1;
    if (LIST_PUT(&reader, &golden->caller, NULL))
        return -1;
    if (!golden->expected.count)
        return error_set(err, 2, "%s: no plan is expected", file);
    return 0;
}
