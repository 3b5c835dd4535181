/* rules.h: Landlock rules from the command line, as the plan that linux/landlock.h takes. */
#ifndef PINFOLD_BENCH_RULES_H
#define PINFOLD_BENCH_RULES_H

#include "plan/plan.h"

/* Words RIGHTS:PATH up to `--`, with r (read), w (write), p (proc) or d (device) as rights; what isn't there is left
 * out. Returns what stands after `--`. Ends the program on a wrong word and where there is no Landlock. */
char **rules_take(char **words, struct plan *plan) __attribute__((nonnull));

#endif
