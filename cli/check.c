/* check.c (glue): pinfold check. */
#include "cli.h"

#include "base/path.h"
#include "box/layers.h"
#include "plan/describe.h"

#include <stdio.h>

static int check_text(struct arena *arena, char *const *files, int *bad) {
    for (; *files; files++) {
        struct error err = {0};
        char shown[1024], line[1100];
        if (layers_check(arena, *files, &err)) {
            *bad = print_error(&err);
            continue;
        }
        snprintf(line, sizeof line, "%s: ok", path_show(*files, shown, sizeof shown));
        print_line(line);
    }
    return print_finish();
}

static int check_json(struct arena *arena, char *const *files, int *bad) {
    json_t *all = json_array();
    int failed = 0;
    for (; *files; files++) {
        struct error err = {0};
        int wrong = layers_check(arena, *files, &err);
        json_t *one = json_pack("{s:o, s:b}", "file", describe_bytes(*files), "ok", !wrong);
        failed |= wrong && json_object_set_new(one, "error", describe_bytes(err.text));
        failed |= json_array_append_new(all, one);
        *bad = wrong ? err.status : *bad;
    }
    failed = failed || print_json(all);
    json_decref(all);
    return failed;
}

int command_check(int argc, char **argv, char *const *caller) {
    (void)caller;
    struct arena arena = {0};
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    int bad = 0;
    if (options_parse(&arena, CHECK, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(CHECK);
    if (!flags.command[0]) {
        error_set(&err, EXIT_USAGE, "no file; type pinfold check FILE...");
        return print_error(&err);
    }
    int failed = options.json ? check_json(&arena, flags.command, &bad) : check_text(&arena, flags.command, &bad);
    if (failed) {
        error_set(&err, EXIT_USAGE, "the result could not be written to standard output");
        return print_error(&err);
    }
    return bad;
}
