/* print.c (touching: stdout, stderr): the only place that prints. */
#include "cli.h"

#include "base/fd.h"
#include "linux/uapi_landlock.h"

#include <jansson.h>
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
        printf("  %-8s  %s\n", subcommand_text[i].name, subcommand_text[i].summary);
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
