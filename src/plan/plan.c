/* plan.c (pure): does a plan keep its promises? */
#include "plan/plan.h"

#include "base/path.h"

#include <stdio.h>
#include <string.h>

/* Append to a bounded text. */
static void add(char *text, size_t room, const char *separator, const char *more) {
    size_t used = strlen(text);
    if (snprintf(text + used, room - used, "%s%s", used ? separator : "", more) < 0)
        text[used] = '\0';
}

/* The names of a set of guarantees, each with `before` in front of it. */
static void add_names(char *text, size_t room, const char *separator, const char *before, uint32_t set) {
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        if (set & (UINT32_C(1) << i)) {
            char one[64];
            snprintf(one, sizeof one, "%s%s", before, guarantee_text[i].name);
            add(text, room, separator, one);
        }
}

static uint32_t lacking_of(const struct plan *plan) {
    return G_ALL & ~plan->provided & ~(plan->policy->waived & ~G_NEVER_WAIVED);
}

/* Is it missing on this host, and does one of these guarantees need it? */
static bool is_cause(const struct plan *plan, int step, uint32_t lacking) {
    return plan->needed[step] && plan->probe->missing[step] && step_text[step].gives & lacking;
}

/* The first step that is a cause for one of these. */
static int find_cause(const struct plan *plan, uint32_t lacking) {
    for (int step = 0; step < STEP_COUNT; step++)
        if (is_cause(plan, step, lacking))
            return step;
    return -1;
}

int plan_cause(const struct plan *plan) {
    int box = find_cause(plan, G_BOX);
    return box < 0 ? find_cause(plan, lacking_of(plan)) : box;
}

/* What can't be done, on what, why, what is lost with it, and what mends it. */
static void tell_cause(const struct plan *plan, int step, const char *lost, char *text, size_t room) {
    const char *detail = plan->probe->detail && plan->probe->detail_of == (enum step)step ? plan->probe->detail : NULL;
    snprintf(text, room, "can't %s (%s%s%s), so %s can't be promised; remedy: %s", step_text[step].what,
             detail ? detail : "", detail ? ": " : "", error_name(plan->probe->missing[step]), lost,
             step_text[step].mend);
}

/* Every missing step that one of `lacking` needs. Those for which there is no more room are counted. */
static void tell_causes(const struct plan *plan, uint32_t lacking, char *text, size_t room) {
    int more = 0;
    for (int step = 0; step < STEP_COUNT; step++) {
        char lost[256] = "", cause[1500];
        if (!is_cause(plan, step, lacking))
            continue;
        add_names(lost, sizeof lost, ", ", "", step_text[step].gives & lacking);
        tell_cause(plan, step, lost, cause, sizeof cause);
        if (!*text || strlen(text) + strlen(cause) + 40 < room)
            add(text, room, "; and ", cause);
        else
            more++;
    }
    if (more)
        snprintf(text + strlen(text), room - strlen(text), "; and %d more", more);
}

bool plan_holds(const struct plan *plan, enum secret_state state) {
    for (size_t i = 0; i < plan->secrets.count; i++)
        if (plan->secrets.at[i] == state)
            return true;
    return false;
}

bool plan_has_secret(const struct plan *plan) {
    for (size_t i = 0; i < plan->secrets.count; i++)
        if (plan->secrets.at[i] != SECRET_OPEN && plan->probe->secrets.at[i].mode)
            return true;
    return false;
}

const struct secret *plan_denies(const struct plan *plan, const char *path) {
    for (size_t i = 0; i < plan->secrets.count; i++)
        if ((plan->secrets.at[i] == SECRET_HIDDEN || plan->secrets.at[i] == SECRET_COVERED) &&
            path_is_under(path, plan->probe->secrets.at[i].path))
            return &plan->probe->secrets.at[i];
    return NULL;
}

bool channel_has_end(const struct channel *channel) {
    return channel->kind == CHANNEL_PASS || (channel->kind == CHANNEL_RELAY && channel->same_as < 0);
}

int plan_check(const struct plan *plan, struct error *err) {
    static const char refused[] = "refused, nothing was started";
    uint32_t lacking = lacking_of(plan);
    char causes[1500] = "", names[256] = "", waivers[400] = "";
    if (!lacking)
        return 0;
    int box = find_cause(plan, G_BOX); /* without it there is no box, and no waiver helps */
    if (box >= 0) {
        tell_cause(plan, box, "the box", causes, sizeof causes);
        return error_set(err, EXIT_REFUSED, "%s: %s", refused, causes);
    }
    add_names(names, sizeof names, ", ", "", lacking);
    add_names(waivers, sizeof waivers, " ", "--waive ", lacking & ~G_NEVER_WAIVED);
    tell_causes(plan, lacking, causes, sizeof causes);
    if (!*causes)
        return error_set(err, EXIT_REFUSED, "%s: %s can't be promised here", refused, names);
    return error_set(err, EXIT_REFUSED, "%s: %s; or give it up by name: %s", refused, causes, waivers);
}

const char *plan_confined(const struct plan *plan) {
    return plan->broken ? "broken" : plan->policy->waived ? "waived" : "full";
}
