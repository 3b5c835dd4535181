/* rules.c (touching: stat). See rules.h. */
#include "rules.h"

#include "linux/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RULES_MAX = 64 };

static enum rights rights_of(const char *word) {
    static const struct {
        char letter;
        enum rights rights;
    } known[] = {{'r', RIGHTS_READ}, {'w', RIGHTS_WRITE}, {'p', RIGHTS_PROC}, {'d', RIGHTS_DEVICE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (word[0] == known[i].letter && word[1] == ':')
            return known[i].rights;
    return RIGHTS_NONE;
}

char **rules_take(char **words, struct plan *plan) {
    static struct mount mounts[RULES_MAX];
    static struct probe probe;
    struct stat status;
    size_t count = 0;
    probe.landlock_abi = sys_landlock_abi();
    for (; *words && strcmp(*words, "--") != 0; words++) {
        enum rights rights = rights_of(*words);
        if (rights == RIGHTS_NONE || count == RULES_MAX) {
            fprintf(stderr, "rules: %s: not RIGHTS:PATH, or too many\n", *words);
            exit(1);
        }
        if (stat(*words + 2, &status) == 0)
            mounts[count++] = (struct mount){.target = *words + 2, .rights = rights, .folder = S_ISDIR(status.st_mode)};
    }
    if (probe.landlock_abi < 1 || !*words || !words[1]) {
        fprintf(stderr, "rules: no Landlock here, or no command\n");
        exit(1);
    }
    plan->probe = &probe;
    plan->mounts.at = mounts;
    plan->mounts.count = count;
    return words + 1;
}
