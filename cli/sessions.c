/* sessions.c (glue): pinfold sessions. */
#include "cli.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/account.h"
#include "linux/session_store.h"
#include "linux/store.h"
#include "plan/describe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *when(time_t used, char out[32]) {
    struct tm parts;
    if (!gmtime_r(&used, &parts) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts))
        strcpy(out, "unknown");
    return out;
}

static json_t *session_json(struct arena *arena, const struct session_seen *seen, const char *state) {
    char used[32];
    json_t *holders = json_array();
    int failed = !holders;
    for (size_t i = 0; i < seen->holders; i++)
        failed |= json_array_append_new(holders, json_integer(seen->holder[i]));
    const char *id = arena_copy_bytes(arena, seen->name, seen->id_size);
    const char *folder = arena_printf(arena, "%s/" SESSION_STORE "/%s", state, seen->name);
    holders = describe_finish(holders, failed);
    if (!id || !folder) {
        json_decref(holders);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:o, s:s, s:b, s:o}", "id", id, "workspace",
                     seen->workspace ? describe_bytes(seen->workspace) : json_null(), "folder", describe_bytes(folder),
                     "last_used", when(seen->used, used), "in_use", seen->in_use, "processes", holders);
}

static int list_json(struct arena *arena, const session_list *all, const char *state) {
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < all->count && !failed; i++)
        failed = json_array_append_new(list, session_json(arena, &all->at[i], state));
    failed = failed || print_json(list);
    json_decref(list);
    return failed;
}

/* A line of its own for each thing that can be long. */
static void list_lines(const session_list *all, const char *state) {
    for (size_t i = 0; i < all->count; i++) {
        const struct session_seen *seen = &all->at[i];
        char line[5000], used[32], shown[4096];
        snprintf(line, sizeof line, "%.*s  last used %s%s", (int)seen->id_size, seen->name, when(seen->used, used),
                 seen->in_use ? ", in use" : "");
        for (size_t k = 0; k < seen->holders; k++)
            snprintf(line + strlen(line), sizeof line - strlen(line), "%s %d", k ? "," : " by process",
                     seen->holder[k]);
        print_line(line);
        snprintf(line, sizeof line, "  workspace %s",
                 seen->workspace ? path_show(seen->workspace, shown, sizeof shown) : "unknown");
        print_line(line);
        snprintf(line, sizeof line, "  folder %s/" SESSION_STORE "/%s", path_show(state, shown, sizeof shown),
                 seen->name);
        print_line(line);
    }
}

static int sort_by_use(const struct session_seen *a, const struct session_seen *b) {
    return a->used != b->used ? (a->used < b->used) - (a->used > b->used) : strcmp(a->name, b->name);
}

/* The last used one first. */
static void sort(session_list *all) {
    for (size_t i = 1; i < all->count; i++)
        for (size_t k = i; k > 0 && sort_by_use(&all->at[k - 1], &all->at[k]) > 0; k--) {
            struct session_seen other = all->at[k];
            all->at[k] = all->at[k - 1];
            all->at[k - 1] = other;
        }
}

static int list(struct arena *arena, bool json, struct error *err) {
    const char *home, *state;
    session_list all = {0};
    text_list links = {0};
    if (account_home_of_caller(arena, &home, err) || store_state(arena, home, &state, &links, err))
        return -1;
    if (!state)
        return error_set(err, EXIT_USAGE, "uid %lu has no home in the passwd file, so it has no sessions",
                         (unsigned long)getuid());
    autoclose int store = session_store(state, false, err);
    if (store < 0 && err->status)
        return -1;
    if (store >= 0 && session_list_all(arena, store, &all))
        return error_set(err, EXIT_USAGE, "the sessions can't be listed (%s)", error_name(errno));
    sort(&all);
    if (json && list_json(arena, &all, state))
        return error_set(err, EXIT_USAGE, "the sessions could not be written to standard output");
    if (!json)
        list_lines(&all, state);
    return 0;
}

int command_sessions(int argc, char **argv, char *const *caller) {
    (void)caller;
    struct arena arena = {0};
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    if (options_parse(&arena, SESSIONS, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(SESSIONS);
    if (flags.command[0])
        error_set(&err, EXIT_USAGE, "pinfold sessions takes options alone; see pinfold sessions --help");
    if (err.status || list(&arena, options.json, &err))
        return print_error(&err);
    return print_finish();
}
