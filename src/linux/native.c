/* native.c (glue): the native backend: probe, compile, launch, wait. */
#include "box/backend.h"
#include "linux/compile.h"
#include "linux/launch.h"
#include "linux/probe.h"
#include "linux/protect.h"
#include "supervise/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int refuse(const struct box *box, const struct failure *failure, struct error *err) {
    const char *mend = failure->error == EMFILE || failure->error == ENFILE ? "; remedy: more open files (ulimit -n)"
                       : failure->error == EAGAIN                           ? "; remedy: more processes (ulimit -u)"
                       : failure->step == STEP_VERIFY
                           ? "; remedy: do not run it here, and report this: what was built doesn't hold"
                       : failure->error == ENOMEM ? "; remedy: free memory, or a larger memory limit"
                                                  : "";
    if (failure->error == EINTR)
        return error_set(err, EXIT_REFUSED, "refused, nothing was started: interrupted by a signal%s",
                         box->tie.count ? " or the end of what it is tied to" : "");
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: can't %s (%s%s%s)%s",
                     step_text[failure->step].what, failure->detail, failure->detail[0] ? ": " : "",
                     error_name(failure->error), mend);
}

/* The launch failed at its very last moment, by a signal or while the supervisor listened: no refusal, whatever is
 * missing, since some of the command may have been executed. */
static int ended_as_it_began(const struct failure *failure, struct error *err) {
    return error_set(err, 128 + SIGKILL, "the box was ended as the command began: %s",
                     failure->error == EINTR ? "a signal came" : error_name(failure->error));
}

/* After a launch that failed: mark what is missing on this host, or refuse. */
static int note_failure(struct box *box, const struct failure *failure, struct error *err) {
    const char *detail = arena_copy(&box->arena, failure->detail);
    if (!detail)
        return error_memory(err);
    bool final = error_is_passing(failure->error) || failure->step == STEP_VERIFY;
    box->setback = (struct setback){failure->step, failure->error, detail, final};
    if (final)
        return refuse(box, failure, err);
    /* Which step is missing on this host; one that comes twice refuses the run. */
    int before = box->probe.missing[failure->step];
    if (failure->step == STEP_USER_NAMESPACE || failure->step == STEP_MOUNT_NAMESPACE)
        probe_namespaces(&box->probe, failure->step, failure->error);
    else
        box->probe.missing[failure->step] = failure->error ? failure->error : EIO;
    if (failure->step == STEP_IDMAPPED_MOUNTS && probe_private_places(&box->arena, &box->probe, err))
        return -1;
    box->probe.detail = *detail ? detail : NULL;
    box->probe.detail_of = failure->step;
    return before ? refuse(box, failure, err) : -1;
}

/* Before anything was begun. */
static int cannot_take_signals(struct box *box, struct error *err) {
    struct failure failure;
    failure_set(&failure, STEP_LIFE, errno, "signals");
    box->setback = (struct setback){failure.step, failure.error, "signals", true};
    return refuse(box, &failure, err);
}

static void native_begin(struct box *box) {
    box->launch = launch_begin(&box->arena);
}

static void native_abandon(struct box *box) {
    launch_kill(box->launch);
}

/* Take the signals and have a launch for them. */
static int take(struct box *box, struct error *err) {
    err->status = 0;
    if (!box->launch && !(box->launch = arena_alloc(&box->arena, sizeof *box->launch)))
        return error_memory(err);
    box->launch->tie = &box->tie;
    box->launch->signals = signals_take(&box->launch->mask);
    return box->launch->signals < 0 ? cannot_take_signals(box, err) : 0;
}

static int give_back(struct launch *launch) {
    close(launch->signals);
    return sigprocmask(SIG_SETMASK, &launch->mask, NULL);
}

static int native_launch(struct box *box, struct error *err) {
    struct failure failure = {0};
    if (take(box, err))
        return -1;
    clock_gettime(CLOCK_REALTIME, &box->launch->since);
    if (!launch_start(&box->arena, &box->plan, box->launch, &failure)) {
        box->plan.untried = box->launch->untried;
        return 0;
    }
    int kept = give_back(box->launch);
    if (box->launch->begun)
        return ended_as_it_began(&failure, err);
    return kept ? cannot_take_signals(box, err) : note_failure(box, &failure, err);
}

static int native_rehearse(struct box *box, struct error *err) {
    struct failure failure = {0};
    if (take(box, err))
        return -1;
    int failed = launch_rehearse(&box->arena, &box->plan, box->inquiry, box->launch, &failure);
    if (give_back(box->launch))
        return cannot_take_signals(box, err);
    if (failed)
        return note_failure(box, &failure, err);
    box->plan.untried = box->launch->untried;
    return 0;
}

static void native_wait(struct box *box) {
    supervise_run(box);
    protect_look_back(&box->plan, &box->launch->since);
    close(box->launch->signals);
}

const struct backend backend_native = {"native",      native_begin, native_abandon,  probe_host,  compile_native,
                                       native_launch, native_wait,  native_rehearse, look_outside};
