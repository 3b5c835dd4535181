/* judge.h: a process that looks at the texts a command wrote, and that has no file, no right and no network. */
#ifndef PINFOLD_SETTLE_JUDGE_H
#define PINFOLD_SETTLE_JUDGE_H

#include "linux/confine.h"
#include "settle/harmless.h"

enum judge_kind { JUDGE_CONFIG, JUDGE_TODO };
enum { JUDGE_TEXT_MAX = 1 << 20 }; /* bytes; what is longer is harmful */

/* All zero but for the first: not started. */
struct judge {
    struct confinement confinement;
    pid_t pid;
    int link;
};

/* 1: harmless; 0: harmful, `why` says by what; -1 with errno: there is no answer. The first question starts it. */
int judge_ask(struct judge *judge, enum judge_kind kind, const struct text *text, const struct text *before, int steps,
              char why[HARMLESS_WHY]) __attribute__((nonnull, warn_unused_result));

void judge_end(struct judge *judge) __attribute__((nonnull));

#endif
