/* native.c (glue): the native backend: probe, compile, launch, wait. */
#include "box/backend.h"
#include "linux/compile.h"
#include "linux/launch.h"
#include "linux/probe.h"
#include "supervise/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An errno that is about this moment, not about what the host has: nothing may be given up for it. */
static bool says_nothing(int error) {
    static const int passing[] = {EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EIO, EPIPE, EPROTO, ESTALE};
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++)
        if (error == passing[i])
            return true;
    return false;
}

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
    bool final = says_nothing(failure->error) || failure->step == STEP_VERIFY;
    box->setback = (struct setback){failure->step, failure->error, detail, final};
    if (final)
        return refuse(box, failure, err);
    /* Which step is missing on this host; one that comes twice refuses the run. */
    int before = box->probe.missing[failure->step];
    if (failure->step == STEP_USER_NAMESPACE)
        probe_namespaces(&box->probe, failure->error);
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

static int native_launch(struct box *box, struct error *err) {
    struct failure failure = {0};
    struct launch *launch = arena_alloc(&box->arena, sizeof *launch);
    sigset_t mask;
    err->status = 0;
    if (!launch)
        return error_memory(err);
    int signals = signals_take(&mask);
    if (signals < 0)
        return cannot_take_signals(box, err);
    box->launch = launch;
    if (!launch_start(&box->plan, &mask, signals, &box->tie, launch, &failure)) {
        box->plan.untried = launch->untried;
        return 0;
    }
    close(signals);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (launch->begun)
        return ended_as_it_began(&failure, err);
    return note_failure(box, &failure, err);
}

static int native_rehearse(struct box *box, struct error *err) {
    struct failure failure = {0};
    sigset_t mask;
    err->status = 0;
    int signals = signals_take(&mask);
    if (signals < 0)
        return cannot_take_signals(box, err);
    int result = launch_rehearse(&box->plan, &mask, signals, &box->plan.untried, &failure);
    close(signals);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return result ? note_failure(box, &failure, err) : 0;
}

static void native_wait(struct box *box) {
    supervise_run(box);
    close(box->launch->signals);
}

const struct backend backend_native = {"native",      probe_host,  compile_native,
                                       native_launch, native_wait, native_rehearse};
