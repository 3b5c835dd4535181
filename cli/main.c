/* main.c (glue): hardening first, then the subcommand. */
#include "cli.h"

#include "base/path.h"
#include "linux/harden.h"
#include "linux/title.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int dispatch(int argc, char **argv, char *const *caller) {
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv, char *const *caller);
    } subcommands[] = {
#define SUBCOMMAND(id, name, function, usage, summary, about) {name, function},
#include "subcommands.def"
#undef SUBCOMMAND
    };
    struct error err = {0};
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0)
        return print_usage();
    if (strcmp(word, "--version") == 0)
        return print_version();
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++)
        if (strcmp(word, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1, caller);
    char shown[256];
    const char *near = subcommand_nearest(word);
    if (!*word)
        error_set(&err, EXIT_USAGE, "no subcommand; type pinfold run -- COMMAND, or pinfold --help");
    else
        error_set(&err, EXIT_USAGE, "unknown subcommand %s%s%s%s pinfold --help", path_show(word, shown, sizeof shown),
                  near ? "; did you mean " : "", near ? near : "", near ? "? See" : "; see");
    return print_error(&err);
}

int main(int argc, char **argv, char **environment) {
    struct error err = {0};
    char status[16];
    title_remember(argc, argv);
    /* first of all, so that whatever goes wrong is told there */
    bool reports = argc > 1 && strcmp(argv[1], "--report") == 0;
    bool failed = (reports && (title_name(), print_report_open(argc > 2 ? argv[2] : "", &err))) || harden(&err);
    int result = failed ? print_error(&err) : dispatch(argc - 2 * reports, argv + 2 * reports, environment);
    snprintf(status, sizeof status, "%d", result);
    print_report("exit", status);
    return result;
}
