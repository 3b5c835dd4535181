/* quarantine.c (glue): pinfold quarantine. */
#include "cli.h"

#include "base/fd.h"
#include "base/nearest.h"
#include "base/path.h"
#include "linux/account.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "linux/store.h"
#include "plan/describe.h"
#include "settle/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOWN = 1 << 16, ID = QUARANTINE_NAME + 16 };

static const char *const verbs[] = {"list", "show", "restore", "remove"};

static const char *id_of(const struct kept *kept, char id[ID]) {
    snprintf(id, ID, "%s/%u", kept->run, kept->item);
    return id;
}

static const char *kind_of(const struct kept *kept) {
    return S_ISDIR(kept->mode) ? "folder" : S_ISLNK(kept->mode) ? "link" : S_ISREG(kept->mode) ? "file" : "other";
}

static int list_json(const kept_list *all) {
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < all->count; i++) {
        const struct kept *kept = &all->at[i];
        char id[ID];
        failed |= json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:s, s:I}", "id", id_of(kept, id), "path",
                                                        describe_bytes(kept->path), "why", kept->why, "kind",
                                                        kind_of(kept), "size", (json_int_t)kept->size));
    }
    failed = failed || print_json(list);
    json_decref(list);
    return failed;
}

/* Its head, as list prints it. */
static void print_head(const struct kept *kept) {
    char line[4600], shown[4096], id[ID];
    snprintf(line, sizeof line, "%s  %s, %lld bytes", id_of(kept, id), kind_of(kept), (long long)kept->size);
    print_line(line);
    snprintf(line, sizeof line, "  path %s", path_show(kept->path, shown, sizeof shown));
    print_line(line);
    snprintf(line, sizeof line, "  why it %s", path_show(kept->why, shown, sizeof shown));
    print_line(line);
}

/* A text as it is, but for what a terminal would act on. */
static void print_text(int fd) {
    static char text[SHOWN + 1], line[4 * SHOWN + 8], shown[4 * SHOWN + 1];
    ssize_t size = fd_read_all(fd, text, SHOWN);
    for (char *at = text, *end = text + (size > 0 ? size : 0); at < end;) {
        char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        for (char *nul = at; nul < stop; nul++)
            *nul = *nul && *nul != '\t' ? *nul : ' ';
        *stop = '\0';
        snprintf(line, sizeof line, "  | %s", path_show(at, shown, sizeof shown));
        print_line(line);
        at = stop + 1;
    }
    if (size == SHOWN)
        print_line("  | ...");
}

static void print_entries(int fd) {
    struct entries entries = {.fd = fd};
    char line[1200], shown[1024];
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        if (entry_is_dots(entry->name))
            continue;
        snprintf(line, sizeof line, "  | %s", path_show(entry->name, shown, sizeof shown));
        print_line(line);
    }
}

static int show(const char *state, const struct kept *kept, struct error *err) {
    char number[16], line[4600], shown[4096], target[4096];
    snprintf(number, sizeof number, "%u", kept->item);
    autoclose int folder = quarantine_open(state, kept->run, err);
    if (folder < 0)
        return err->status ? -1 : 0;
    print_head(kept);
    snprintf(line, sizeof line, "  kept as %s/quarantine/%s/%u", path_show(state, shown, sizeof shown), kept->run,
             kept->item);
    print_line(line);
    if (S_ISLNK(kept->mode)) {
        ssize_t size = readlinkat(folder, number, target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        snprintf(line, sizeof line, "  leads to %s", path_show(target, shown, sizeof shown));
        print_line(line);
        return 0;
    }
    if (!S_ISREG(kept->mode) && !S_ISDIR(kept->mode))
        return 0;
    autoclose int fd = openat(folder, number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, EXIT_USAGE, "%s/%u can't be read (%s)", kept->run, kept->item, error_name(errno));
    if (S_ISDIR(kept->mode))
        print_entries(fd);
    else
        print_text(fd);
    return 0;
}

/* By its id. */
static const struct kept *find(const kept_list *all, const char *word, struct arena *arena, struct error *err) {
    text_list ids = {0};
    char id[ID], shown[256];
    for (size_t i = 0; i < all->count; i++) {
        const char *copy = arena_copy(arena, id_of(&all->at[i], id));
        if (strcmp(id, word) == 0)
            return &all->at[i];
        if (!copy || text_add(arena, &ids, copy)) {
            error_memory(err);
            return NULL;
        }
    }
    const char *near = ids.count ? nearest(word, ids.at, ids.count) : NULL;
    error_set(err, EXIT_USAGE, "there is no %s in the quarantine%s%s%s; pinfold quarantine list tells all",
              path_show(word, shown, sizeof shown), near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

/* What is there of what was put aside. */
static int read_all(struct arena *arena, const char **state, kept_list *there, struct error *err) {
    const char *home, *under;
    text_list links = {0};
    kept_list all = {0};
    if (account_home_of_caller(arena, &home, err) || store_state(arena, home, &under, &links, err) ||
        store_keep(arena, home, under, state, err) || quarantine_list(arena, *state, &all, err))
        return -1;
    for (size_t i = 0; i < all.count; i++) {
        struct kept *kept = all.at[i].mode ? list_add(arena, there) : NULL;
        if (kept)
            *kept = all.at[i];
        else if (all.at[i].mode)
            return error_memory(err);
    }
    return 0;
}

static int act(const char *verb, const char *state, const struct kept *kept, struct error *err) {
    char line[4400], shown[4096], id[ID];
    if (strcmp(verb, "show") == 0)
        return show(state, kept, err);
    bool restores = strcmp(verb, "restore") == 0;
    if (restores ? quarantine_restore(state, kept, err) : quarantine_remove(state, kept, err))
        return -1;
    snprintf(line, sizeof line, "%s: %s %s", id_of(kept, id), path_show(kept->path, shown, sizeof shown),
             restores ? "is where it was" : "is removed");
    print_line(line);
    return 0;
}

/* One thing after the other; before the first is touched all are known. */
static int act_on(struct arena *arena, const struct options *options, char *const *words, struct error *err) {
    const char *state, *verb = words[0], *near = nearest(verb, verbs, sizeof verbs / sizeof verbs[0]);
    kept_list all = {0};
    size_t known = 0;
    while (known < sizeof verbs / sizeof verbs[0] && strcmp(verbs[known], verb) != 0)
        known++;
    if (known == sizeof verbs / sizeof verbs[0])
        return error_set(err, EXIT_USAGE, "pinfold quarantine has list, show, restore and remove%s%s%s",
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    bool json = options->json || (known == 0 && words[1] && strcmp(words[1], "--json") == 0 && !words[2]);
    if ((known == 0) != (!words[1] || (json && !options->json)))
        return error_set(err, EXIT_USAGE,
                         known ? "pinfold quarantine %s takes the ids that pinfold quarantine list prints"
                               : "pinfold quarantine %s takes no id",
                         verb);
    if (read_all(arena, &state, &all, err))
        return -1;
    if (json && known == 0)
        return list_json(&all) ? error_set(err, EXIT_USAGE, "the list could not be written to standard output") : 0;
    for (size_t i = 0; known == 0 && i < all.count; i++)
        print_head(&all.at[i]);
    for (char *const *word = words + 1; known && *word; word++)
        if (!find(&all, *word, arena, err))
            return -1;
    for (char *const *word = words + 1; known && *word; word++)
        if (act(verb, state, find(&all, *word, arena, err), err))
            return -1;
    return 0;
}

int command_quarantine(int argc, char **argv, char *const *caller) {
    (void)caller;
    struct arena arena = {0};
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    if (options_parse(&arena, QUARANTINE, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(QUARANTINE);
    if (!flags.command[0])
        error_set(&err, EXIT_USAGE, "pinfold quarantine: type list, show ID, restore ID or remove ID");
    if (err.status || act_on(&arena, &options, flags.command, &err))
        return print_error(&err);
    return print_finish();
}
