/* path.c (glue): pinfold path. */
#include "cli.h"

#include "base/nearest.h"
#include "base/path.h"
#include "box/layers.h"
#include "linux/session.h"
#include "plan/describe.h"

#include <stdio.h>
#include <string.h>

enum { SOME_DENIED = 1 };

/* The access and the paths behind it. */
static struct inquiry *take_questions(struct arena *arena, char *const *words, struct error *err) {
    static const char *const accesses[] = {"read", "write"};
    const char *access = words[0], *near = access ? nearest(access, accesses, 2) : NULL;
    char shown[256];
    if (!access || (strcmp(access, "read") != 0 && strcmp(access, "write") != 0)) {
        error_set(err, EXIT_USAGE, "%s%sneither read nor write%s%s%s; type pinfold path read|write FILE...",
                  access ? path_show(access, shown, sizeof shown) : "", access ? ": " : "",
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        return NULL;
    }
    size_t count = 0;
    for (; words[count + 1]; count++)
        if (!*words[count + 1]) {
            error_set(err, EXIT_USAGE, "%s: the path is empty", access);
            return NULL;
        }
    struct inquiry *inquiry = arena_alloc(arena, sizeof *inquiry);
    struct question *questions = arena_alloc(arena, count * sizeof *questions);
    if (!inquiry || !questions || !count) {
        if (count)
            error_memory(err);
        else
            error_set(err, EXIT_USAGE, "no path; type pinfold path %s FILE...", access);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        questions[i] = (struct question){.path = words[i + 1], .write = *access == 'w'};
    *inquiry = (struct inquiry){count, questions};
    return inquiry;
}

static void print_answer(const struct question *question) {
    char path[1024], why[1024], value[1024], line[3200];
    const char *option = question->grant.option;
    snprintf(line, sizeof line, "%-7s  %s%s%s%s%s%s%s", verdict_name(question->verdict),
             path_show(question->path, path, sizeof path), question->why ? ": " : "",
             question->why ? path_show(question->why, why, sizeof why) : "", option ? "; " : "", option ? option : "",
             option ? " " : "", option ? path_show(question->grant.value, value, sizeof value) : "");
    print_line(line);
}

static int path_text(const struct inquiry *inquiry) {
    for (size_t i = 0; i < inquiry->count; i++)
        print_answer(&inquiry->questions[i]);
    return print_finish();
}

static json_t *text_or_null(const char *text) {
    return text && *text ? describe_bytes(text) : json_null();
}

static json_t *question_json(const struct question *question) {
    int error = question->inside.error;
    json_t *grant = question->grant.option ? json_pack("{s:s, s:o}", "option", question->grant.option, "value",
                                                       describe_bytes(question->grant.value))
                                           : json_null();
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "path", describe_bytes(question->path), "access",
                     question->write ? "write" : "read", "verdict", verdict_name(question->verdict), "error",
                     error ? json_string(error_name(error)) : json_null(), "leads_to",
                     text_or_null(question->inside.path), "why", text_or_null(question->why), "grant", grant);
}

static int path_json(const struct inquiry *inquiry) {
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < inquiry->count; i++)
        failed |= json_array_append_new(all, question_json(&inquiry->questions[i]));
    json_t *root = json_pack("{s:o}", "paths", describe_finish(all, failed));
    failed = print_json(root);
    json_decref(root);
    return failed;
}

static bool all_allowed(const struct inquiry *inquiry) {
    for (size_t i = 0; i < inquiry->count; i++)
        if (inquiry->questions[i].verdict != VERDICT_ALLOWED)
            return false;
    return true;
}

int command_path(int argc, char **argv, char *const *caller) {
    static char *nothing[] = {NULL};
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct session session = {0};
    struct error err = {0};
    struct box *box = box_new(&err);
    if (!box || options_parse(&box->arena, PATH, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(PATH);
    box->inquiry = take_questions(&box->arena, flags.command, &err);
    if (!box->inquiry)
        return print_error(&err);
    flags.command = nothing;
    box_begin(box);
    int failed = layers_merge(&box->arena, &flags, &box->policy, &err);
    box->policy.unheard = box->policy.idle = true; /* ours are for the answers */
    failed = failed || box_plan(box, caller, &err) ||
             (box->policy.session && session_enter(&session, &box->plan, &box->probe, &err)) ||
             box_ask(box, caller, &err);
    session_leave(&session);
    box_abandon(box);
    if (failed)
        return print_error(&err);
    if (options.json ? path_json(box->inquiry) : path_text(box->inquiry)) {
        error_set(&err, EXIT_USAGE, "the answers could not be written to standard output");
        return print_error(&err);
    }
    return all_allowed(box->inquiry) ? 0 : SOME_DENIED;
}
