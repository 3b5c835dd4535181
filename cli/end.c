/* end.c (glue): pinfold end. */
#include "cli.h"

#include "base/fd.h"
#include "base/nearest.h"
#include "base/path.h"
#include "box/workspace.h"
#include "linux/account.h"
#include "linux/session_store.h"
#include "linux/store.h"
#include "policy/values.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 100, MILLISECONDS = 10 };

static int check_id(const char *id, struct error *err) {
    char near[SESSION_ID_MAX + 1], shown[256];
    const char *wanted = value_session(id, near);
    return wanted ? error_set(err, EXIT_USAGE, "%s: %s%s%s%s", path_show(id, shown, sizeof shown), wanted,
                              *near ? "; did you mean " : "", near, *near ? "?" : "")
                  : 0;
}

/* None of this workspace has that id: the nearest that has one. */
static int no_session(struct arena *arena, int store, const char *id, const char *workspace, struct error *err) {
    session_list all = {0};
    text_list ids = {0};
    char shown[1024], name[SESSION_NAME_ROOM];
    session_name(id, workspace, name);
    const char *hash = strrchr(name, '.');
    bool listed = store >= 0 && !session_list_all(arena, store, &all);
    for (size_t i = 0; listed && i < all.count; i++)
        if (strcmp(all.at[i].name + all.at[i].id_size, hash) == 0) {
            const char *known = arena_copy_bytes(arena, all.at[i].name, all.at[i].id_size);
            listed = known && !text_add(arena, &ids, known);
        }
    const char *near = ids.count ? nearest(id, ids.at, ids.count) : NULL;
    return error_set(err, EXIT_USAGE, "there is no session %s of %s%s%s%s pinfold sessions lists all", id,
                     path_show(workspace, shown, sizeof shown), near ? "; did you mean " : "", near ? near : "",
                     near ? "?" : ";");
}

static int in_use(int store, const char *id, const char *name, struct error *err) {
    char by[SESSION_HOLDERS * 16] = "";
    int holder[SESSION_HOLDERS];
    autoclose int fd = session_open(store, name);
    size_t count = fd < 0 ? 0 : session_holders(fd, holder);
    for (size_t i = 0; i < count; i++)
        snprintf(by + strlen(by), sizeof by - strlen(by), "%s%d", i ? ", " : "", holder[i]);
    return error_set(err, EXIT_USAGE, "session %s is in use by a run of pinfold%s%s; it can be ended when that has", id,
                     count ? ", process " : "", by);
}

static int cannot(const char *id, struct error *err) {
    return error_set(err, EXIT_USAGE,
                     "session %s: it can't be removed whole (%s); what is left is no session any more, "
                     "and goes with the next pinfold end",
                     id, error_name(errno));
}

/* A run that was about to take the session may hold the lock for a moment. */
static int remove_whole(int store, const char *aside) {
    long budget = LONG_MAX;
    int left = session_remove(store, aside, &budget);
    for (int i = 0; left && errno == EWOULDBLOCK && i < TRIES; i++) {
        (void)poll(NULL, 0, MILLISECONDS);
        left = session_remove(store, aside, &budget);
    }
    return left;
}

static int end(struct arena *arena, const char *id, const char *workspace, const char *state, struct error *err) {
    char name[SESSION_NAME_ROOM], aside[SESSION_ASIDE];
    autoclose int store = session_store(state, false, err);
    if (store < 0)
        return err->status ? -1 : no_session(arena, store, id, workspace, err);
    session_name(id, workspace, name);
    if (session_set_aside(store, name, 0, aside))
        return errno == ENOENT ? no_session(arena, store, id, workspace, err)
               : errno == EWOULDBLOCK
                   ? in_use(store, id, name, err)
                   : error_set(err, EXIT_USAGE, "session %s: it can't be removed (%s)", id, error_name(errno));
    if (remove_whole(store, aside) || session_clear(store))
        return cannot(id, err);
    return 0;
}

static int end_of_caller(struct arena *arena, const char *id, const char *workspace, struct error *err) {
    const char *home, *state, *path;
    text_list links = {0};
    if (check_id(id, err) || account_home_of_caller(arena, &home, err) ||
        store_state(arena, home, &state, &links, err) || !(path = workspace_path(arena, workspace, err)))
        return -1;
    if (!state)
        return error_set(err, EXIT_USAGE, "uid %lu has no home in the passwd file, so it has no sessions",
                         (unsigned long)getuid());
    return end(arena, id, path, state, err);
}

int command_end(int argc, char **argv, char *const *caller) {
    (void)caller;
    struct arena arena = {0};
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    char line[256];
    if (options_parse(&arena, END, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(END);
    if (!flags.command[0] || flags.command[1])
        error_set(&err, EXIT_USAGE, "pinfold end takes the id of one session; pinfold sessions lists them");
    else if (!end_of_caller(&arena, flags.command[0], flags.workspace, &err)) {
        snprintf(line, sizeof line, "session %s is removed", flags.command[0]);
        print_line(line);
        return print_finish();
    }
    return print_error(&err);
}
