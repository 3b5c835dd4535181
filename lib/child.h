/* child.h: one process of the pinfold program, from its words and descriptors to its end. */
#ifndef PINFOLD_LIB_CHILD_H
#define PINFOLD_LIB_CHILD_H

#include "library.h"

enum { NUMBERS = 256, DESCRIPTORS = 32, MAPS = 3 + DESCRIPTORS + 8, TEXTS = MAPS + 8 };

/* What a child gets. */
struct launch {
    const struct pinfold *pinfold;
    const char **words; /* argv, NULL at the end */
    size_t count;
    char **environment; /* NULL: the host's */
    char **names;       /* of variables, for words; NULL at the end */
    int folder;         /* O_PATH, or -1: the host's current one */
    size_t maps;
    struct {
        int from, to; /* a descriptor of ours; -1: /dev/null; and its number there */
    } map[MAPS];
    int next; /* the next number for what is the library's own */
    size_t texts;
    char text[TEXTS][32];                              /* words that are made here */
    int policy_number;                                 /* of the policy's descriptor there; -1: none */
    int memory, report, receipt, tie[2], host, output; /* ours; -1: none. tie[1] is the child's end */
};

/* Nothing yet. pinfold_launch_close closes and frees all but what was set to -1 or NULL. */
void pinfold_launch_open(struct launch *launch, const struct pinfold *pinfold);
void pinfold_launch_close(struct launch *launch);

/* First: its 0, 1 and 2 (-1: /dev/null), other descriptors for the command, room for `words` words, the program itself
 * and its report. 0, or -1 with *err. */
int pinfold_launch_front(struct launch *launch, const int *standard, const struct pinfold_descriptor *others,
                         size_t count, size_t words, struct pinfold_error *err);
void pinfold_launch_word(struct launch *launch, const char *word);
/* The words `option` (NULL: none) and "fd:N", where N is the number that the child gets a descriptor of ours under. */
void pinfold_launch_pass(struct launch *launch, const char *option, int from);
/* The same for a policy's text. */
int pinfold_launch_policy(struct launch *launch, const char *option, const struct pinfold_policy *policy,
                          struct pinfold_error *err);

/* All of a run: to start it, or to have a subcommand (explain, path) tell of it, with `output` as descriptor 1. */
int pinfold_launch_run(struct launch *launch, const struct pinfold_run *run, struct pinfold_error *err);
int pinfold_launch_ask(struct launch *launch, const char *subcommand, const struct pinfold_run *run,
                       struct pinfold_error *err);

/* Start it. *ended gets a descriptor that is readable when the process has ended: a pidfd, or, when it was over and
 * waited for by somebody else before we could look, one that is readable already. -1 with *err: nothing runs. */
int pinfold_launch_spawn(struct launch *launch, int *ended, struct pinfold_error *err);

/* Is `ended` readable within this time (-1: without end)? 1, 0, or -1 with errno. */
int pinfold_child_wait(int ended, int timeout_ms);
/* Collect the zombie of a process that has ended, if nobody else has. */
void pinfold_child_reap(int ended);
/* SIGKILL to it. */
void pinfold_child_kill(int ended);

#endif
