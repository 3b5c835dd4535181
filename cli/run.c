/* run.c (glue): pinfold run. */
#include "box/own.h"
#include "box/receipt.h"
#include "cli.h"

#include "base/path.h"
#include "box/layers.h"
#include "linux/making.h"
#include "linux/session.h"
#include "settle/settle.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command: what was given, or the shell of somebody who sits at a terminal. */
static int choose_command(struct box *box, char *const *caller, struct error *err) {
    if (box->policy.command[0])
        return 0;
    char **shell = arena_alloc(&box->arena, 2 * sizeof *shell);
    if (!shell)
        return error_memory(err);
    bool typed = isatty(0) && isatty(1);
    for (char *const *at = caller; *at && typed; at++)
        if (strncmp(*at, "SHELL=/", 7) == 0)
            shell[0] = *at + 6;
    if (!shell[0])
        return error_set(err, EXIT_USAGE, "no command; type it after the options: pinfold run -- make test");
    box->policy.command = shell;
    return 0;
}

/* Does a socket belong to a service that starts containers, or commands, for whoever can reach it? By its usual names,
 * and by what the variables of such services' clients say. */
static bool is_way_out(const char *path, char *const *caller) {
    static const char *const services[] = {
        "docker.sock",  "podman.sock", "containerd.sock", "crio.sock", "buildkitd.sock",
        "libvirt-sock", "lxd.sock",    "unix.socket",     "bus",       "system_bus_socket"};
    static const char *const variables[] = {"DOCKER_HOST=unix://", "CONTAINER_HOST=unix://",
                                            "DBUS_SESSION_BUS_ADDRESS=unix:path="};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (strcmp(name, services[i]) == 0)
            return true;
    for (; *caller; caller++)
        for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
            size_t size = strlen(variables[i]);
            if (strncmp(*caller, variables[i], size) == 0 && strcmp(*caller + size, path) == 0)
                return true;
        }
    return false;
}

static void warn_sockets(const struct box *box, char *const *caller) {
    for (size_t i = 0; i < box->policy.grants.count; i++) {
        const struct grant *grant = &box->policy.grants.at[i];
        char text[1400], shown[1024];
        if (grant->access != ACCESS_SOCKET ||
            (!is_way_out(grant->path, caller) && !is_way_out(box->probe.grants.at[i].path, caller)))
            continue;
        snprintf(text, sizeof text,
                 "warning: the socket %s belongs to a service that starts containers or programs outside "
                 "the box for whoever reaches it: the command can leave the box through it",
                 path_show(grant->path, shown, sizeof shown));
        print_message(text);
    }
}

/* What a run holds on to beside its box. */
struct held {
    struct session session;
    struct settle settle;
    struct arena arena; /* of the settlement: memory that the box's init can't be shown */
    made_list made;
};

/* A plan, and the folders of --write that are to be made. Another run may make them at the same time: then what it has
 * made is looked at, too. */
static int plan_and_make(struct box *box, made_list *made, char *const *caller, struct error *err) {
    enum { TRIES = 100 };
    for (int tries = 0; tries < TRIES; tries++) {
        if (box_plan(box, caller, err))
            return -1;
        int again = making_carry_out(&box->arena, made, &box->plan, &box->probe, err);
        if (again <= 0)
            return again;
    }
    return error_set(err, EXIT_REFUSED,
                     "refused, nothing was started: folders that --create makes come and go; run it again");
}

static int plan(struct box *box, const struct receipt *receipt, struct held *held, char *const *caller,
                struct error *err) {
    return plan_and_make(box, &held->made, caller, err) || own_check(box, print_report_fd(), err) ||
                   receipt_guard(receipt, &box->plan, err)
               ? -1
               : 0;
}

/* What was put aside may have been a part of the plan. */
static int inherit(struct box *box, const struct receipt *receipt, struct held *held, char *const *caller,
                   struct error *err) {
    if (settle_open(&held->settle, &held->arena, &box->plan, &box->inherited, err))
        return -1;
    return box->inherited.aside ? plan(box, receipt, held, caller, err) : 0;
}

static int start(struct box *box, const struct receipt *receipt, struct held *held, char *const *caller,
                 struct error *err) {
    if (plan(box, receipt, held, caller, err) || inherit(box, receipt, held, caller, err))
        return -1;
    if (box->policy.session && session_enter(&held->session, &box->plan, &box->probe, err))
        return -1;
    if (settle_begin(&held->settle, err))
        return -1;
    warn_sockets(box, caller);
    if (box->plan.notice)
        print_message(box->plan.notice);
    return box_start(box, caller, err);
}

static int run(struct box *box, const struct receipt *receipt, struct held *held, char *const *caller,
               struct error *err) {
    int failed = start(box, receipt, held, caller, err);
    if (failed && box->result.outcome != OUTCOME_KILLED)
        making_undo(&held->made);
    return failed;
}

static void warn_replaced(const char *path) {
    char text[1400], shown[1024];
    snprintf(text, sizeof text,
             "warning: %s was replaced outside the box during the run, and from then on the command could change what "
             "is there now: look at it",
             path_show(path, shown, sizeof shown));
    print_message(text);
}

static void warn_all_replaced(const struct plan *plan) {
    for (size_t i = 0; i < plan->mounts.count; i++)
        if (plan->mounts.at[i].replaced)
            warn_replaced(plan->mounts.at[i].target);
    for (size_t i = 0; i < plan->pins.count; i++)
        if (plan->pins.at[i].replaced)
            warn_replaced(plan->pins.at[i].path);
}

static void print_settled(const struct settlement *settlement) {
    enum { TOLD = 20 };
    char text[2400], shown[1024];
    size_t told = 0;
    for (size_t i = 0; i < settlement->warnings.count; i++)
        print_message(settlement->warnings.at[i]);
    for (size_t i = 0; i < settlement->found.count && told < TOLD; i++) {
        const struct settled *settled = &settlement->found.at[i];
        if (settled->fate == SETTLED_REPORTED)
            continue;
        snprintf(text, sizeof text, "put aside: %s %s%s; pinfold quarantine show %s/%u",
                 path_show(settled->path, shown, sizeof shown), settled->why,
                 settled->fate == SETTLED_RESTORED ? "; what was there before is there again" : "", settled->run,
                 settled->item);
        print_message(text);
        told++;
    }
    if (settlement->aside > told) {
        snprintf(text, sizeof text, "put aside: %zu more; pinfold quarantine list", settlement->aside - told);
        print_message(text);
    }
}

/* After whatever may have run. */
static void settle(struct box *box, struct held *held, struct error *err) {
    bool ran = box->result.outcome != OUTCOME_REFUSED && box->result.outcome != OUTCOME_USAGE;
    struct error failed = {0};
    if (!ran)
        settle_abandon(&held->settle);
    if (!ran || !settle_end(&held->settle, &box->settlement, &failed))
        return;
    box->plan.broken |= G(FS_SETTLE);
    print_error(&failed);
    if (!err->status)
        *err = failed;
    if (!box->result.status)
        box->result.status = EXIT_USAGE; /* as for output that broke off; 126 would say that nothing ran */
}

/* A folder of PATH that has the command and that the box isn't shown; NULL: none is known. */
static const char *found_outside(const struct box *box) {
    const char *name = box->policy.command[0];
    char path[PATH_MAX];
    if (strchr(name, '/'))
        return NULL;
    for (size_t i = 0; i < box->probe.left_out.count; i++) {
        const char *folder = box->probe.left_out.at[i].path;
        int size = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (size > 0 && size < (int)sizeof path && !access(path, X_OK))
            return folder;
    }
    return NULL;
}

/* What the command's own status doesn't tell. */
static void print_end(const struct box *box) {
    const struct result *result = &box->result;
    char shown[1024], place[512];
    struct error end;
    warn_all_replaced(&box->plan);
    const char *outside = result->exec_error == ENOENT ? found_outside(box) : NULL;
    if (outside) {
        path_show(outside, place, sizeof place);
        error_set(&end, result->status, "%s: %s in the box; outside it is in %s, which the box isn't shown: --read %s",
                  path_show(box->policy.command[0], shown, sizeof shown), strerror(ENOENT), place, place);
        print_error(&end);
    } else if (result->exec_error) {
        error_set(&end, result->status, "%s: %s%s", path_show(box->policy.command[0], shown, sizeof shown),
                  strerror(result->exec_error),
                  result->exec_error == ENOENT
                      ? " in the box, for it or its interpreter; --read DIR grants a folder of the host"
                      : "");
        print_error(&end);
    }
    if (result->outcome == OUTCOME_KILLED) {
        error_set(&end, result->status, "the box was ended before the command was done: %s",
                  result->deaf ? "what relays its input and output had ended"
                               : "killed from outside, or out of memory");
        print_error(&end);
    }
    if (result->lost) {
        error_set(&end, result->status, "output or input of the command broke off: %s", strerror(result->lost));
        print_error(&end);
    }
}

static void report_end(const struct box *box) {
    bool ran = box->result.outcome != OUTCOME_REFUSED && box->result.outcome != OUTCOME_USAGE;
    print_report("outcome", outcome_name(box->result.outcome));
    print_report("confined", ran ? plan_confined(&box->plan) : "not-started");
}

static struct result not_started(int status) {
    return (struct result){.outcome = status == EXIT_USAGE ? OUTCOME_USAGE : OUTCOME_REFUSED, .status = status};
}

/* -1: the receipt could not be written, which has been said. */
static int write_receipt(const struct receipt *receipt, const struct box *box, const struct error *err) {
    char text[256];
    if (!receipt_write(receipt, box, err))
        return 0;
    snprintf(text, sizeof text, "the receipt could not be written: %s", strerror(errno));
    print_message(text);
    return -1;
}

/* The policy is wrong: what was understood of the command line says where the receipt goes. */
static int end_wrong(struct box *box, const struct policy *flags, const struct error *err) {
    struct receipt receipt;
    struct error other = {0};
    box->policy = *flags;
    box->result = not_started(err->status);
    if (!receipt_open(&receipt, box, &other))
        (void)!write_receipt(&receipt, box, err);
    receipt_close(&receipt);
    report_end(box);
    return print_error(err);
}

/* From the merged policy on; the status that pinfold ends with. */
static int run_and_tell(struct box *box, const struct policy *flags, char *const *caller) {
    struct error err = {0};
    struct receipt receipt;
    struct held held = {.settle = {.record = {.store = -1, .file = -1}}, .arena = {.alone = true}};
    if (layers_merge(&box->arena, flags, &box->policy, &err) || choose_command(box, caller, &err))
        return end_wrong(box, flags, &err);
    if (receipt_open(&receipt, box, &err)) {
        box->result = not_started(err.status);
        report_end(box);
        return print_error(&err);
    }
    if (run(box, &receipt, &held, caller, &err)) {
        if (box->result.status != err.status)
            box->result = not_started(err.status);
        print_error(&err);
    } else {
        print_end(box);
    }
    settle(box, &held, &err);
    print_settled(&box->inherited);
    print_settled(&box->settlement);
    session_leave(&held.session);
    if (write_receipt(&receipt, box, &err) && box->result.status == 0)
        box->result.status = EXIT_USAGE; /* likewise */
    receipt_close(&receipt);
    report_end(box);
    (void)!arena_free(&held.arena);
    return box->result.status;
}

int command_run_box(int argc, char **argv, char *const *caller) {
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct error err = {0};
    struct box *box = box_new(&err);
    if (!box)
        return print_error(&err);
    int wrong = options_parse(&box->arena, RUN, argc, argv, &options, &err);
    if (!wrong && options.help)
        return print_help(RUN);
    box->tie = options.tie;
    if (wrong)
        return end_wrong(box, &flags, &err);
    box_begin(box);
    int status = run_and_tell(box, &flags, caller);
    box_abandon(box);
    return status;
}
