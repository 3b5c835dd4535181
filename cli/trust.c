/* trust.c (glue): pinfold trust. */
#include "cli.h"

#include "base/fd.h"
#include "base/path.h"
#include "box/workspace.h"
#include "linux/account.h"
#include "linux/trust.h"
#include "policy/merge.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* In a box of pinfold's the home is scratch: a pin would be gone with it, and would never have meant anything outside.
 * Pid 1 is there called "pinfold: init" (src/linux/init.c). */
static bool is_in_box(void) {
    char name[32] = "";
    autoclose int fd = open("/proc/1/comm", O_RDONLY | O_CLOEXEC);
    return fd >= 0 && fd_read_all(fd, name, sizeof name - 1) > 0 && strcmp(name, "pinfold: init\n") == 0;
}

/* Whole, however long: what is cut off may be what counts. */
static int print_opening(struct arena *arena, const char *key, const char *value, struct error *err) {
    size_t room = 4 * strlen(value) + 8;
    char *shown = arena_alloc(arena, room);
    const char *line = shown ? arena_printf(arena, "  %s %s", key, path_show(value, shown, room)) : NULL;
    if (!line)
        return error_memory(err);
    print_line(line);
    return 0;
}

static int print_openings(struct arena *arena, const struct policy *layer, struct error *err) {
    static const char *const keys[] = {
        [ACCESS_READ] = "read", [ACCESS_WRITE] = "write", [ACCESS_SOCKET] = "unix-socket"};
    for (size_t i = 0; i < layer->grants.count; i++)
        if (print_opening(arena, keys[layer->grants.at[i].access], layer->grants.at[i].path, err))
            return -1;
    if (layer->create.value)
        print_line("  create folders of write that aren't there");
    for (size_t i = 0; i < layer->environment.count; i++)
        if (print_opening(arena, "env", layer->environment.at[i].entry, err))
            return -1;
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        if (layer->waived & UINT32_C(1) << i && print_opening(arena, "waive", guarantee_text[i].name, err))
            return -1;
    return 0;
}

static int list(struct arena *arena, const char *home, struct error *err) {
    struct trust trust;
    if (trust_read(arena, home, &trust, err))
        return -1;
    for (size_t i = 0; i < trust.pins.count; i++) {
        char line[1300], shown[1024];
        snprintf(line, sizeof line, "%s %s", trust.pins.at[i].sha256,
                 path_show(trust.pins.at[i].path, shown, sizeof shown));
        print_line(line);
    }
    return 0;
}

static int no_file(const char *workspace, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_USAGE, "there is no .pinfold.json in %s; name its folder: pinfold trust --workspace DIR",
                     workspace ? path_show(workspace, shown, sizeof shown) : "the current folder");
}

static int pin(struct arena *arena, const char *home, const char *workspace, struct error *err) {
    struct workspace_file file;
    char line[1300];
    if (workspace_read(arena, workspace, home, &file, err))
        return -1;
    if (!file.path)
        return no_file(workspace, err);
    if (!policy_opening(&file.layer)) {
        snprintf(line, sizeof line, "%s only narrows what a box may do; that needs no trust", file.name);
        print_line(line);
        return 0;
    }
    snprintf(line, sizeof line, "%s, SHA-256 %s, opens for runs in its folder:", file.name, file.sha256);
    print_line(line);
    if (print_openings(arena, &file.layer, err))
        return -1;
    if (print_finish())
        return error_set(err, EXIT_USAGE, "what the file opens could not be written to standard output: not trusted");
    if (trust_change(arena, home, file.path, file.sha256, err))
        return -1;
    print_line("trusted, until the file changes");
    return 0;
}

/* The pin of a workspace's file, whatever it now holds, and whether it is there. */
static int unpin(struct arena *arena, const char *home, const char *workspace, struct error *err) {
    struct trust trust;
    char line[1300], shown[1024];
    const char *path = workspace_file_path(arena, workspace, err);
    if (!path || trust_read(arena, home, &trust, err))
        return -1;
    path_show(path, shown, sizeof shown);
    if (!trust_find(&trust, path))
        return error_set(err, EXIT_USAGE, "%s is not trusted; pinfold trust --list shows what is", shown);
    if (trust_change(arena, home, path, NULL, err))
        return -1;
    snprintf(line, sizeof line, "%s is no longer trusted", shown);
    print_line(line);
    return 0;
}

int command_trust(int argc, char **argv, char *const *caller) {
    (void)caller;
    struct arena arena = {0};
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    const char *home = NULL;
    if (options_parse(&arena, TRUST, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(TRUST);
    if (flags.command[0] || (options.list && options.remove))
        error_set(&err, EXIT_USAGE, "pinfold trust takes options alone; see pinfold trust --help");
    else if (is_in_box())
        error_set(&err, EXIT_USAGE, "this is inside a box, where nothing can be trusted; type pinfold trust outside");
    else if (!account_home_of_caller(&arena, &home, &err) && !home)
        error_set(&err, EXIT_USAGE, "uid %lu has no home in the passwd file, where what it trusts could be kept",
                  (unsigned long)getuid());
    if (err.status || !home)
        return print_error(&err);
    if (options.list     ? list(&arena, home, &err)
        : options.remove ? unpin(&arena, home, flags.workspace, &err)
                         : pin(&arena, home, flags.workspace, &err))
        return print_error(&err);
    return print_finish();
}
