/* receipt.c (pure but for handing the text to receipt_place.c): what a receipt says. Its fields are in
 * policies/receipt.schema.json and pinfold-receipt(5). */
#include "box/receipt.h"

#include "plan/describe.h"
#include "settle/quarantine.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *command_of(const struct policy *policy) {
    json_t *words = json_array();
    int failed = 0;
    for (char *const *at = policy->command; at && *at; at++)
        failed |= json_array_append_new(words, describe_bytes(*at));
    return describe_finish(words, failed);
}

static const char *stream_error(const struct box *box, size_t stream) {
    int error = box->result.relay.stream[stream].error;
    return error ? error_name(error) : "";
}

static json_t *output_of(const struct box *box) {
    json_t *all = json_array();
    size_t stream = 0;
    int failed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < box->plan.channels.count && stream < RELAY_STREAMS; i++) {
            const struct channel *channel = &box->plan.channels.at[i];
            bool relayed = pass ? channel->kind == CHANNEL_TTY : channel->kind == CHANNEL_RELAY && channel->same_as < 0;
            bool counted = relayed && (pass == 0 || channel->inward || channel->number == 1 || channel->number == 2);
            if (!counted)
                continue;
            failed |=
                json_array_append_new(all, json_pack("{s:i, s:I, s:I, s:s}", "number", channel->number, "bytes",
                                                     (json_int_t)box->result.relay.stream[stream].seen, "left_out",
                                                     (json_int_t)box->result.relay.stream[stream].dropped, "error",
                                                     stream_error(box, stream)));
            stream++;
            if (pass && !channel->inward)
                break;
        }
    return describe_finish(all, failed);
}

/* What every receipt has. */
static json_t *head_of(const struct box *box, const char *outcome, const char *confined) {
    return json_pack("{s:i, s:s, s:s, s:s, s:o}", "receipt", RECEIPT_VERSION, "version", PINFOLD_VERSION, "outcome",
                     outcome, "confined", confined, "command", command_of(&box->policy));
}

static int add_plan(json_t *root, const struct plan *plan, bool ran) {
    json_t *described = describe_plan(plan);
    int failed = !described || json_object_update(root, described);
    json_decref(described);
    return failed | json_object_set_new(root, "guarantees", describe_guarantees(plan, ran));
}

static int add_measures(json_t *root, const struct box *box) {
    const struct result *result = &box->result;
    return json_object_set_new(root, "wall_us", json_integer((json_int_t)result->wall)) |
           json_object_set_new(root, "cpu_us", json_integer((json_int_t)result->processor)) |
           json_object_set_new(root, "peak_kib", json_integer((json_int_t)result->peak)) |
           json_object_set_new(root, "output", output_of(box));
}

static json_t *settled_json(const struct settled *settled) {
    static const char *const fates[] = {
        [SETTLED_ASIDE] = "aside", [SETTLED_RESTORED] = "restored", [SETTLED_REPORTED] = "reported"};
    char item[QUARANTINE_NAME + 16];
    snprintf(item, sizeof item, "%s/%u", settled->item ? settled->run : "", settled->item);
    json_t *json = json_pack("{s:o, s:s, s:s}", "path", describe_bytes(settled->path), "fate", fates[settled->fate],
                             "why", settled->why);
    int failed = !json || (settled->item && json_object_set_new(json, "quarantine", json_string(item)));
    return describe_finish(json, failed);
}

static json_t *found_json(const struct settlement *settlement) {
    json_t *found = json_array();
    int failed = !found;
    for (size_t i = 0; i < settlement->found.count; i++)
        failed |= json_array_append_new(found, settled_json(&settlement->found.at[i]));
    return describe_finish(found, failed);
}

static json_t *settlement_json(const struct settlement *settlement) {
    return json_pack("{s:b, s:I, s:I, s:I, s:o}", "done", settlement->done, "folders", (json_int_t)settlement->folders,
                     "unseen", (json_int_t)settlement->unseen, "reported", (json_int_t)settlement->reported, "found",
                     found_json(settlement));
}

static json_t *receipt_json(const struct box *box, const struct error *err) {
    const struct result *result = &box->result;
    bool ran = result->outcome != OUTCOME_REFUSED && result->outcome != OUTCOME_USAGE;
    json_t *root = head_of(box, outcome_name(result->outcome), ran ? plan_confined(&box->plan) : "not-started");
    int failed = !root || json_object_set_new(root, "exit", json_integer(result->status));
    if (err->status)
        failed |= json_object_set_new(root, "error", describe_bytes(err->text));
    if (result->exec_error)
        failed |= json_object_set_new(root, "exec_error", json_string(error_name(result->exec_error)));
    if (result->outcome == OUTCOME_SIGNALLED || result->outcome == OUTCOME_TERMINATED)
        failed |= json_object_set_new(root, "signal", json_integer(result->status - 128));
    if (box->planned)
        failed |= add_plan(root, &box->plan, ran);
    if (ran)
        failed |= add_measures(root, box);
    if (ran)
        failed |= json_object_set_new(
            root, "settlement", box->plan.taken[STEP_SETTLE] ? settlement_json(&box->settlement) : json_string("none"));
    if (box->inherited.aside)
        failed |= json_object_set_new(root, "inherited", found_json(&box->inherited));
    return describe_finish(root, failed);
}

/* Takes the object over. */
static int put(const struct receipt *receipt, json_t *json) {
    char *text = json ? describe_dump(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    errno = ENOMEM;
    if (!text)
        return -1;
    size_t size = strlen(text);
    text[size] = '\n'; /* in place of the NUL */
    int failed = receipt_put(receipt, text, size + 1);
    free(text);
    return failed;
}

int receipt_begin(const struct receipt *receipt, const struct box *box) {
    json_t *json = head_of(box, outcome_name(OUTCOME_KILLED), "unknown");
    int failed = json_object_set_new(json, "error",
                                     json_string("this run has not ended yet, or pinfold was killed before it could "
                                                 "say how it ended"));
    return put(receipt, describe_finish(json, failed));
}

int receipt_write(const struct receipt *receipt, const struct box *box, const struct error *err) {
    return receipt->kind == RECEIPT_NONE ? 0 : put(receipt, receipt_json(box, err));
}
