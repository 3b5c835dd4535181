/* The attacker: one static program with many attacks, each run by its name (pure declarations).
 *
 * Protocol: an attack prints exactly one line, `ok` with detail after it or the name of an errno such as
 * EROFS, and exits with 0 for ok and 1 otherwise. A wrong use prints `usage: …` and exits with 2, so that it
 * can never be taken for a denial. An attack does one thing to one thing, and judges nothing. */
#ifndef ATTACKER_H
#define ATTACKER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

struct attack {
    const char *name;                    /* the word on the command line */
    int (*run)(int count, char **words); /* words[0] is the first argument after the name */
    const char *usage;                   /* arguments in words; the least count is the number of capital words
                                          * outside brackets: "PATH MODE [FLAGS]" wants 2 */
};

/* Every table ends with {0}. */
extern const struct attack attacks_write[];
extern const struct attack attacks_metadata[];
extern const struct attack attacks_links[];
extern const struct attack attacks_mounts[];
extern const struct attack attacks_proc_files[];
extern const struct attack attacks_devices[];
extern const struct attack attacks_descriptors[];
extern const struct attack attacks_probe[];
extern const struct attack attacks_process[];
extern const struct attack attacks_kernel[];
extern const struct attack attacks_sockets[];
extern const struct attack attacks_ipc[];

/* Prints `ok` when result is not negative, else the name of errno; returns the exit code. */
int report(long result);

/* Prints `ok` and a detail; returns 0. */
__attribute__((format(printf, 1, 2))) int report_ok(const char *format, ...);

/* Prints the name of this errno; returns 1. */
int report_errno(int number);

/* A number in decimal, octal (0…) or hexadecimal (0x…); a word that is none ends the program as a wrong use. */
long number_of(const char *word);

#endif
