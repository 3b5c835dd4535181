/* print.c (touching: stdout, stderr): the only place that prints. */
#include "cli.h"

#include "base/fd.h"

#include <stdio.h>
#include <string.h>

void print_message(const char *text) {
    char line[2304];
    int size = snprintf(line, sizeof line, "pinfold: %s\n", text);
    if (size > 0)
        (void)!fd_write_all(2, line,
                            (size_t)size < sizeof line ? (size_t)size : sizeof line - 1); /* nowhere else to say it */
}

int print_error(const struct error *err) {
    print_message(err->text);
    return err->status;
}

static int finish(void) {
    return ferror(stdout) || fflush(stdout) ? EXIT_USAGE : 0;
}

static void print_options(int subcommand) {
    static const struct {
        const char *name, *argument, *help;
        int subcommands;
    } options[] = {
#define OPTION(id, name, argument, subcommands, help) {name, argument, help, subcommands},
#include "options.def"
#undef OPTION
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char left[64];
        if (!(options[i].subcommands & subcommand))
            continue;
        snprintf(left, sizeof left, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
                 options[i].argument ? options[i].argument : "");
        printf("  %-22s  %s\n", left, options[i].help);
    }
}

int print_help(int subcommand) {
    if (!subcommand)
        puts("usage: pinfold run [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
             "       pinfold explain [OPTIONS] [--] [COMMAND [ARGUMENTS]]\n"
             "       pinfold doctor [OPTIONS]\n"
             "       pinfold --version\n\n"
             "run      run a command in a box whose every promise the kernel has been seen to keep, or refuse (126)\n"
             "explain  print what run would do, and start nothing\n"
             "doctor   try all of it here but the command, and say what is missing and what mends it\n\n"
             "pinfold SUBCOMMAND --help lists the options. Manual: pinfold(1).");
    else if (subcommand == RUN)
        puts("usage: pinfold run [OPTIONS] [--] COMMAND [ARGUMENTS]\n\n"
             "Runs COMMAND with the workspace writable, the system readable, and nothing else of this host.\n");
    else if (subcommand == DOCTOR)
        puts("usage: pinfold doctor [OPTIONS]\n\n"
             "Tries everything that run would do here but the command, and says what holds, what is missing and what "
             "mends\n"
             "it. Runs nothing and leaves nothing behind.\n");
    else
        puts("usage: pinfold explain [OPTIONS] [--] [COMMAND [ARGUMENTS]]\n\n"
             "Prints the plan that run would carry out, and starts nothing.\n");
    if (subcommand)
        print_options(subcommand);
    if (subcommand == RUN)
        puts("\nStatus: the command's own, 128+n by signal n, 124 timeout, 125 wrong use, 126 refused, 127 not found.");
    if (subcommand == DOCTOR)
        puts("\nStatus: 0 run would start here, 125 wrong use or policy, 126 it would be refused.");
    return finish();
}

int print_version(void) {
    puts("pinfold " PINFOLD_VERSION);
    return finish();
}
