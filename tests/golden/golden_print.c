/* golden_print.c (pure): a plan as the lines of a golden file, in an order that doesn't change. */
#include "golden.h"

#include "linux/landlock.h"
#include "linux/uapi_landlock.h"

#include <stdio.h>
#include <string.h>

static const char *const rights_names[] = {
    [RIGHTS_NONE] = "none",     [RIGHTS_READ] = "read",     [RIGHTS_WRITE] = "write",  [RIGHTS_PROC] = "proc",
    [RIGHTS_DEVICE] = "device", [RIGHTS_RANDOM] = "random", [RIGHTS_SOCKET] = "socket"};

static int add(struct golden *golden, line_list *lines, char *text) {
    char **added = text ? list_add(&golden->arena, lines) : NULL;
    if (added)
        *added = text;
    return added ? 0 : -1;
}
#define ADD(...) add(golden, lines, arena_printf(&golden->arena, __VA_ARGS__))

/* The names of those of `count` things whose bit is in `set`, with a space before each. */
static char *names(struct arena *arena, uint64_t set, const char *(*name)(unsigned), unsigned count) {
    char *text = arena_copy(arena, "");
    for (unsigned i = 0; text && i < count; i++)
        if (set & UINT64_C(1) << i)
            text = arena_printf(arena, "%s %s", text, name(i));
    return text;
}

static const char *guarantee_name(unsigned i) {
    return guarantee_text[i].name;
}

static const char *right_name(unsigned i) {
    static const char *const all[] = {"execute",     "write-file",  "read-file",    "read-dir", "remove-dir",
                                      "remove-file", "make-char",   "make-dir",     "make-reg", "make-sock",
                                      "make-fifo",   "make-block",  "make-symlink", "refer",    "truncate",
                                      "ioctl-dev",   "resolve-unix"};
    return i < sizeof all / sizeof all[0] ? all[i] : "?";
}

static const char *scope_name(unsigned i) {
    static const char *const all[] = {"abstract-unix", "signal"};
    return i < 2 ? all[i] : "?";
}

/* The words of the message; of remedies, which are in steps.def, only that they stand there. */
static int print_refusal(struct golden *golden, line_list *lines, const char *message) {
    for (int step = 0; message && step < STEP_COUNT; step++) {
        const char *mend = step_text[step].mend, *at = strstr(message, mend);
        if (at)
            message = arena_printf(&golden->arena, "%.*s[mend of %s]%s", (int)(at - message), message,
                                   step_text[step].name, at + strlen(mend));
    }
    return message ? ADD("exit 126: %s", message) : -1;
}

/* Those that are not taken: what the host lacks first. */
static int print_steps(struct golden *golden, line_list *lines, const struct plan *plan) {
    int failed = 0;
    for (int lacked = 1; lacked >= 0; lacked--)
        for (int step = 0; step < STEP_COUNT; step++) {
            bool missing = plan->needed[step] && plan->probe->missing[step];
            if (!plan->taken[step] && missing == lacked)
                failed |= ADD("step %s: %s", missing ? "missing" : "not needed", step_text[step].name);
        }
    return failed;
}

static int print_ids(struct golden *golden, line_list *lines, const struct plan *plan) {
    const struct probe *probe = plan->probe;
    if (plan->root_mapped)
        return ADD("ids %u:%u are %u outside, %u of them", probe->uid, probe->gid, plan->id_base, plan->id_count);
    return ADD("ids %u:%u are the same outside%s", probe->uid, probe->gid, plan->root_kept ? ", root kept" : "");
}

static const char *flag(bool is, const char *name) {
    return is ? name : "";
}

static int print_mount(struct golden *golden, line_list *lines, const struct mount *mount) {
    static const char *const kinds[] = {[MOUNT_TREE] = "bind",   [MOUNT_SCRATCH] = "scratch",    [MOUNT_PROC] = "proc",
                                        [MOUNT_PTS] = "devpts",  [MOUNT_QUEUES] = "mqueue",      [MOUNT_LINK] = "link",
                                        [MOUNT_EMPTY] = "cover", [MOUNT_READONLY] = "read-only", [MOUNT_HOLD] = "hold"};
    char mode[16] = "";
    if (mount->kind == MOUNT_LINK)
        return ADD("link %s -> %s%s", mount->target, mount->source, flag(!mount->create, " not-made"));
    if (mount->kind == MOUNT_SCRATCH)
        snprintf(mode, sizeof mode, " %04o", mount->mode);
    bool elsewhere = mount->source && strcmp(mount->source, mount->target) != 0;
    const char *hides = mount->hidden.count ? " hides" : "";
    for (size_t i = 0; i < mount->hidden.count && hides; i++)
        hides = arena_printf(&golden->arena, "%s %s", hides, mount->hidden.at[i]);
    if (!hides)
        return -1;
    return ADD("%s %s%s%s %s %s%s%s%s%s%s%s%s%s%s%s%s%s%s%s", mount->session ? "session" : kinds[mount->kind],
               mount->target, flag(elsewhere, " of "), elsewhere ? mount->source : "", mount->writable ? "rw" : "ro",
               rights_names[mount->rights], mode, flag(!mount->folder, " file"), flag(mount->create, " made"),
               flag(mount->in_session, " kept-place"), flag(mount->owned, " owned"), flag(mount->view, " view"),
               flag(mount->discard, " discard"), flag(mount->has_mounts, " has-mounts"), flag(mount->device, " device"),
               flag(mount->optional, " optional"), flag(mount->step == STEP_SOCKETS, " socket"),
               flag(mount->step == STEP_PROC && mount->kind != MOUNT_PROC, " host"),
               flag(mount->step == STEP_SECRETS, " secret"), hides);
}

static int print_channel(struct golden *golden, line_list *lines, const struct plan *plan,
                         const struct channel *channel) {
    static const char *const kinds[] = {
        [CHANNEL_NULL] = "null", [CHANNEL_RELAY] = "relayed", [CHANNEL_TTY] = "pty", [CHANNEL_PASS] = "passed"};
    char shared[32] = "";
    if (channel->same_as >= 0)
        snprintf(shared, sizeof shared, " with %d", plan->channels.at[channel->same_as].number);
    return ADD("fd %d %s%s%s", channel->number, kinds[channel->kind],
               channel->kind != CHANNEL_RELAY ? ""
               : channel->inward              ? " in"
                                              : " out",
               shared);
}

static int print_environment(struct golden *golden, line_list *lines, const struct environment *environment) {
    int failed = 0;
    for (size_t i = 0; i < environment->kept.count; i++)
        failed |= ADD("env %s", environment->kept.at[i]);
    for (size_t i = 0; i < environment->dropped.count; i++)
        failed |= ADD("env dropped: %s", environment->dropped.at[i]);
    return failed;
}

/* What the command may do below a folder with these rights; files get those of them that files can have. */
static int print_landlock(struct golden *golden, line_list *lines, int abi) {
    struct arena *arena = &golden->arena;
    if (!abi)
        return ADD("landlock none");
    int failed = ADD("landlock handles:%s", names(arena, landlock_known(abi), right_name, 64));
    failed |= ADD("landlock scopes:%s", abi < 6 ? " none" : names(arena, landlock_scopes(abi), scope_name, 64));
    for (int rights = RIGHTS_READ; rights <= RIGHTS_SOCKET; rights++) {
        const struct mount folder = {.rights = (enum rights)rights, .folder = true};
        uint64_t given = landlock_rights(&folder, abi);
        failed |= ADD("landlock %s:%s", rights_names[rights], given ? names(arena, given, right_name, 64) : " none");
    }
    return failed;
}

int golden_print(struct golden *golden, line_list *lines) {
    struct plan plan;
    struct error err = {0};
    if (compile_native(&golden->arena, &golden->policy, &golden->probe, golden->caller.at, &plan, &err))
        return ADD("exit %d: %s", err.status, err.text);
    int failed = plan_check(&plan, &err) ? print_refusal(golden, lines, err.text)
                                         : ADD("starts, confined %s", plan_confined(&plan));
    uint32_t lacking = G_ALL & ~plan.provided;
    failed |= lacking == G_ALL ? ADD("lacking: everything")
              : lacking        ? ADD("lacking:%s", names(&golden->arena, lacking, guarantee_name, GUARANTEE_COUNT))
                               : ADD("lacking: nothing");
    failed |= print_steps(golden, lines, &plan) | print_ids(golden, lines, &plan);
    failed |= ADD("home %s", plan.home) | ADD("begins in %s", plan.current);
    if (plan.notice)
        failed |= ADD("notice: %s", plan.notice);
    for (size_t i = 0; i < plan.mounts.count; i++)
        failed |= print_mount(golden, lines, &plan.mounts.at[i]);
    for (size_t i = 0; i < plan.pins.count; i++)
        failed |= ADD("pin %s in %s%s", plan.pins.at[i].path, plan.pins.at[i].tree->target,
                      flag(plan.pins.at[i].link, " symlink"));
    for (size_t i = 0; i < plan.channels.count; i++)
        failed |= print_channel(golden, lines, &plan, &plan.channels.at[i]);
    failed |= print_environment(golden, lines, &plan.environment);
    failed |= print_landlock(golden, lines, plan.probe->landlock_abi);
    return failed;
}
