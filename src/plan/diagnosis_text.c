/* diagnosis_text.c (pure but for writing to a stream): what doctor found, in words. */
#include "base/error.h"
#include "base/path.h"
#include "plan/diagnosis.h"

enum { SHOWN = 4096 };

static void tell_host(const struct diagnosis *diagnosis, FILE *out) {
    const struct probe *probe = diagnosis->probe;
    char shown[SHOWN];
    fprintf(out, "\nHost: %s", path_show(diagnosis->facts.words, shown, sizeof shown));
    if (probe) {
        fprintf(out, "\nKernel: Linux %s, ", path_show(probe->release, shown, sizeof shown));
        if (probe->landlock_abi)
            fprintf(out, "Landlock ABI %d", probe->landlock_abi);
        else
            fputs("no Landlock", out);
        const char *separator = "; higher ABIs add: ";
        for (const struct landlock_addition *at = landlock_additions; at->abi; at++)
            if (probe->landlock_abi && at->used && at->abi > probe->landlock_abi) {
                fprintf(out, "%s%d (Linux %s) %s", separator, at->abi, at->kernel, at->adds);
                separator = ", ";
            }
    }
    if (diagnosis->plan)
        fprintf(out, "\nCaller: uid %u, %s", diagnosis->facts.uid,
                diagnosis->plan->root_mapped ? "root mapped to an unprivileged host id"
                : diagnosis->plan->root_kept ? "root kept: host uid 0 in the box"
                                             : "an ordinary user");
    if (diagnosis->place)
        fprintf(out, "\nTried in: %s%s", path_show(diagnosis->place, shown, sizeof shown),
                diagnosis->temporary ? ", a folder made for it and removed" : "");
    fputs("\n", out);
}

static void list_steps(const struct diagnosis *diagnosis, int guarantee, enum finding finding, const char *title,
                       FILE *out) {
    for (int step = 0; step < STEP_COUNT; step++)
        if (diagnosis->steps[step] == finding && step_text[step].gives & UINT32_C(1) << guarantee) {
            fprintf(out, "%s%s", title, step_text[step].name);
            title = ", ";
        }
}

static void tell_guarantees(const struct diagnosis *diagnosis, FILE *out) {
    fputs("\nGuarantees\n", out);
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        enum finding found = diagnosis->guarantees[i];
        bool waived = diagnosis->policy && diagnosis->policy->waived & UINT32_C(1) << i;
        fprintf(out, "  %-14s  %-7s%s", guarantee_text[i].name,
                found == FINDING_HELD      ? "held"
                : found == FINDING_MISSING ? "MISSING"
                                           : "unknown",
                waived ? " (waived)" : "");
        if (found == FINDING_HELD) {
            bool untried = diagnosis->plan->untried & UINT32_C(1) << i;
            fprintf(out, "  %s; the box", untried ? "read back" : guarantee_text[i].proof);
            list_steps(diagnosis, i, FINDING_HELD, ", and ", out);
        }
        if (found == FINDING_MISSING)
            list_steps(diagnosis, i, FINDING_MISSING, "  for lack of ", out);
        fputs("\n", out);
    }
    if (!diagnosis->complete)
        fputs("  unknown: no box could be made here, so this could not be tried\n", out);
}

static void tell_absences(const struct diagnosis *diagnosis, FILE *out) {
    static const char *const places[] = {[MEND_ROOT] = "mend, as root:",
                                         [MEND_SHELL] = "mend, in your shell:",
                                         [MEND_CONTAINER] = "mend, where the container is started:",
                                         [MEND_BOOT] = "mend, at boot:",
                                         [MEND_ADVICE] = "mend:"};
    char shown[SHOWN];
    if (diagnosis->absences.count)
        fputs("\nMissing\n", out);
    for (size_t i = 0; i < diagnosis->absences.count; i++) {
        const struct absence *one = &diagnosis->absences.at[i];
        uint32_t gives = step_text[one->step].gives;
        fprintf(out, "  %s: can't %s (%s%s%s)\n", step_text[one->step].name, step_text[one->step].what,
                path_show(one->detail, shown, sizeof shown), *one->detail ? ": " : "", error_name(one->error));
        const char *title = "    so these can't be promised: ";
        if (gives & G_BOX)
            fputs("    so there can't be a box at all\n", out);
        for (int guarantee = 0; !(gives & G_BOX) && guarantee < GUARANTEE_COUNT; guarantee++)
            if (gives & UINT32_C(1) << guarantee) {
                fprintf(out, "%s%s", title, guarantee_text[guarantee].name);
                title = ", ";
            }
        fprintf(out, "%s    %s %s\n", gives & G_BOX || !gives ? "" : "\n", places[one->mend.kind],
                path_show(one->mend.text, shown, sizeof shown));
    }
}

int diagnosis_text(const struct diagnosis *diagnosis, FILE *out) {
    char shown[SHOWN];
    fprintf(out, "%s\n", path_show(diagnosis->verdict, shown, sizeof shown));
    if (diagnosis->instead)
        fprintf(out, "%s\n", path_show(diagnosis->instead, shown, sizeof shown));
    tell_host(diagnosis, out);
    tell_absences(diagnosis, out);
    tell_guarantees(diagnosis, out);
    if (diagnosis->warnings.count)
        fputs("\nWarnings\n", out);
    for (size_t i = 0; i < diagnosis->warnings.count; i++)
        fprintf(out, "  %s: %s\n", diagnosis->warnings.at[i].name,
                path_show(diagnosis->warnings.at[i].text, shown, sizeof shown));
    return ferror(out) || fflush(out) ? -1 : 0;
}
