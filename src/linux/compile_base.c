/* compile_base.c (pure): what every box has, whatever is granted: the system's folders, /proc, devices, scratch
 * folders. */
#include "linux/compile.h"

#include "base/path.h"

#include <sys/stat.h>

int mount_add(struct arena *arena, mount_list *mounts, struct mount mount) {
    struct mount *added = list_add(arena, mounts);
    if (!added)
        return -1;
    *added = mount;
    return 0;
}

struct mount mount_tree(const struct place *place, bool writable, const char *why) {
    return (struct mount){.kind = MOUNT_TREE,
                          .target = place->path,
                          .source = place->path,
                          .writable = writable,
                          .rights = writable ? RIGHTS_WRITE : RIGHTS_READ,
                          .folder = S_ISDIR(place->mode),
                          .has_mounts = place->has_mounts,
                          .dev = place->dev,
                          .ino = place->ino,
                          .why = why,
                          .step = STEP_MOUNTS};
}

#define PROC_EMPTY(path, dir)                                                                                          \
    { .kind = MOUNT_EMPTY, .target = path, .folder = dir }
#define PROC_READONLY(path)                                                                                            \
    { .kind = MOUNT_READONLY, .target = path, .folder = true }
/* Entries of /proc that show or change the host and that everybody may open; absent ones are left out. */
static const struct mount proc_covers[] = {
    PROC_EMPTY("/proc/key-users", false),
    PROC_EMPTY("/proc/keys", false),
    PROC_READONLY("/proc/pressure"),
    PROC_READONLY("/proc/sys"),
};

/* Those that only the host's root may open: the others' kernel uid isn't root's. */
static const struct mount proc_covers_root[] = {
    PROC_EMPTY("/proc/acpi", true),
    PROC_EMPTY("/proc/asound", true),
    PROC_READONLY("/proc/bus"),
    PROC_EMPTY("/proc/driver", true),
    PROC_EMPTY("/proc/dynamic_debug", true),
    PROC_READONLY("/proc/fs"),
    PROC_EMPTY("/proc/iomem", false),
    PROC_EMPTY("/proc/ioports", false),
    PROC_READONLY("/proc/irq"),
    PROC_EMPTY("/proc/kallsyms", false),
    PROC_EMPTY("/proc/kcore", false),
    PROC_EMPTY("/proc/kmsg", false),
    PROC_EMPTY("/proc/kpagecgroup", false),
    PROC_EMPTY("/proc/kpagecount", false),
    PROC_EMPTY("/proc/kpageflags", false),
    PROC_EMPTY("/proc/latency_stats", false),
    PROC_EMPTY("/proc/mtrr", false),
    PROC_EMPTY("/proc/pagetypeinfo", false),
    PROC_EMPTY("/proc/sched_debug", false),
    PROC_EMPTY("/proc/scsi", true),
    PROC_EMPTY("/proc/slabinfo", false),
    PROC_EMPTY("/proc/sysrq-trigger", false),
    PROC_EMPTY("/proc/timer_list", false),
    PROC_EMPTY("/proc/timer_stats", false),
    PROC_EMPTY("/proc/vmallocinfo", false),
};
#undef PROC_EMPTY
#undef PROC_READONLY

static int add_proc_covers(struct arena *arena, mount_list *mounts, const struct mount *covers, size_t count) {
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        struct mount cover = covers[i];
        cover.optional = true;
        cover.why = "shows or changes the host";
        cover.step = STEP_PROC;
        failed |= mount_add(arena, mounts, cover);
    }
    return failed;
}

static int add_proc(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    int failed = mount_add(arena, mounts,
                           (struct mount){.kind = MOUNT_PROC,
                                          .target = "/proc",
                                          .rights = RIGHTS_PROC,
                                          .writable = true,
                                          .folder = true,
                                          .why = "a /proc of the box's own",
                                          .step = STEP_PROC});
    failed |= add_proc_covers(arena, mounts, proc_covers, sizeof proc_covers / sizeof proc_covers[0]);
    if (plan->root_kept)
        failed |=
            add_proc_covers(arena, mounts, proc_covers_root, sizeof proc_covers_root / sizeof proc_covers_root[0]);
    return failed;
}

static int add_devices(struct arena *arena, mount_list *mounts) {
    static const struct {
        const char *path;
        enum rights rights;
    } nodes[] = {{"/dev/full", RIGHTS_DEVICE}, {"/dev/null", RIGHTS_DEVICE},    {"/dev/random", RIGHTS_RANDOM},
                 {"/dev/tty", RIGHTS_DEVICE},  {"/dev/urandom", RIGHTS_RANDOM}, {"/dev/zero", RIGHTS_DEVICE}};
    static const struct link links[] = {{"/dev/fd", "/proc/self/fd"},
                                        {"/dev/ptmx", "pts/ptmx"},
                                        {"/dev/stderr", "/proc/self/fd/2"},
                                        {"/dev/stdin", "/proc/self/fd/0"},
                                        {"/dev/stdout", "/proc/self/fd/1"}};
    int failed = 0;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        failed |= mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_TREE,
                                           .target = nodes[i].path,
                                           .source = nodes[i].path,
                                           .rights = nodes[i].rights,
                                           .device = true,
                                           .why = "device",
                                           .step = STEP_MOUNTS});
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        failed |= mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_LINK,
                                           .target = links[i].path,
                                           .source = links[i].target,
                                           .why = "device",
                                           .step = STEP_MOUNTS});
    failed |= mount_add(arena, mounts,
                        (struct mount){.kind = MOUNT_PTS,
                                       .target = "/dev/pts",
                                       .rights = RIGHTS_DEVICE,
                                       .writable = true,
                                       .folder = true,
                                       .device = true,
                                       .why = "terminals of the box's own",
                                       .step = STEP_MOUNTS});
    return failed;
}

/* Without a rule for their file system, Landlock would close the box's own queues. */
static int add_queues(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    if (plan->probe->missing[STEP_IPC_NAMESPACE])
        return 0;
    return mount_add(arena, mounts,
                     (struct mount){.kind = MOUNT_QUEUES,
                                    .target = "/dev/mqueue",
                                    .rights = RIGHTS_WRITE,
                                    .writable = true,
                                    .folder = true,
                                    .why = "queues of the box's own",
                                    .step = STEP_MOUNTS});
}

static int add_scratch(struct arena *arena, mount_list *mounts, const char *path, unsigned mode, const char *why) {
    return mount_add(arena, mounts,
                     (struct mount){.kind = MOUNT_SCRATCH,
                                    .target = path,
                                    .rights = RIGHTS_WRITE,
                                    .writable = true,
                                    .folder = true,
                                    .mode = mode,
                                    .why = why,
                                    .step = STEP_MOUNTS});
}

/* A folder that is empty at the start of each box, or that a session keeps. */
static int add_own(struct arena *arena, const struct plan *plan, mount_list *mounts, int folder, const char *path,
                   const char *why) {
    const struct policy *policy = plan->policy;
    const struct place *place = &plan->probe->session[folder];
    if (!policy->session)
        return add_scratch(arena, mounts, path, session_folder[folder].mode, why);
    const char *source = session_path(arena, policy->state, policy->session, plan->workspace, folder);
    if (!source)
        return -1;
    return mount_add(arena, mounts,
                     (struct mount){.kind = MOUNT_TREE,
                                    .target = path,
                                    .source = source,
                                    .writable = true,
                                    .rights = RIGHTS_WRITE,
                                    .folder = true,
                                    .session = true,
                                    .owned = true,
                                    .dev = place->dev,
                                    .ino = place->ino,
                                    .why = "kept by the session",
                                    .step = STEP_MOUNTS});
}

int compile_base(struct arena *arena, const struct plan *plan, mount_list *mounts) {
    const struct probe *probe = plan->probe;
    int failed = add_proc(arena, plan, mounts) | add_devices(arena, mounts) | add_queues(arena, plan, mounts);
    for (size_t i = 0; i < probe->system.count; i++)
        failed |= mount_add(arena, mounts, mount_tree(&probe->system.at[i], false, "system"));
    for (size_t i = 0; i < probe->links.count; i++)
        failed |= !path_is_under(probe->links.at[i].path, "/proc") &&
                  mount_add(arena, mounts,
                            (struct mount){.kind = MOUNT_LINK,
                                           .target = probe->links.at[i].path,
                                           .source = probe->links.at[i].target,
                                           .why = "link of the host",
                                           .step = STEP_MOUNTS});
    static const char *const temporary[] = {"/tmp", "/var/tmp", "/run"};
    for (size_t i = 0; i < sizeof temporary / sizeof temporary[0]; i++) {
        const char *path = probe->temporary[i].path ? probe->temporary[i].path : temporary[i];
        failed |= i < 2 ? add_own(arena, plan, mounts, i ? SESSION_VAR_TMP : SESSION_TMP, path, "private")
                        : add_scratch(arena, mounts, path, 0755, "private");
    }
    failed |= add_scratch(arena, mounts, "/dev/shm", 01777, "private");
    failed |= add_own(arena, plan, mounts, SESSION_HOME, plan->home, "scratch home");
    return failed;
}
