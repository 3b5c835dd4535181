/* doctor.c (glue; touching: one empty folder, when the current one can't be a workspace). See doctor.h.
 *
 * Should: say for this folder and this caller what `pinfold run` would. Must not: run a command, leave anything, take
 * what was not reached for fine. */
#include "box/doctor.h"

#include "box/layers.h"
#include "linux/alone.h"
#include "linux/facts.h"
#include "policy/merge.h"
#include "settle/settle.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMPORARY_ROOM = 64 };

static void do_nothing(int number) {
    (void)number;
}

/* A signal ends the launch that it meets, which listens for it, and not pinfold itself: the folder is still removed. */
static int outlive_signals(void) {
    static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction now;
        if (sigaction(ending[i], NULL, &now))
            return -1;
        now.sa_flags = 0;
        if (now.sa_handler == SIG_IGN)
            continue;
        now.sa_handler = do_nothing;
        if (sigaction(ending[i], &now, NULL))
            return -1;
    }
    return 0;
}

/* A new folder that is the current one now. False when none can be had. */
static bool enter_temporary(char folder[TEMPORARY_ROOM]) {
    static const char *const places[] = {"/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, TEMPORARY_ROOM, "%s/pinfold-doctor-XXXXXX", places[i]);
        if (!mkdtemp(folder))
            continue;
        if (!chdir(folder))
            return true;
        (void)rmdir(folder);
    }
    folder[0] = '\0';
    return false;
}

/* The text of a refusal for the verdict: what mends it is told exactly elsewhere. */
static const char *short_refusal(struct arena *arena, const char *text) {
    static const char prefix[] = "refused, nothing was started: ";
    bool has = strncmp(text, prefix, sizeof prefix - 1) == 0;
    const char *start = has ? text + sizeof prefix - 1 : text, *end = strstr(start, "; remedy: ");
    return arena_printf(arena, "%s%.*s", has ? "refused: " : "", (int)(end ? (size_t)(end - start) : strlen(start)),
                        start);
}

/* Plan with nothing but what is built in, in the current folder. */
static int plan_built_in(struct box *box, const struct policy *flags, char *const *caller) {
    struct error err;
    policy_floor(&box->policy);
    box->policy.command = flags->command;
    return box_plan(box, caller, &err);
}

/* Plan with what is asked for; where that can't be, with what is built in or in a folder of our own. Returns what was
 * done instead of what was asked for, "" for nothing, or NULL when no plan could be made. */
static const char *plan_somehow(struct box *box, const struct policy *flags, char *const *caller, struct error *wrong,
                                char folder[TEMPORARY_ROOM]) {
    struct error again;
    bool merged = !layers_merge(&box->arena, flags, &box->policy, wrong);
    box->policy.idle = true;
    box->policy.session = NULL; /* nothing is left behind: the box of this one is made with scratch folders */
    if (merged && !box_plan(box, caller, wrong))
        return "";
    if (!merged && !plan_built_in(box, flags, caller))
        return "tried with the built-in policy instead";
    if (!enter_temporary(folder))
        return NULL;
    box->policy.workspace = NULL;
    if (merged && !box_plan(box, caller, &again))
        return "tried in a temporary folder instead";
    return plan_built_in(box, flags, caller) ? NULL : "tried with the built-in policy in a temporary folder instead";
}

/* Everything that failed, with what mends it. */
static int list_absences(struct box *box, const struct rehearsal *rehearsal, const int alone[STEP_COUNT],
                         struct diagnosis *diagnosis) {
    for (int step = 0; step < STEP_COUNT; step++) {
        int error = rehearsal->errors[step] ? rehearsal->errors[step] : alone[step];
        const char *detail = rehearsal->details[step] ? rehearsal->details[step] : "";
        struct absence *added = error ? list_add(&box->arena, &diagnosis->absences) : NULL;
        if (!error)
            continue;
        if (!added)
            return -1;
        *added = (struct absence){.step = (enum step)step, .error = error, .detail = detail};
        if (mend_find(&box->arena, &diagnosis->facts, added->step, error, detail, &added->mend))
            return -1;
    }
    return 0;
}

/* What would be said of guarantees when it starts: those given up by name are named. */
static const char *starting(struct arena *arena, const struct policy *flags, const struct policy *policy) {
    const char *what = flags->policy || flags->profile ? "this policy" : "the default policy", *names = "";
    for (int i = 0; i < GUARANTEE_COUNT && names; i++)
        if (policy->waived & UINT32_C(1) << i)
            names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", guarantee_text[i].name);
    if (!names)
        return NULL;
    return *names ? arena_printf(arena, "%s starts here, with these guarantees given up by name: %s", what, names)
                  : arena_printf(arena, "%s starts here: every guarantee is held", what);
}

/* The two lines of what came of it. `wrong`: why what was asked for could not even be planned, status 0: it could. */
static int tell(struct box *box, const struct policy *flags, const char *instead, const struct error *wrong,
                const struct rehearsal *rehearsal, struct diagnosis *diagnosis) {
    struct arena *arena = &box->arena;
    const char *found = rehearsal->refusal.status ? short_refusal(arena, rehearsal->refusal.text)
                                                  : starting(arena, flags, &box->policy);
    diagnosis->status = wrong->status ? wrong->status : rehearsal->refusal.status;
    diagnosis->cause = wrong->status ? -1 : rehearsal->cause;
    diagnosis->verdict = wrong->status == EXIT_USAGE ? arena_printf(arena, "not as it is asked for: %s", wrong->text)
                         : wrong->status             ? short_refusal(arena, wrong->text)
                                                     : found;
    if (!wrong->status)
        return diagnosis->verdict ? 0 : -1;
    diagnosis->instead = !instead ? "nothing else could be tried either"
                         : rehearsal->refusal.status
                             ? arena_printf(arena, "%s: %s", instead, found ? found : "")
                             : arena_printf(arena, "%s: every guarantee is held there", instead);
    return diagnosis->verdict && diagnosis->instead ? 0 : -1;
}

/* With all that a run holds meanwhile, and refuses for first. */
static int rehearse(struct box *box, char *const *caller, struct rehearsal *rehearsal, struct error *err) {
    struct arena arena = {.alone = true};
    struct settle_trial trial;
    struct error refused = {0};
    errno = ENOENT;
    int unsettled = settle_try(&trial, &arena, &box->plan, &refused) ? errno : 0;
    int failed = box_rehearse(box, caller, rehearsal, err);
    settle_try_end(&trial);
    if (unsettled) {
        rehearsal->refusal = refused;
        rehearsal->cause = refused.status == EXIT_REFUSED ? STEP_SETTLE : -1;
        rehearsal->errors[STEP_SETTLE] = refused.status == EXIT_REFUSED ? unsettled : 0;
    }
    (void)!arena_free(&arena);
    return failed;
}

static int examine(struct box *box, const struct policy *flags, char *const *caller, struct diagnosis *diagnosis,
                   char folder[TEMPORARY_ROOM]) {
    struct error wrong = {0}, err = {0};
    struct rehearsal rehearsal = {.cause = -1};
    int alone[STEP_COUNT] = {0};
    const char *instead = plan_somehow(box, flags, caller, &wrong, folder);
    if (instead)
        diagnosis->complete = !rehearse(box, caller, &rehearsal, &err);
    else
        memcpy(rehearsal.errors, box->probe.missing, sizeof rehearsal.errors);
    /* a process that can't be had leaves these steps unknown, as they are */
    if (!diagnosis->complete && alone_try(&box->probe, alone))
        memset(alone, 0, sizeof alone);
    if (facts_refused(&box->arena, &diagnosis->facts, rehearsal.errors[STEP_USER_NAMESPACE]))
        return -1;
    diagnosis->policy = &box->policy;
    diagnosis->probe = &box->probe;
    diagnosis->plan = instead && box->planned ? &box->plan : NULL;
    diagnosis->place = instead && box->probe.workspace.path ? box->probe.workspace.path : NULL;
    diagnosis->temporary = *folder && instead;
    if (list_absences(box, &rehearsal, alone, diagnosis))
        return -1;
    diagnosis_judge(diagnosis);
    return tell(box, flags, instead, &wrong, &rehearsal, diagnosis) || warnings_find(&box->arena, diagnosis);
}

int doctor_examine(struct box *box, const struct policy *flags, char *const *caller, struct diagnosis *diagnosis,
                   struct error *err) {
    char folder[TEMPORARY_ROOM] = "";
    *diagnosis = (struct diagnosis){.cause = -1};
    if (outlive_signals())
        return error_set(err, EXIT_REFUSED, "signals can't be taken (%s)", error_name(errno));
    box_begin(box); /* as run does: what it takes may be what is short here */
    int failed = facts_gather(&box->arena, caller, &diagnosis->facts) || examine(box, flags, caller, diagnosis, folder);
    box_abandon(box);
    if (*folder && (chdir("/") || rmdir(folder)))
        return error_set(err, EXIT_REFUSED, "the folder %s could not be removed (%s)", folder, error_name(errno));
    return failed ? error_memory(err) : 0;
}
