/* run.c (glue): pinfold run. */
#include "box/receipt.h"
#include "cli.h"

#include "base/fd.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The command: what was given, or the shell of somebody who sits at a terminal. */
static int choose_command(struct box *box, char *const *caller, struct error *err) {
    static char *shell[2];
    if (box->policy.command[0])
        return 0;
    for (char *const *at = caller; *at && isatty(0) && isatty(1); at++)
        if (strncmp(*at, "SHELL=/", 7) == 0)
            shell[0] = *at + 6;
    if (!shell[0])
        return error_set(err, EXIT_USAGE, "no command; type it after the options: pinfold run -- make test");
    box->policy.command = shell;
    return 0;
}

/* A service that starts containers, or commands, for whoever can reach it. */
static void warn_sockets(const struct box *box) {
    static const char *const services[] = {"docker.sock", "podman.sock", "containerd.sock", "crio.sock", "buildkitd.sock",
                                           "libvirt-sock", "lxd.sock", "unix.socket", "bus", "system_bus_socket"};
    for (size_t i = 0; i < box->policy.grants.count; i++) {
        const struct place *place = &box->probe.grants.at[i];
        const char *name = place->path ? strrchr(place->path, '/') : NULL;
        if (box->policy.grants.at[i].access != ACCESS_SOCKET || !name)
            continue;
        const char *asked = strrchr(box->policy.grants.at[i].path, '/');
        asked = asked ? asked + 1 : box->policy.grants.at[i].path;
        for (size_t j = 0; j < sizeof services / sizeof services[0]; j++)
            if (strcmp(name + 1, services[j]) == 0 || strcmp(asked, services[j]) == 0) {
                print_message("warning: the granted socket belongs to a service outside the box that can start containers "
                              "or programs for whoever reaches it: the command can leave the box through it");
                return;
            }
    }
}

static int run(struct box *box, char *const *caller, struct error *err) {
    if (choose_command(box, caller, err) || box_plan(box, caller, err))
        return -1;
    warn_sockets(box);
    if (box->plan.notice)
        print_message(box->plan.notice);
    return box_start(box, caller, err);
}

int command_run_box(int argc, char **argv, char *const *caller) {
    struct box box = {0};
    struct options options = {.policy = &box.policy};
    struct error err = {0};
    autoclose int receipt = -1;
    if (options_parse(&box.arena, RUN, argc, argv, &options, &err)) {
        /* what was understood before the mistake says where the receipt goes */
        struct error other = {0};
        if (!receipt_open(&box.policy, &receipt, &other) && receipt >= 0) {
            box.result = (struct result){.outcome = OUTCOME_USAGE, .status = err.status};
            if (receipt_write(receipt, &box, &err))
                print_message("the receipt could not be written");
        }
        return print_error(&err);
    }
    if (options.help)
        return print_help(RUN);
    if (receipt_open(&box.policy, &receipt, &err))
        return print_error(&err);
    if (run(&box, caller, &err)) {
        if (box.result.status != err.status)
            box.result = (struct result){.outcome = err.status == EXIT_USAGE ? OUTCOME_USAGE : OUTCOME_REFUSED,
                                         .status = err.status};
        print_error(&err);
    } else if (box.result.exec_error) {
        char text[2048], shown[1024];
        snprintf(text, sizeof text, "%s: %s", path_show(box.policy.command[0], shown, sizeof shown),
                 strerror(box.result.exec_error));
        print_message(text);
    }
    if (box.result.outcome == OUTCOME_KILLED)
        print_message("the box was ended before the command was done: killed from outside, or out of memory");
    if (box.result.lost) {
        char text[256];
        snprintf(text, sizeof text, "output of the command could not be written: %s", strerror(box.result.lost));
        print_message(text);
    }
    if (receipt >= 0 && receipt_write(receipt, &box, &err)) {
        print_message("the receipt could not be written");
        if (box.result.status == 0)
            box.result.status = EXIT_REFUSED;
    }
    int status = box.result.status;
    return status;
}
