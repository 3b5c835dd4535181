/* harmless.h: does a text that a command wrote into a git directory run code on the host? Pure. */
#ifndef PINFOLD_SETTLE_HARMLESS_H
#define PINFOLD_SETTLE_HARMLESS_H

#include <stdbool.h>
#include <stddef.h>

enum { HARMLESS_WHY = 160 };

struct text {
    const char *at; /* need not end with a NUL */
    size_t size;
};

/* A git configuration. Every variable must be in a list of those that name no program, no file and no other place, or
 * stand in `before` as well, what the file said when the run began. Else false, with the first one's name in `why`,
 * printable. steps: for that of a submodule, how many "../" lead from its git directory to the top of the repository
 * that it is in, below which its work tree must be; 0: it is no submodule's. */
bool harmless_config(const struct text *text, const struct text *before, int steps, char why[HARMLESS_WHY])
    __attribute__((nonnull));

/* A rebase's list of things to do: no line executes a command. */
bool harmless_todo(const struct text *text, char why[HARMLESS_WHY]) __attribute__((nonnull));

#endif
