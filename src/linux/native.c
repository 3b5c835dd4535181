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

static int native_launch(struct box *box, struct error *err) {
    struct failure failure = {0};
    struct launch *launch = arena_alloc(&box->arena, sizeof *launch);
    sigset_t mask;
    err->status = 0;
    if (!launch)
        return error_memory(err);
    int signals = signals_take(&mask);
    if (signals < 0)
        return error_set(err, EXIT_REFUSED, "refused, nothing was started: signals can't be taken (%s)", error_name(errno));
    box->launch = launch;
    if (!launch_start(&box->plan, &mask, launch, &failure)) {
        launch->signals = signals;
        return 0;
    }
    close(signals);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    /* Which step is missing on this host; a failure that can't be attributed, or comes twice, refuses the run. */
    int before = box->probe.missing[failure.step];
    if (failure.step == STEP_USER_NAMESPACE)
        probe_namespaces(&box->probe, failure.error);
    else
        box->probe.missing[failure.step] = failure.error ? failure.error : EIO;
    if (failure.step == STEP_IDMAPPED_MOUNTS && probe_private_places(&box->arena, &box->probe, err))
        return -1;
    if (failure.detail[0])
        box->probe.detail = arena_copy(&box->arena, failure.detail);
    if (before || failure.step == STEP_VERIFY)
        return error_set(err, EXIT_REFUSED, "refused, nothing was started: can't %s (%s%s%s)", step_text[failure.step].what,
                         failure.detail, failure.detail[0] ? ": " : "", error_name(failure.error));
    return -1;
}

static void native_wait(struct box *box) {
    supervise_run(box);
    close(box->launch->signals);
}

const struct backend backend_native = {"native", probe_host, compile_native, native_launch, native_wait};
