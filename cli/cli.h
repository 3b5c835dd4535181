/* cli.h: the command line over the box. One file per subcommand; options.c knows the options; print.c prints. */
#ifndef PINFOLD_CLI_CLI_H
#define PINFOLD_CLI_CLI_H

#include "box/box.h"

enum subcommand {
    RUN = 1,
    EXPLAIN = 2,
};

struct options {
    struct policy *policy;
    struct tie tie;
    bool json, help;
};

/* Read the options of a subcommand from argv (argv[0] is the subcommand's name) into *options and its policy. */
int options_parse(struct arena *arena, enum subcommand subcommand, int argc, char **argv, struct options *options,
                  struct error *err) __attribute__((nonnull, warn_unused_result));

/* The nearest subcommand to a misspelt one, or NULL. */
const char *subcommand_nearest(const char *word) __attribute__((nonnull));

/* Each returns the exit status. `caller` is the caller's environment as it was. */
int command_run_box(int argc, char **argv, char *const *caller) __attribute__((nonnull));
int command_explain(int argc, char **argv, char *const *caller) __attribute__((nonnull));

/* print.c: the only place that prints. Messages go to stderr, one line, with the prefix "pinfold: ". */
void print_message(const char *text) __attribute__((nonnull));
int print_error(const struct error *err) __attribute__((nonnull)); /* returns err->status */
int print_help(int subcommand); /* to stdout; 0 for the whole program's; returns a status */
int print_version(void);

/* From now on messages don't go to stderr: they, and what print_report is told, go as lines KEY VALUE to the descriptor
 * that `value` ("fd:N") names. For programs that run pinfold; pinfold(1) has the keys. */
int print_report_open(const char *value, struct error *err) __attribute__((nonnull, warn_unused_result));
void print_report(const char *key, const char *value) __attribute__((nonnull)); /* without a report: nothing */
int print_report_fd(void);                                                      /* -1: none */

#endif
