/* result.h: how a run ended. */
#ifndef PINFOLD_BOX_RESULT_H
#define PINFOLD_BOX_RESULT_H

#include "supervise/relay.h"

enum outcome {
    OUTCOME_REFUSED,        /* containment could not be proven: nothing was started */
    OUTCOME_USAGE,          /* the policy or the command line is wrong: nothing was started */
    OUTCOME_EXITED,         /* the command ended by itself */
    OUTCOME_SIGNALLED,      /* the command ended by a signal */
    OUTCOME_TIMEOUT,        /* --timeout */
    OUTCOME_TERMINATED,     /* pinfold was told to end and the command didn't within --grace */
    OUTCOME_NOT_FOUND,      /* no such command */
    OUTCOME_NOT_EXECUTABLE, /* it can't be executed */
    OUTCOME_KILLED,         /* the box was ended from outside */
};

struct result {
    enum outcome outcome;
    int status;               /* what pinfold exits with */
    int exec_error;           /* errno of exec, for the two that have one */
    bool deaf;                /* the box was ended because its relay had ended */
    int lost;                 /* errno with which reading or writing for the command broke off; 0: it didn't */
    uint64_t wall, processor; /* microseconds from the command's exec to the box's end; user and system time */
    uint64_t peak;            /* KiB: largest resident set of one process of the box */
    struct relay_report relay;
};

const char *outcome_name(enum outcome outcome);

#endif
