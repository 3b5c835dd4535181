/* diagnosis.c (pure): what was found, guarantee by guarantee. See diagnosis.h. */
#include "plan/diagnosis.h"

const struct landlock_addition landlock_additions[] = {
    {1, true, "5.13", "rights on files"},
    {2, true, "5.19", "renames and links between folders"},
    {3, true, "6.2", "truncation"},
    {4, true, "6.7", "TCP ports, for the relay"},
    {5, true, "6.10", "ioctl on devices"},
    {6, true, "6.12", "signals and abstract unix sockets"},
    {7, false, "6.15", "control of audit logs"},
    {8, false, "7.0", "all threads at once"},
    {9, true, "7.1", "unix sockets made during the run in granted folders"},
    {10, false, "7.2", "UDP ports"},
    {11, false, "7.3", "no_new_privs in the same call"},
    {0, false, NULL, NULL},
};

static bool is_absent(const struct diagnosis *diagnosis, int step) {
    for (size_t i = 0; i < diagnosis->absences.count; i++)
        if ((int)diagnosis->absences.at[i].step == step)
            return true;
    return false;
}

static enum finding judge_step(const struct diagnosis *diagnosis, int step) {
    if (is_absent(diagnosis, step))
        return FINDING_MISSING;
    if (!diagnosis->plan)
        return FINDING_UNKNOWN;
    if (!diagnosis->plan->taken[step])
        return FINDING_UNUSED;
    return diagnosis->complete ? FINDING_HELD : FINDING_UNKNOWN;
}

void diagnosis_judge(struct diagnosis *diagnosis) {
    for (int step = 0; step < STEP_COUNT; step++)
        diagnosis->steps[step] = judge_step(diagnosis, step);
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        diagnosis->guarantees[i] = diagnosis->complete ? FINDING_HELD : FINDING_UNKNOWN;
        for (int step = 0; step < STEP_COUNT; step++)
            if (diagnosis->steps[step] == FINDING_MISSING && step_text[step].gives & UINT32_C(1) << i)
                diagnosis->guarantees[i] = FINDING_MISSING;
    }
}
