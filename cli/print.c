/* print.c (touching: stdout, stderr, the report): the only place that prints. */
#include "cli.h"

#include "base/fd.h"
#include "linux/uapi_landlock.h"

#include <fcntl.h>
#include <jansson.h>
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
    return err->status ? err->status : EXIT_REFUSED; /* a failure that nobody named is none that may pass */
}

int print_finish(void) {
    return ferror(stdout) || fflush(stdout) ? EXIT_USAGE : 0;
}

static void print_options(enum subcommand subcommand) {
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
        if (!(options[i].subcommands & (int)subcommand))
            continue;
        snprintf(left, sizeof left, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
                 options[i].argument ? options[i].argument : "");
        printf("  %-22s  %s\n", left, options[i].help);
    }
}

int print_usage(void) {
    puts("usage: pinfold SUBCOMMAND [OPTIONS] ...\n"
         "       pinfold --version\n");
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        printf("  %-10s  %s\n", subcommand_text[i].name, subcommand_text[i].summary);
    puts("\npinfold SUBCOMMAND --help lists the options. Manual: pinfold(1).");
    return print_finish();
}

int print_help(enum subcommand subcommand) {
    const struct subcommand_text *text = subcommand_of(subcommand);
    printf("usage: pinfold %s %s\n\n%s\n\n", text->name, text->usage, text->about);
    print_options(subcommand);
    return print_finish();
}

/* The second line is what a bug report needs of the build. */
int print_version(void) {
#ifdef __GLIBC__
    const char *libc = "glibc";
#else
    const char *libc = "musl";
#endif
#ifdef __aarch64__
    const char *machine = "aarch64";
#else
    const char *machine = "x86_64";
#endif
    printf("pinfold " PINFOLD_VERSION "\n"
           "%s, %s, compiler %s, jansson %s, Landlock up to ABI %d\n",
           machine, libc, __VERSION__, jansson_version_str(), LANDLOCK_ABI_USED);
    return print_finish();
}

void print_line(const char *text) {
    puts(text);
}

int print_json(const json_t *value) {
    return !value || json_dumpf(value, stdout, JSON_INDENT(2)) || putchar('\n') == EOF || print_finish() ? -1 : 0;
}
