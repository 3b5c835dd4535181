/* facts.c (pure): which kind of host do the facts make? See facts.h. */
#include "plan/facts.h"

#include <errno.h>
#include <string.h>

const char *const facts_limit[FACTS_LIMITS] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"};

static const struct {
    const char *name, *words;
} kinds[HOST_KINDS] = {
    [HOST_PLAIN] = {"plain", "host"},
    [HOST_WSL1] = {"wsl1", "WSL 1"},
    [HOST_WSL2] = {"wsl2", "WSL 2"},
    [HOST_CHROOT] = {"chroot", "chroot"},
    [HOST_USER_NAMESPACE] = {"user-namespace", "user namespace"},
    [HOST_CONTAINER] = {"container", "container"},
    [HOST_DOCKER] = {"docker", "Docker container"},
    [HOST_PODMAN] = {"podman", "Podman container"},
    [HOST_KUBERNETES] = {"kubernetes", "Kubernetes pod"},
    [HOST_LXC] = {"lxc", "LXC container"},
    [HOST_NSPAWN] = {"systemd-nspawn", "systemd-nspawn container"},
    [HOST_GVISOR] = {"gvisor", "gVisor"},
};

const char *facts_kind(enum host_kind kind) {
    return kinds[kind].name;
}

bool facts_contained(const struct facts *facts) {
    return facts->kind >= HOST_CONTAINER && facts->kind < HOST_KINDS;
}

bool facts_labelled(const struct facts *facts) {
    return facts->selinux || (facts->label && *facts->label && strncmp(facts->label, "unconfined", 10) != 0);
}

int facts_note(struct arena *arena, struct facts *facts, const char *source, const char *says) {
    struct evidence *added = list_add(arena, &facts->evidence);
    if (!added)
        return -1;
    *added = (struct evidence){arena_copy(arena, source), arena_copy(arena, says)};
    return added->source && added->says ? 0 : -1;
}

static bool says(const char *text, const char *word) {
    return text && strstr(text, word);
}

/* gVisor's kernel gives this as its version in every release. */
static bool is_gvisor(const struct facts *facts) {
    return says(facts->version, "gVisor") || says(facts->version, "#1 SMP Sun Jan 10 15:06:54 PST 2016");
}

/* An image that was booted as a machine keeps its /.dockerenv: alone it proves nothing in the first namespaces. */
static enum host_kind judge_kind(const struct facts *facts) {
    static const struct {
        const char *manager;
        enum host_kind kind;
    } managers[] = {{"kube", HOST_KUBERNETES}, {"docker", HOST_DOCKER},         {"podman", HOST_PODMAN},
                    {"lxc", HOST_LXC},         {"systemd-nspawn", HOST_NSPAWN}, {"", HOST_CONTAINER}};
    if (is_gvisor(facts))
        return HOST_GVISOR;
    for (size_t i = 0; facts->manager && i < sizeof managers / sizeof managers[0]; i++)
        if (strncmp(facts->manager, managers[i].manager, strlen(managers[i].manager)) == 0)
            return managers[i].kind;
    if (facts->docker_file && facts->foreign_namespaces)
        return HOST_DOCKER;
    if (facts->docker_like || (facts->foreign_namespaces && !facts->user_namespace))
        return HOST_CONTAINER;
    if (facts->user_namespace)
        return HOST_USER_NAMESPACE;
    if (facts->chrooted)
        return HOST_CHROOT;
    return says(facts->version, "WSL2")        ? HOST_WSL2
           : says(facts->version, "Microsoft") ? HOST_WSL1
           : says(facts->version, "microsoft") ? HOST_WSL2
                                               : HOST_PLAIN;
}

/* In words, with what hardens it. NULL when out of memory. */
static const char *judge_words(struct arena *arena, const struct facts *facts) {
    const char *base = kinds[facts->kind].words, *system = facts->system ? facts->system : "Linux";
    bool apparmor = facts_labelled(facts) || facts->userns_apparmor > 0;
    const char *rootless = facts->kind == HOST_PODMAN && facts->rootless ? ", rootless" : "";
    const char *profile = facts_contained(facts) && facts->docker_like ? " with a Docker-like profile" : "";
    const char *image = facts->kind == HOST_PLAIN && facts->docker_file ? ", booted from a container's image" : "";
    const char *hardened = facts->selinux ? ", hardened by SELinux" : apparmor ? ", hardened by AppArmor" : "";
    return arena_printf(arena, "%s%s%s%s%s%s%s%s%s", facts->kind == HOST_PLAIN ? "plain " : "",
                        facts->kind == HOST_PLAIN ? system : base, facts->kind == HOST_PLAIN ? " host" : "", rootless,
                        profile, image, hardened, facts->ci ? ", in " : "", facts->ci ? facts->ci : "");
}

int facts_judge(struct arena *arena, struct facts *facts) {
    int marks = (facts->seccomp == 2) + (facts->covered.count > 0) + !(facts->bounding >> FACTS_SYS_ADMIN & 1);
    facts->docker_like = marks >= (facts->foreign_namespaces || facts->user_namespace || facts->manager ? 2 : 3);
    facts->kind = judge_kind(facts);
    facts->words = judge_words(arena, facts);
    return facts->words ? 0 : -1;
}

int facts_refused(struct arena *arena, struct facts *facts, int error) {
    bool explained = facts->seccomp == 2 || facts_labelled(facts) || facts_contained(facts) || facts->chrooted ||
                     (facts->uid && (facts->userns_clone == 0 || facts->userns_apparmor > 0));
    if (error != EPERM || explained)
        return 0;
    facts->chrooted = true;
    return facts_note(arena, facts, "clone", "EPERM, and nothing that is seen forbids it") || facts_judge(arena, facts)
               ? -1
               : 0;
}
