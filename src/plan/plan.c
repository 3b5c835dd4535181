/* plan.c (pure): does a plan keep its promises? */
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

/* Append to a bounded text. */
static void add(char *text, size_t room, const char *separator, const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%s", used ? separator : "", more);
}

static uint32_t lacking_of(const struct plan *plan) {
    return G_ALL & ~plan->provided & ~plan->policy->waived;
}

int plan_cause(const struct plan *plan) {
    for (int step = 0; step < STEP_COUNT; step++)
        if (!plan->taken[step] && plan->probe->missing[step] && step_text[step].gives & (G_BOX | lacking_of(plan)))
            return step;
    return -1;
}

int plan_check(const struct plan *plan, struct error *err) {
    uint32_t lacking = lacking_of(plan);
    if (!lacking)
        return 0;
    char names[512] = "", waivers[640] = "";
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        if (!(lacking & (UINT32_C(1) << i)))
            continue;
        add(names, sizeof names, ", ", guarantee_text[i].name);
        if (!(G_NEVER_WAIVED & (UINT32_C(1) << i))) {
            char one[64];
            snprintf(one, sizeof one, "--waive %s", guarantee_text[i].name);
            add(waivers, sizeof waivers, " ", one);
        }
    }
    int step = plan_cause(plan);
    if (step >= 0) {
        bool all = step_text[step].gives & G_BOX;
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: can't %s (%s%s%s), so %s can't be promised; remedy: %s%s%s",
                         step_text[step].what, plan->probe->detail ? plan->probe->detail : "",
                         plan->probe->detail ? ": " : "", error_name(plan->probe->missing[step]),
                         all ? "the box" : names, step_text[step].mend,
                         all ? "" : "; or give it up by name: ", all ? "" : waivers);
    }
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: %s can't be promised here", names);
}

const char *plan_confined(const struct plan *plan) {
    return plan->policy->waived ? "waived" : "full";
}
