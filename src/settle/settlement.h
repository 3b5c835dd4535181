/* settlement.h: what was found after a run in the folders that its command could change. Pure. */
#ifndef PINFOLD_SETTLE_SETTLEMENT_H
#define PINFOLD_SETTLE_SETTLEMENT_H

#include "base/arena.h"

#include <stdbool.h>

enum settled_fate {
    SETTLED_ASIDE,    /* it would run code: it is in the quarantine */
    SETTLED_RESTORED, /* and what was there before is there again */
    SETTLED_REPORTED, /* it is where it was: people and their tools read it */
};

struct settled {
    enum settled_fate fate;
    const char *path;
    const char *why;
    const char *run; /* the quarantine's folder that it is in, and its number there, from 1; 0: it is reported */
    unsigned item;
};

enum { SETTLED_REPORTED_MAX = 100, SETTLED_ASIDE_MAX = 1000 }; /* how many are told; the others are counted */

struct settlement {
    bool done; /* the folders were looked through to the end */
    bool gone; /* one of them isn't where it was */
    text_list warnings;
    LIST(struct settled) found;
    size_t folders;         /* that were looked through */
    size_t unseen;          /* folders of others, which neither this caller nor the command may list */
    size_t reported, aside; /* all of them */
};

#endif
