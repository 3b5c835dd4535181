/* mend.c (pure): see mend.h. The generic remedies stand in steps.def; here they are made exact. */
#include "plan/mend.h"

#include "base/path.h"

#include <errno.h>
#include <string.h>

/* What around pinfold forbids a step. */
enum barrier {
    BARRIER_FILTER, /* a seccomp filter */
    BARRIER_MODULE, /* AppArmor or SELinux */
    BARRIER_PROC,   /* a masked /proc */
    BARRIERS
};

enum { NAMESPACES_PLENTY = 15000 };

const char *mend_kind_name(enum mend_kind kind) {
    static const char *const names[] = {[MEND_ROOT] = "root",
                                        [MEND_SHELL] = "shell",
                                        [MEND_CONTAINER] = "container",
                                        [MEND_BOOT] = "boot",
                                        [MEND_ADVICE] = "advice"};
    return names[kind];
}

static int put(struct mend *mend, enum mend_kind kind, const char *text) {
    *mend = (struct mend){kind, text};
    return text ? 0 : -1;
}

/* How the options of what starts a container are written. */
struct engine {
    const char *begin, *option[BARRIERS], *between, *end;
};

static const struct engine docker = {"docker run",
                                     {" --security-opt seccomp=unconfined", " --security-opt apparmor=unconfined",
                                      " --security-opt systempaths=unconfined"},
                                     "",
                                     " ..."};
static const struct engine podman = {
    "podman run",
    {" --security-opt seccomp=unconfined", " --security-opt apparmor=unconfined", " --security-opt unmask=ALL"},
    "",
    " ..."};
static const struct engine podman_selinux = {
    "podman run",
    {" --security-opt seccomp=unconfined", " --security-opt label=disable", " --security-opt unmask=ALL"},
    "",
    " ..."};
static const struct engine kubernetes = {
    "securityContext: {",
    {"seccompProfile: {type: Unconfined}", "appArmorProfile: {type: Unconfined}", "procMount: Unmasked"},
    ", ",
    "} of the container, with hostUsers: false in the pod"};
static const struct engine nspawn = {"SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes systemd-nspawn",
                                     {" --system-call-filter=\"@keyring @mount @sandbox\"", "", ""},
                                     "",
                                     " ..."};

static const struct engine *engine_of(const struct facts *facts) {
    return facts->kind == HOST_PODMAN       ? facts->selinux ? &podman_selinux : &podman
           : facts->kind == HOST_KUBERNETES ? &kubernetes
           : facts->kind == HOST_NSPAWN     ? &nspawn
                                            : &docker;
}

/* The options that take `barrier` away, and with it every other that is seen, since each would be the next. */
static int lift(struct arena *arena, const struct facts *facts, enum barrier barrier, struct mend *mend) {
    const struct engine *engine = engine_of(facts);
    const bool seen[BARRIERS] = {facts->seccomp == 2, facts_labelled(facts), facts->covered.count > 0};
    const char *text = engine->begin, *between = "";
    if (facts->kind == HOST_LXC)
        return put(mend, MEND_CONTAINER, "lxc config set NAME security.nesting=true");
    if (facts->kind == HOST_GVISOR)
        return put(mend, MEND_CONTAINER, "docker run --runtime=runc ... (any runtime but gVisor's)");
    for (int i = 0; i < BARRIERS && text; i++)
        if (seen[i] || i == (int)barrier) {
            text = arena_printf(arena, "%s%s%s", text, between, engine->option[i]);
            between = engine->between;
        }
    return put(mend, MEND_CONTAINER, text ? arena_printf(arena, "%s%s", text, engine->end) : NULL);
}

/* Something forbids what the kernel has: which of the barriers is it? */
static int forbidden(struct arena *arena, const struct facts *facts, struct mend *mend) {
    if (facts_contained(facts) || facts->manager)
        return lift(arena, facts, facts->seccomp != 2 && facts_labelled(facts) ? BARRIER_MODULE : BARRIER_FILTER, mend);
    if (facts->seccomp == 2)
        return put(mend, MEND_ADVICE,
                   "run pinfold outside the seccomp filter that is around it (Seccomp: 2 in /proc/self/status; of a "
                   "systemd unit: SystemCallFilter= and RestrictNamespaces=no)");
    if (facts->selinux)
        return put(mend, MEND_ROOT, "ausearch -m avc -c pinfold | audit2allow -M pinfold && semodule -i pinfold.pp");
    if (facts_labelled(facts))
        return put(mend, MEND_ROOT,
                   arena_printf(arena, "aa-complain %.*s", (int)strcspn(facts->label, " "), facts->label));
    return -2; /* nothing that is seen */
}

static int leave_chroot(struct mend *mend) {
    return put(mend, MEND_ADVICE,
               "run pinfold outside the chroot (in a chroot the kernel gives no user namespaces; systemd-nspawn -D "
               "FOLDER or unshare --mount with pivot_root enters a folder without one)");
}

/* A limit of 0, or one that is used up. */
static int raise_limit(struct arena *arena, const struct facts *facts, const char *name, long most, struct mend *mend) {
    long wanted = most > NAMESPACES_PLENTY / 2 ? 2 * most : NAMESPACES_PLENTY;
    const char *where = facts_contained(facts) && most ? " (on the host)" : "";
    return put(mend, MEND_ROOT, arena_printf(arena, "sysctl -w user.max_%s_namespaces=%ld%s", name, wanted, where));
}

/* Does Ubuntu's restriction make this caller's user namespaces powerless? */
static bool is_restricted(const struct facts *facts) {
    return facts->userns_apparmor > 0 && facts->uid && !facts_contained(facts);
}

static int unrestrict(struct mend *mend) {
    return put(mend, MEND_ROOT, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
}

/* User namespaces that are refused, or made and then powerless. */
static int mend_user(struct arena *arena, const struct facts *facts, int error, struct mend *mend) {
    if (error == ENOSPC)
        return raise_limit(arena, facts, "user", facts->most[0], mend);
    if (error == EUSERS)
        return put(mend, MEND_ADVICE, "run pinfold less deep: user namespaces are nested 32 deep here");
    if (facts->userns_clone == 0 && facts->uid)
        return put(mend, MEND_ROOT, "sysctl -w kernel.unprivileged_userns_clone=1");
    if (is_restricted(facts))
        return unrestrict(mend);
    if (facts->chrooted)
        return leave_chroot(mend);
    int found = forbidden(arena, facts, mend);
    if (found != -2)
        return found;
    if (error == EINVAL || error == ENOSYS)
        return put(mend, MEND_BOOT, "a kernel with CONFIG_USER_NS=y");
    return leave_chroot(mend); /* of all that refuses it, this alone leaves no trace */
}

static int mend_namespace(struct arena *arena, const struct facts *facts, enum step step, int error,
                          struct mend *mend) {
    static const struct {
        enum step step;
        const char *config;
    } all[FACTS_LIMITS] = {{STEP_USER_NAMESPACE, "USER_NS"},  {STEP_MOUNT_NAMESPACE, "NAMESPACES"},
                           {STEP_PID_NAMESPACE, "PID_NS"},    {STEP_NET_NAMESPACE, "NET_NS"},
                           {STEP_IPC_NAMESPACE, "IPC_NS"},    {STEP_UTS_NAMESPACE, "UTS_NS"},
                           {STEP_CGROUP_NAMESPACE, "CGROUPS"}};
    for (size_t i = 1; i < FACTS_LIMITS; i++) {
        if (all[i].step != step)
            continue;
        if (error == ENOSPC)
            return raise_limit(arena, facts, facts_limit[i], facts->most[i], mend);
        if (error == EINVAL && facts->seccomp != 2)
            return put(mend, MEND_BOOT, arena_printf(arena, "a kernel with CONFIG_%s=y", all[i].config));
        break;
    }
    return mend_user(arena, facts, error, mend);
}

/* Boot with Landlock among the modules that are active now. */
static int mend_landlock(struct arena *arena, const struct facts *facts, int error, struct mend *mend) {
    if (error == EOPNOTSUPP)
        return put(mend, MEND_BOOT,
                   facts->modules ? arena_printf(arena, "boot with lsm=landlock,%s", facts->modules)
                                  : "boot with `landlock` first in the kernel's lsm= list (the others: "
                                    "/sys/kernel/security/lsm)");
    if (facts->seccomp == 2 || facts_contained(facts)) {
        int found = forbidden(arena, facts, mend);
        if (found != -2)
            return found;
    }
    return put(mend, MEND_BOOT, "a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK=y and `landlock` in lsm=");
}

/* A /proc of its own is refused while the one outside is covered in part. */
static int mend_proc(struct arena *arena, const struct facts *facts, struct mend *mend) {
    if (facts_contained(facts))
        return lift(arena, facts, BARRIER_PROC, mend);
    const char *text = "umount";
    for (size_t i = facts->covered.count; i-- > 0 && text;)
        text = arena_printf(arena, "%s %s", text, facts->covered.at[i]);
    return facts->covered.count ? put(mend, MEND_ROOT, text) : -2;
}

static int mend_idmap(struct arena *arena, const struct facts *facts, int error, const char *detail,
                      struct mend *mend) {
    if (error == ENOSYS && facts->seccomp != 2)
        return put(mend, MEND_BOOT, "a kernel from 5.12 on, or pinfold run as an ordinary user");
    if (facts->user_namespace)
        return put(mend, MEND_ADVICE,
                   "run pinfold as an ordinary user: root of a user namespace has no ids to map the command to");
    return put(
        mend, MEND_ADVICE,
        *detail == '/' && !path_is_under(detail, "/proc")
            ? arena_printf(arena, "run pinfold as an ordinary user, or move %s to ext4, xfs, btrfs or tmpfs", detail)
            : "run pinfold as an ordinary user, or in a folder on ext4, xfs, btrfs or tmpfs");
}

static int mend_keyring(struct arena *arena, const struct facts *facts, int error, struct mend *mend) {
    if (error == EDQUOT)
        return put(mend, MEND_ROOT,
                   facts->uid ? "sysctl -w kernel.keys.maxkeys=2000" : "sysctl -w kernel.keys.root_maxkeys=1000000");
    int found = forbidden(arena, facts, mend);
    return found != -2 ? found : put(mend, MEND_BOOT, "a kernel with CONFIG_KEYS=y");
}

static int mend_seccomp(struct arena *arena, const struct facts *facts, struct mend *mend) {
    int found = forbidden(arena, facts, mend);
    return found != -2 ? found : put(mend, MEND_BOOT, "a kernel with CONFIG_SECCOMP_FILTER=y");
}

/* Errors that are about this moment, whatever the step. */
static int mend_shortage(int error, struct mend *mend) {
    switch (error) {
    case EMFILE:
        return put(mend, MEND_SHELL, "ulimit -n 1024");
    case ENFILE:
        return put(mend, MEND_ROOT, "sysctl -w fs.file-max=1000000");
    case EAGAIN:
        return put(mend, MEND_SHELL, "ulimit -u 4096");
    case ENOMEM:
        return put(mend, MEND_ADVICE,
                   "free memory, or raise the limit of memory (ulimit -v, memory.max of the cgroup)");
    case EINTR:
        return put(mend, MEND_ADVICE, "run it again: a signal came");
    default:
        return -2;
    }
}

static int mend_exact(struct arena *arena, const struct facts *facts, enum step step, int error, const char *detail,
                      struct mend *mend) {
    int found = mend_shortage(error, mend);
    if (found != -2)
        return found;
    switch (step) {
    case STEP_USER_NAMESPACE:
    case STEP_MOUNT_NAMESPACE:
    case STEP_PID_NAMESPACE:
    case STEP_NET_NAMESPACE:
    case STEP_IPC_NAMESPACE:
    case STEP_UTS_NAMESPACE:
    case STEP_CGROUP_NAMESPACE:
        return mend_namespace(arena, facts, step, error, mend);
    case STEP_ID_MAPS:
    case STEP_MOUNTS:
    case STEP_MOUNTS_READONLY:
    case STEP_LOOPBACK:
    case STEP_HOSTNAME:
        return is_restricted(facts) ? unrestrict(mend) : forbidden(arena, facts, mend);
    case STEP_IDMAPPED_MOUNTS:
        return mend_idmap(arena, facts, error, detail, mend);
    case STEP_PROC:
        return mend_proc(arena, facts, mend);
    case STEP_ROOT:
        return facts->chrooted ? leave_chroot(mend) : forbidden(arena, facts, mend);
    case STEP_LIMITS:
        return put(mend, MEND_ROOT, "sysctl -w kernel.core_pattern=core");
    case STEP_KEYRING:
        return mend_keyring(arena, facts, error, mend);
    case STEP_LANDLOCK:
        return mend_landlock(arena, facts, error, mend);
    case STEP_SECCOMP:
        return mend_seccomp(arena, facts, mend);
    case STEP_VERIFY:
        return put(mend, MEND_ADVICE, "do not run it here, and report this: what was built doesn't hold");
    default:
        return forbidden(arena, facts, mend);
    }
}

int mend_find(struct arena *arena, const struct facts *facts, enum step step, int error, const char *detail,
              struct mend *mend) {
    int found = mend_exact(arena, facts, step, error, detail, mend);
    return found != -2 ? found : put(mend, MEND_ADVICE, step_text[step].mend);
}
