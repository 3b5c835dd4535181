/* box.c (glue): the one dispatch point over backends. */
#include "box/box.h"

#include "box/backend.h"

#include <errno.h>
#include <string.h>

static const struct backend *const backends[] = {&backend_native};

/* The backend asked for, never another; without one, the first. */
static const struct backend *backend_find(const struct policy *policy, struct error *err) {
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (!policy->backend || strcmp(policy->backend, backends[i]->name) == 0)
            return backends[i];
    error_set(err, EXIT_USAGE, "%s %s: there is no such backend; this pinfold has: native",
              policy->backend_origin ? policy->backend_origin : "--backend", policy->backend);
    return NULL;
}

struct box *box_new(struct error *err) {
    struct arena arena = {0};
    struct box *box = arena_alloc(&arena, sizeof *box);
    if (box)
        box->arena = arena;
    else
        error_memory(err);
    return box;
}

void box_begin(struct box *box) {
    backends[0]->begin(box);
}

void box_abandon(struct box *box) {
    if (box->launch)
        backends[0]->abandon(box);
}

static int box_compile(struct box *box, const struct backend *backend, char *const *caller, struct error *err) {
    box->planned = false;
    if (backend->compile(&box->arena, &box->policy, &box->probe, caller, &box->plan, err))
        return -1;
    box->planned = true;
    return 0;
}

static int fail(struct box *box, const struct error *err) {
    box->result.outcome = err->status == EXIT_USAGE     ? OUTCOME_USAGE
                          : err->status == EXIT_REFUSED ? OUTCOME_REFUSED
                                                        : OUTCOME_KILLED; /* after the command began */
    box->result.status = err->status;
    return -1;
}

int box_plan(struct box *box, char *const *caller, struct error *err) {
    const struct backend *backend = backend_find(&box->policy, err);
    if (!backend || backend->probe(&box->arena, &box->policy, &box->probe, err) ||
        box_compile(box, backend, caller, err))
        return fail(box, err);
    return 0;
}

/* Launch, or rehearse, the best plan that this host can carry out and that keeps every promise that isn't waived. */
static int carry_out(struct box *box, const struct backend *backend, int (*launch)(struct box *box, struct error *err),
                     char *const *caller, struct error *err) {
    /* Each failed launch marks at least one more step as missing, so this ends. */
    for (int tries = 0; tries <= STEP_COUNT; tries++) {
        if (plan_check(&box->plan, err))
            return fail(box, err);
        if (!launch(box, err))
            return 0;
        if (err->status || box_compile(box, backend, caller, err))
            return fail(box, err);
    }
    error_set(err, EXIT_REFUSED, "refused, nothing was started: no plan could be carried out");
    return fail(box, err);
}

int box_start(struct box *box, char *const *caller, struct error *err) {
    const struct backend *backend = backend_find(&box->policy, err);
    if (!backend)
        return fail(box, err);
    if (carry_out(box, backend, backend->launch, caller, err))
        return -1;
    backend->wait(box);
    return 0;
}

int box_ask(struct box *box, char *const *caller, struct error *err) {
    const struct backend *backend = backend_find(&box->policy, err);
    if (!backend)
        return fail(box, err);
    if (carry_out(box, backend, backend->rehearse, caller, err))
        return -1;
    backend->look(box->inquiry);
    return inquiry_judge(&box->arena, &box->plan, box->inquiry) ? error_memory(err) : 0;
}

/* The launches of a rehearsal. */
static int rehearse(struct box *box, const struct backend *backend, char *const *caller, struct rehearsal *rehearsal,
                    struct error *err) {
    struct policy open = box->policy;
    open.waived = G_ALL & ~G_NEVER_WAIVED;
    for (int tries = 0; tries <= STEP_COUNT; tries++) {
        struct plan plan = box->plan;
        plan.policy = &open;
        if (!rehearsal->refusal.status && plan_check(&box->plan, &rehearsal->refusal))
            rehearsal->cause = plan_cause(&box->plan);
        if (plan_check(&plan, err))
            return -1;
        if (!backend->rehearse(box, err))
            return 0;
        rehearsal->details[box->setback.step] = box->setback.detail;
        if (err->status && !rehearsal->refusal.status) {
            rehearsal->refusal = *err;
            rehearsal->cause = (int)box->setback.step;
        }
        if (err->status || box_compile(box, backend, caller, err))
            return -1;
    }
    return error_set(err, EXIT_REFUSED, "no plan could be carried out");
}

int box_rehearse(struct box *box, char *const *caller, struct rehearsal *rehearsal, struct error *err) {
    const struct backend *backend = backend_find(&box->policy, err);
    *rehearsal = (struct rehearsal){.cause = -1};
    box->setback = (struct setback){0};
    if (!backend) {
        rehearsal->refusal = *err;
        return -1;
    }
    int result = rehearse(box, backend, caller, rehearsal, err);
    memcpy(rehearsal->errors, box->probe.missing, sizeof rehearsal->errors);
    if (result && box->setback.final)
        rehearsal->errors[box->setback.step] = box->setback.error ? box->setback.error : EIO;
    if (result && !rehearsal->refusal.status)
        rehearsal->refusal = *err;
    return result;
}

const char *outcome_name(enum outcome outcome) {
    static const char *const names[] = {[OUTCOME_REFUSED] = "refused",     [OUTCOME_USAGE] = "usage",
                                        [OUTCOME_EXITED] = "exited",       [OUTCOME_SIGNALLED] = "signalled",
                                        [OUTCOME_TIMEOUT] = "timeout",     [OUTCOME_TERMINATED] = "terminated",
                                        [OUTCOME_NOT_FOUND] = "not-found", [OUTCOME_NOT_EXECUTABLE] = "not-executable",
                                        [OUTCOME_KILLED] = "killed"};
    return names[outcome];
}
