/* cli.h: the command line over the box. One file per subcommand, which subcommands.def lists; options.c
 * knows the options; print.c prints. */
#ifndef PINFOLD_CLI_CLI_H
#define PINFOLD_CLI_CLI_H

#include "box/box.h"

#include <jansson.h>

enum {
#define SUBCOMMAND(id, name, function, usage, summary, about) SUBCOMMAND_##id,
#include "subcommands.def"
#undef SUBCOMMAND
    SUBCOMMAND_COUNT
};

/* Bits, so that an option can name several. */
enum subcommand {
#define SUBCOMMAND(id, name, function, usage, summary, about) id = 1 << SUBCOMMAND_##id,
#include "subcommands.def"
#undef SUBCOMMAND
};

struct subcommand_text {
    enum subcommand subcommand;
    const char *name, *usage, *summary, *about;
};
extern const struct subcommand_text subcommand_text[SUBCOMMAND_COUNT];
const struct subcommand_text *subcommand_of(enum subcommand subcommand);

/* The nearest to a misspelt one, or NULL. */
const char *subcommand_nearest(const char *word) __attribute__((nonnull));

struct options {
    struct policy *policy;
    struct tie tie;
    bool json, help;
    bool list, remove; /* trust */
};

/* Read the options of a subcommand from argv (argv[0] is the subcommand's name) into *options and its policy. */
int options_parse(struct arena *arena, enum subcommand subcommand, int argc, char **argv, struct options *options,
                  struct error *err) __attribute__((nonnull, warn_unused_result));

/* The subcommands. argv[0] is the name; `caller` is the caller's environment as it was. Each returns the exit status.
 */
#define SUBCOMMAND(id, name, function, usage, summary, about)                                                          \
    int function(int argc, char **argv, char *const *caller) __attribute__((nonnull));
#include "subcommands.def"
#undef SUBCOMMAND

/* print.c: the only place that prints. Messages go to stderr, one line, with the prefix "pinfold: ". */
void print_message(const char *text) __attribute__((nonnull));
int print_error(const struct error *err) __attribute__((nonnull)); /* returns err->status */
int print_usage(void); /* of the whole program, to stdout; returns a status */
int print_help(enum subcommand subcommand);
int print_version(void);
void print_line(const char *text) __attribute__((nonnull)); /* to stdout */
int print_json(const json_t *value);                        /* to stdout; -1 when it could not be written, or is NULL */
int print_finish(void);                                     /* what was printed is written: 0, or 125 */

/* From now on messages don't go to stderr: they, and what print_report is told, go as lines KEY VALUE to the descriptor
 * that `value` ("fd:N") names. For programs that run pinfold; pinfold(1) has the keys. */
int print_report_open(const char *value, struct error *err) __attribute__((nonnull, warn_unused_result));
void print_report(const char *key, const char *value) __attribute__((nonnull)); /* without a report: nothing */
int print_report_fd(void);                                                      /* -1: none */

#endif
