/* describe_text.c (pure but for writing to a stream): the plan in words. */
#include "base/path.h"
#include "plan/describe.h"
#include "plan/secrets.h"

#include <string.h>

enum { SHOWN = 4096 };

static void list_mounts(const struct plan *plan, FILE *out, const char *title, bool (*wanted)(const struct mount *)) {
    char shown[SHOWN];
    bool any = false;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        if (!wanted(mount))
            continue;
        bool file = mount->kind == MOUNT_TREE && mount->rights == RIGHTS_WRITE && mount->writable && !mount->folder;
        fprintf(out, "%s  %s  (%s%s)\n", any ? "  " : title, path_show(mount->target, shown, sizeof shown), mount->why,
                file ? "; a file: written in place, and not replaced by rename" : "");
        any = true;
    }
}

static bool is_read(const struct mount *mount) {
    return mount->kind == MOUNT_TREE && !mount->writable && mount->rights == RIGHTS_READ;
}

static bool is_written(const struct mount *mount) {
    return mount->kind == MOUNT_TREE && mount->writable && mount->rights == RIGHTS_WRITE && !mount->discard &&
           !mount->session;
}

static bool is_discarded(const struct mount *mount) {
    return mount->discard;
}

static bool is_scratch(const struct mount *mount) {
    return mount->kind == MOUNT_SCRATCH;
}

static bool is_kept(const struct mount *mount) {
    return mount->session;
}

static bool is_socket(const struct mount *mount) {
    return mount->rights == RIGHTS_SOCKET;
}

static bool is_held(const struct mount *mount) {
    return mount->kind == MOUNT_HOLD;
}

static bool is_cover(const struct mount *mount) {
    return mount->kind == MOUNT_EMPTY && mount->step != STEP_PROC && mount->step != STEP_SECRETS;
}

static void list_denied(const struct plan *plan, FILE *out) {
    static const char *const ways[] = {
        [SECRET_HIDDEN] = "kept absent", [SECRET_COVERED] = "covered", [SECRET_OPEN] = "NOT HELD"};
    static const char title[] = "  denied, though it lies in one of these:\n";
    char shown[SHOWN];
    size_t any = 0, absent = 0;
    for (size_t i = 0; i < plan->secrets.count; i++) {
        const struct secret *secret = &plan->probe->secrets.at[i];
        enum secret_state state = plan->secrets.at[i];
        bool told = state != SECRET_AWAY && (secret->mode || secret->origin || state == SECRET_OPEN);
        absent += state != SECRET_AWAY && !told;
        if (told)
            fprintf(out, "%s    %s  (%s, %s)\n", any++ ? "" : title, path_show(secret->path, shown, sizeof shown),
                    secret_origin(secret), ways[state]);
    }
    if (absent)
        fprintf(out, "%s    %zu built-in names that aren't there now\n", any ? "" : title, absent);
}

static void list_links(const struct plan *plan, FILE *out) {
    char shown[SHOWN];
    bool any = false;
    for (size_t i = 0; i < plan->pins.count; i++) {
        if (!plan->pins.at[i].link)
            continue;
        fprintf(out, "%s  %s\n", any ? "  " : "  symlinks that stay as they are:\n  ",
                path_show(plan->pins.at[i].path, shown, sizeof shown));
        any = true;
    }
}

static void list_makings(const struct plan *plan, FILE *out) {
    char shown[SHOWN], above[SHOWN];
    bool any = false;
    for (size_t i = 0; i < plan->probe->grants.count; i++) {
        const struct place *place = &plan->probe->grants.at[i];
        if (!place->making)
            continue;
        fprintf(out, "%s  %s  (in %s)\n", any ? "  " : "  would be created, with mode 0700:\n  ",
                path_show(place->path, shown, sizeof shown), path_show(place->making->path, above, sizeof above));
        any = true;
    }
}

static void list_guarantees(const struct plan *plan, FILE *out) {
    fputs("\nGuarantees\n", out);
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        bool provided = plan->provided & UINT32_C(1) << i, waived = plan->policy->waived & UINT32_C(1) << i;
        fprintf(out, "  %-14s  %s%s\n", guarantee_text[i].name,
                waived     ? (provided ? "WAIVED, held all the same: " : "WAIVED: ")
                : provided ? ""
                           : "CAN'T BE PROMISED HERE: ",
                guarantee_text[i].sentence);
        fputs("                  by", out);
        const char *separator = " ";
        for (int step = 0; step < STEP_COUNT; step++)
            if (plan->taken[step] && step_text[step].gives & UINT32_C(1) << i) {
                fprintf(out, "%s%s", separator, step_text[step].name);
                separator = ", ";
            }
        fprintf(out, "%s\n", *separator == ' ' ? " the box as a whole" : "");
    }
}

static void list_environment(const struct plan *plan, FILE *out) {
    fputs("\nEnvironment\n  kept:", out);
    for (size_t i = 0; i < plan->environment.kept.count; i++) {
        char name[128], shown[512];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(plan->environment.kept.at[i], "="),
                 plan->environment.kept.at[i]);
        fprintf(out, " %s", path_show(name, shown, sizeof shown));
    }
    fputs("\n  dropped:", out);
    for (size_t i = 0; i < plan->environment.dropped.count; i++) {
        char shown[256];
        fprintf(out, " %s", path_show(plan->environment.dropped.at[i], shown, sizeof shown));
    }
    fputs("\n", out);
}

static void list_limits(const struct plan *plan, FILE *out) {
    const struct policy *policy = plan->policy;
    fputs("\nLimits\n", out);
    if (policy->timeout.value)
        fprintf(out, "  time: %llu ms, then SIGTERM, and SIGKILL %llu ms later\n",
                (unsigned long long)policy->timeout.value, (unsigned long long)policy->grace.value);
    else
        fputs("  time: none\n", out);
    if (policy->output_limit.value)
        fprintf(out, "  output: %llu bytes each of stdout and stderr, head and tail\n",
                (unsigned long long)policy->output_limit.value);
    else
        fputs("  output: none\n", out);
}

static void list_policy(const struct policy *policy, FILE *out) {
    char shown[SHOWN];
    fprintf(out, "Policy: profile %s", path_show(policy->profile ? policy->profile : "default", shown, sizeof shown));
    for (size_t i = 0; i < policy->files.count; i++)
        fprintf(out, "%s%s", i ? ", " : "; files: ", path_show(policy->files.at[i], shown, sizeof shown));
    if (policy->workspace_file)
        fprintf(out, "; the workspace's own, %s: %s", policy->workspace_trusted ? "trusted" : "which only narrows",
                path_show(policy->workspace_file, shown, sizeof shown));
    fputs("\n", out);
}

/* What a command of the caller's would be looked for in, and isn't there. */
static void list_left_out(const struct plan *plan, FILE *out) {
    char shown[SHOWN], why[SHOWN];
    for (size_t i = 0; i < plan->probe->left_out.count; i++) {
        const struct left_out *left_out = &plan->probe->left_out.at[i];
        fprintf(out, "%s    %s  (%s)\n", i ? "" : "  on PATH and not shown (--read PATH shows it):\n",
                path_show(left_out->path, shown, sizeof shown), path_show(left_out->why, why, sizeof why));
    }
    if (plan->policy->toolchains.value == TOOLCHAINS_NONE)
        fprintf(out, "  toolchains of the home: none (%s)\n",
                path_show(plan->policy->toolchains.origin ? plan->policy->toolchains.origin : "", shown, sizeof shown));
}

int describe_text(const struct plan *plan, FILE *out) {
    char shown[SHOWN];
    fprintf(out, "Plan: %s, on Linux %s with Landlock ABI %d\n", plan->backend, plan->probe->release,
            plan->probe->landlock_abi);
    list_policy(plan->policy, out);
    fprintf(out, "Ids: uid %u, gid %u inside", plan->probe->uid, plan->probe->gid);
    if (plan->root_mapped)
        fprintf(out, ", host uid %u outside\n", plan->id_base);
    else
        fprintf(out, "%s\n", plan->root_kept ? ", host uid 0 outside (root-kept)" : " and outside");
    static const char *const modes[] = {[MODE_DIRECT] = "changes are made",
                                        [MODE_DISCARD] = "changes are gone at the end",
                                        [MODE_READONLY] = "nothing can be changed"};
    enum mode mode = (enum mode)plan->policy->mode.value;
    fprintf(out, "Workspace: %s (mode %s: %s)\n", path_show(plan->workspace, shown, sizeof shown), mode_name(mode),
            modes[mode]);
    if (plan->policy->session)
        fprintf(out, "Session: %s\n", plan->policy->session);
    fprintf(out, "Starts in: %s\n", path_show(plan->current, shown, sizeof shown));
    fputs("\nFiles\n", out);
    list_mounts(plan, out, "  can be changed:\n  ", is_written);
    list_makings(plan, out);
    list_mounts(plan, out, "  can be changed, and is as before when the command has ended:\n  ", is_discarded);
    list_mounts(plan, out, "  protected, can't be changed, moved or removed:\n  ", is_held);
    list_links(plan, out);
    if (plan->policy->git.value == GIT_WRITABLE)
        fprintf(out, "  git directories are not protected (%s)\n", plan->policy->git.origin);
    list_mounts(plan, out, "  can be read:\n  ", is_read);
    list_mounts(plan, out, "  private, empty, gone afterwards:\n  ", is_scratch);
    list_mounts(plan, out, "  private, kept for this workspace's next run with this session:\n  ", is_kept);
    list_mounts(plan, out, "  covered:\n  ", is_cover);
    list_denied(plan, out);
    list_mounts(plan, out, "  unix sockets that can be connected to:\n  ", is_socket);
    list_left_out(plan, out);
    fputs("  everything else on this host is not there\n", out);
    fprintf(out, "\nNetwork\n  %s\n",
            plan->taken[STEP_NET_NAMESPACE] ? "a loopback of its own, and nothing else" : "the host's");
    list_environment(plan, out);
    list_limits(plan, out);
    list_guarantees(plan, out);
    return ferror(out) || fflush(out) ? -1 : 0;
}
