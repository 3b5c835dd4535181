/* launch.c (glue): the words and descriptors of a child. */
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_WORDS = 24 }; /* beside those of the run: front, report, receipt, ties, policy, options, the end */

static char *new_text(struct launch *launch) {
    return launch->text[launch->texts++];
}

static void add_map(struct launch *launch, int from, int to) {
    launch->map[launch->maps].from = from;
    launch->map[launch->maps++].to = to;
    if (to >= launch->next)
        launch->next = to + 1;
}

void pinfold_launch_word(struct launch *launch, const char *word) {
    launch->words[launch->count++] = word;
    launch->words[launch->count] = NULL;
}

void pinfold_launch_pass(struct launch *launch, const char *option, int from) {
    char *text = new_text(launch);
    snprintf(text, sizeof launch->text[0], "fd:%d", launch->next);
    if (option)
        pinfold_launch_word(launch, option);
    pinfold_launch_word(launch, text);
    add_map(launch, from, launch->next);
}

int pinfold_launch_policy(struct launch *launch, const char *option, const struct pinfold_policy *policy,
                          struct pinfold_error *err) {
    /* an open file of its own for each child: they would share a position in it */
    launch->memory = pinfold_memory_make(policy->text, policy->size, err);
    if (launch->memory < 0)
        return -1;
    launch->policy_number = launch->next;
    pinfold_launch_pass(launch, option, launch->memory);
    return 0;
}

static int map_others(struct launch *launch, const struct pinfold_descriptor *others, size_t count,
                      struct pinfold_error *err) {
    if (count > DESCRIPTORS)
        return pinfold_fail(err, STATUS_WRONG, "%zu descriptors; at most %d can be handed in", count, DESCRIPTORS);
    for (size_t i = 0; i < count; i++) {
        if (others[i].number < 3 || others[i].number >= NUMBERS)
            return pinfold_fail(err, STATUS_WRONG, "a descriptor can't be number %d; 3 to %d can", others[i].number,
                                NUMBERS - 1);
        for (size_t j = 0; j < launch->maps; j++)
            if (launch->map[j].to == others[i].number)
                return pinfold_fail(err, STATUS_WRONG, "two descriptors are number %d", others[i].number);
        if (others[i].descriptor < 0)
            return pinfold_fail(err, STATUS_WRONG, "descriptor %d is not open", others[i].descriptor);
        add_map(launch, others[i].descriptor, others[i].number);
    }
    return 0;
}

int pinfold_launch_front(struct launch *launch, const int *standard, const struct pinfold_descriptor *others,
                         size_t count, size_t words, struct pinfold_error *err) {
    for (int i = 0; i < 3; i++) {
        if (standard[i] < -1)
            return pinfold_fail(err, STATUS_WRONG, "descriptor %d is not open", standard[i]);
        add_map(launch, standard[i], i);
    }
    if (map_others(launch, others, count, err))
        return -1;
    launch->words = calloc(words + OWN_WORDS, sizeof *launch->words);
    if (!launch->words)
        return pinfold_fail_system(err, "begin", ENOMEM);
    snprintf(new_text(launch), sizeof launch->text[0], "%d", launch->next); /* text[0]: what is executed */
    add_map(launch, launch->pinfold->program, launch->next);
    launch->report = pinfold_memory_make(NULL, 0, err);
    if (launch->report < 0)
        return -1;
    pinfold_launch_word(launch, "pinfold");
    pinfold_launch_pass(launch, "--report", launch->report);
    return 0;
}

void pinfold_launch_open(struct launch *launch, const struct pinfold *pinfold) {
    *launch = (struct launch){.pinfold = pinfold,
                              .folder = -1,
                              .next = 3,
                              .policy_number = -1,
                              .memory = -1,
                              .report = -1,
                              .receipt = -1,
                              .tie = {-1, -1},
                              .host = -1,
                              .output = -1};
}

void pinfold_launch_close(struct launch *launch) {
    int saved = errno;
    free(launch->words);
    free(launch->environment);
    for (size_t i = 0; launch->names && launch->names[i]; i++)
        free(launch->names[i]);
    free(launch->names);
    pinfold_shut(&launch->folder);
    pinfold_shut(&launch->memory);
    pinfold_shut(&launch->report);
    pinfold_shut(&launch->receipt);
    pinfold_shut(&launch->tie[0]);
    pinfold_shut(&launch->tie[1]);
    pinfold_shut(&launch->host);
    pinfold_shut(&launch->output);
    errno = saved;
}
