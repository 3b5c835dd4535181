/* diagnosis_json.c (pure): see diagnosis.h. jansson answers NULL when memory runs out, and its *_new setters take that
 * as an error, so the checks are at the end of each object. */
#include "base/error.h"
#include "plan/describe.h"
#include "plan/diagnosis.h"

static const char *const findings[] = {[FINDING_UNKNOWN] = "unknown",
                                       [FINDING_HELD] = "held",
                                       [FINDING_MISSING] = "missing",
                                       [FINDING_UNUSED] = "not needed"};

/* The steps that a guarantee rests on and that were found so. */
static json_t *steps_of(const struct diagnosis *diagnosis, int guarantee, enum finding finding, uint32_t box) {
    json_t *steps = json_array();
    int failed = 0;
    for (int step = 0; step < STEP_COUNT; step++)
        if (diagnosis->steps[step] == finding && step_text[step].gives & (box | UINT32_C(1) << guarantee))
            failed |= json_array_append_new(steps, json_string(step_text[step].name));
    return describe_finish(steps, failed);
}

static json_t *guarantees(const struct diagnosis *diagnosis) {
    json_t *all = json_object();
    int failed = 0;
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        bool untried = diagnosis->plan && diagnosis->complete && diagnosis->plan->untried & UINT32_C(1) << i;
        json_t *one = json_pack("{s:s, s:b, s:s, s:o, s:o, s:s}", "state", findings[diagnosis->guarantees[i]], "waived",
                                (int)!!(diagnosis->policy && diagnosis->policy->waived & UINT32_C(1) << i), "promise",
                                guarantee_text[i].sentence, "layers", steps_of(diagnosis, i, FINDING_HELD, G_BOX),
                                "missing", steps_of(diagnosis, i, FINDING_MISSING, G_BOX), "proof",
                                untried ? "read back" : guarantee_text[i].proof);
        failed |= json_object_set_new(all, guarantee_text[i].name, one);
    }
    return describe_finish(all, failed);
}

static json_t *steps(const struct diagnosis *diagnosis) {
    json_t *all = json_object();
    int failed = 0;
    for (int step = 0; step < STEP_COUNT; step++)
        failed |= json_object_set_new(all, step_text[step].name, json_string(findings[diagnosis->steps[step]]));
    return describe_finish(all, failed);
}

/* The guarantees that can't be given without this step. */
static json_t *consequence(uint32_t gives) {
    json_t *names = json_array();
    int failed = 0;
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        if (gives & (G_BOX | UINT32_C(1) << i))
            failed |= json_array_append_new(names, json_string(guarantee_text[i].name));
    return describe_finish(names, failed);
}

static json_t *absences(const struct diagnosis *diagnosis) {
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < diagnosis->absences.count; i++) {
        const struct absence *one = &diagnosis->absences.at[i];
        const struct step_text *text = &step_text[one->step];
        failed |= json_array_append_new(
            all, json_pack("{s:s, s:s, s:s, s:o, s:b, s:o, s:{s:s, s:o}}", "step", text->name, "cannot", text->what,
                           "error", error_name(one->error), "detail", describe_bytes(one->detail), "no_box",
                           (int)!!(text->gives & G_BOX), "guarantees", consequence(text->gives), "mend", "kind",
                           mend_kind_name(one->mend.kind), "text", describe_bytes(one->mend.text)));
    }
    return describe_finish(all, failed);
}

static json_t *evidence(const struct facts *facts) {
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < facts->evidence.count; i++)
        failed |=
            json_array_append_new(all, json_pack("{s:o, s:o}", "source", describe_bytes(facts->evidence.at[i].source),
                                                 "says", describe_bytes(facts->evidence.at[i].says)));
    return describe_finish(all, failed);
}

static json_t *landlock(const struct probe *probe) {
    json_t *higher = json_array();
    int failed = 0;
    for (const struct landlock_addition *at = landlock_additions; at->abi; at++)
        if (probe && at->abi > probe->landlock_abi)
            failed |= json_array_append_new(higher, json_pack("{s:i, s:s, s:s, s:b}", "abi", at->abi, "kernel",
                                                              at->kernel, "adds", at->adds, "used", (int)at->used));
    return describe_finish(json_pack("{s:i, s:o}", "abi", probe ? probe->landlock_abi : 0, "higher", higher), failed);
}

static json_t *host(const struct diagnosis *diagnosis) {
    const struct facts *facts = &diagnosis->facts;
    return json_pack("{s:s, s:o, s:b, s:s?, s:s, s:o, s:o}", "kind", facts_kind(facts->kind), "words",
                     describe_bytes(facts->words), "docker_like", (int)facts->docker_like, "ci", facts->ci, "kernel",
                     diagnosis->probe ? diagnosis->probe->release : "", "landlock", landlock(diagnosis->probe),
                     "evidence", evidence(facts));
}

static json_t *caller(const struct diagnosis *diagnosis) {
    const struct plan *plan = diagnosis->plan;
    if (!plan)
        return json_pack("{s:I}", "uid", (json_int_t)diagnosis->facts.uid);
    return json_pack("{s:I, s:I, s:s, s:I}", "uid", (json_int_t)plan->probe->uid, "gid", (json_int_t)plan->probe->gid,
                     "root",
                     plan->root_mapped ? "root-mapped"
                     : plan->root_kept ? "root-kept"
                                       : "user",
                     "host_uid", (json_int_t)(plan->root_mapped ? plan->id_base : plan->probe->uid));
}

static json_t *warnings(const struct diagnosis *diagnosis) {
    json_t *all = json_array();
    int failed = 0;
    for (size_t i = 0; i < diagnosis->warnings.count; i++)
        failed |= json_array_append_new(all, json_pack("{s:s, s:s}", "name", diagnosis->warnings.at[i].name, "text",
                                                       diagnosis->warnings.at[i].text));
    return describe_finish(all, failed);
}

json_t *diagnosis_json(const struct diagnosis *diagnosis) {
    json_t *root = json_pack("{s:i, s:s, s:i, s:b, s:o, s:o, s:s?, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "doctor",
                             DOCTOR_VERSION, "version", PINFOLD_VERSION, "status", diagnosis->status, "starts",
                             (int)!diagnosis->status, "verdict", describe_bytes(diagnosis->verdict), "instead",
                             diagnosis->instead ? describe_bytes(diagnosis->instead) : json_null(), "cause",
                             diagnosis->cause >= 0 ? step_text[diagnosis->cause].name : NULL, "complete",
                             (int)diagnosis->complete, "temporary", (int)diagnosis->temporary, "workspace",
                             diagnosis->place ? describe_bytes(diagnosis->place) : json_null(), "host", host(diagnosis),
                             "caller", caller(diagnosis), "guarantees", guarantees(diagnosis), "steps",
                             steps(diagnosis), "missing", absences(diagnosis));
    return root ? describe_finish(root, json_object_set_new(root, "warnings", warnings(diagnosis))) : NULL;
}
