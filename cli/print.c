/* print.c (touching: stdout, stderr, the report): the only place that prints. */
#include "cli.h"

#include "base/fd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report = -1;

int print_report_open(const char *value, struct error *err) {
    const char *digits = strncmp(value, "fd:", 3) == 0 ? value + 3 : "";
    size_t size = strspn(digits, "0123456789");
    int fd = size && size <= 6 && !digits[size] ? atoi(digits) : -1, flags = fd < 3 ? -1 : fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY || fcntl(fd, F_SETFD, FD_CLOEXEC))
        return error_set(err, EXIT_USAGE, "--report: not fd:N where N, from 3 on, is open for writing");
    report = fd;
    print_report("pinfold-report", "1");
    return 0;
}

int print_report_fd(void) {
    return report;
}

void print_report(const char *key, const char *value) {
    char line[2400];
    int size = snprintf(line, sizeof line, "%s %s\n", key, value);
    if (report < 0 || size <= 0)
        return;
    if ((size_t)size >= sizeof line)
        size = sizeof line - 1;
    for (int i = 0; i < size - 1; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[size - 1] = '\n';
    /* a report that breaks off has no status in it, and whoever reads it then knows nothing */
    (void)!fd_write_all(report, line, (size_t)size);
}

void print_message(const char *text) {
    if (report >= 0) {
        print_report("message", text);
        return;
    }
    char line[2304];
    int size = snprintf(line, sizeof line, "pinfold: %s\n", text);
    if (size > 0)
        (void)!fd_write_all(2, line,
                            (size_t)size < sizeof line ? (size_t)size : sizeof line - 1); /* nowhere else to say it */
}

int print_error(const struct error *err) {
    if (report >= 0)
        print_report("error", err->text);
    else
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
             "       pinfold --version\n\n"
             "run      run a command in a box whose every promise the kernel has been seen to keep, or refuse (126)\n"
             "explain  print what run would do, and start nothing\n\n"
             "pinfold run --help and pinfold explain --help list the options. Manual: pinfold(1).");
    else if (subcommand == RUN)
        puts("usage: pinfold run [OPTIONS] [--] COMMAND [ARGUMENTS]\n\n"
             "Runs COMMAND with the workspace writable, the system readable, and nothing else of this host.\n");
    else
        puts("usage: pinfold explain [OPTIONS] [--] [COMMAND [ARGUMENTS]]\n\n"
             "Prints the plan that run would carry out, and starts nothing.\n");
    if (subcommand)
        print_options(subcommand);
    if (subcommand == RUN)
        puts("\nStatus: the command's own, 128+n by signal n, 124 timeout, 125 wrong use, 126 refused, 127 not found.");
    return finish();
}

int print_version(void) {
    puts("pinfold " PINFOLD_VERSION);
    return finish();
}
