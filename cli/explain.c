/* explain.c (glue): pinfold explain. */
#include "cli.h"

#include "box/layers.h"
#include "plan/describe.h"

static int explain_json(const struct box *box) {
    json_t *root = describe_plan(&box->plan);
    int failed = !root || json_object_set_new(root, "guarantees", describe_guarantees(&box->plan, false)) ||
                 json_object_set_new(root, "confined", json_string(plan_confined(&box->plan))) || print_json(root);
    json_decref(root);
    return failed ? -1 : 0;
}

int command_explain(int argc, char **argv, char *const *caller) {
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    struct box *box = box_new(&err);
    if (!box || options_parse(&box->arena, EXPLAIN, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(EXPLAIN);
    if (layers_merge(&box->arena, &flags, &box->policy, &err) || box_plan(box, caller, &err))
        return print_error(&err);
    if (options.json ? explain_json(box) : describe_text(&box->plan, stdout)) {
        error_set(&err, EXIT_USAGE, "the plan could not be written to standard output");
        return print_error(&err);
    }
    return plan_check(&box->plan, &err) ? print_error(&err) : 0;
}
