/* facts.c (touching: reads /proc, /sys, /etc, /run). See linux/facts.h. */
#include "linux/facts.h"

#include "base/fd.h"
#include "base/lines.h"
#include "base/path.h"
#include "linux/mountinfo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of a file; NULL when it can't be read or is empty. */
static const char *read_line(struct arena *arena, const char *path) {
    char text[2048];
    autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : fd_read_all(fd, text, sizeof text - 1);
    if (size <= 0)
        return NULL;
    text[size] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return *text ? arena_copy(arena, text) : NULL;
}

static long read_number(struct arena *arena, const char *path) {
    const char *text = read_line(arena, path);
    return text ? strtol(text, NULL, 10) : -1;
}

/* What follows `name` on the first line of a file that begins with it; NULL when there is none. */
static const char *read_field(struct arena *arena, const char *path, const char *name) {
    struct lines lines;
    const char *found = NULL;
    if (lines_open(&lines, path))
        return NULL;
    for (char *line; !found && (line = lines_next(&lines));)
        if (strncmp(line, name, strlen(name)) == 0)
            found = arena_copy(arena, line + strlen(name) + strspn(line + strlen(name), " \t\""));
    lines_close(&lines);
    return found;
}

static long read_field_number(struct arena *arena, const char *path, const char *name, int base) {
    const char *text = read_field(arena, path, name);
    return text ? (long)strtoul(text, NULL, base) : -1;
}

/* The kernel's first namespaces have numbers that never change. */
static int gather_namespaces(struct arena *arena, struct facts *facts) {
    static const struct {
        const char *path;
        ino_t first;
        bool user;
    } all[] = {{"/proc/self/ns/user", 0xEFFFFFFD, true},
               {"/proc/self/ns/pid", 0xEFFFFFFC, false},
               {"/proc/self/ns/ipc", 0xEFFFFFFF, false},
               {"/proc/self/ns/uts", 0xEFFFFFFE, false},
               {"/proc/self/ns/cgroup", 0xEFFFFFFB, false}};
    int failed = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct stat status;
        if (stat(all[i].path, &status) || status.st_ino == all[i].first)
            continue;
        if (all[i].user)
            facts->user_namespace = true;
        else
            facts->foreign_namespaces = true;
        failed |= facts_note(arena, facts, all[i].path, "not the kernel's first");
    }
    return failed;
}

/* Parts of /proc that something is mounted over; no mount at / is a chroot. */
static int gather_mounts(struct arena *arena, struct facts *facts) {
    struct lines table;
    struct mountinfo mount;
    struct stat ours, first;
    bool root = false;
    int failed = 0;
    if (mountinfo_open(&table))
        return 0;
    while (!failed && mountinfo_next(&table, &mount)) {
        root |= strcmp(mount.point, "/") == 0;
        /* an empty folder that is there to be mounted on hides nothing */
        if (!path_is_under(mount.point, "/proc") || strcmp(mount.point, "/proc") == 0 ||
            path_is_under(mount.point, "/proc/sys/fs/binfmt_misc") || path_is_under(mount.point, "/proc/fs/nfsd"))
            continue;
        const char *point = arena_copy(arena, mount.point);
        failed |= !point || text_add(arena, &facts->covered, point) ||
                  facts_note(arena, facts, "/proc/self/mountinfo", arena_printf(arena, "a mount at %s", mount.point));
    }
    lines_close(&table);
    facts->chrooted = !root || (!facts->foreign_namespaces && !stat("/proc/1/root/", &first) && !stat("/", &ours) &&
                                (first.st_dev != ours.st_dev || first.st_ino != ours.st_ino));
    return failed || (facts->chrooted && facts_note(arena, facts, "/", "not the root of its mount namespace"));
}

static int gather_security(struct arena *arena, struct facts *facts) {
    int failed = 0;
    facts->seccomp = read_field_number(arena, "/proc/self/status", "Seccomp:", 10);
    facts->bounding = (uint64_t)read_field_number(arena, "/proc/self/status", "CapBnd:", 16);
    facts->label = read_line(arena, "/proc/self/attr/current");
    facts->modules = read_line(arena, "/sys/kernel/security/lsm");
    facts->selinux = read_number(arena, "/sys/fs/selinux/enforce") == 1;
    facts->userns_clone = read_number(arena, "/proc/sys/kernel/unprivileged_userns_clone");
    facts->userns_apparmor = read_number(arena, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if (facts->seccomp > 0)
        failed |= facts_note(arena, facts, "Seccomp in /proc/self/status", facts->seccomp == 2 ? "2, a filter" : "1");
    if (!(facts->bounding >> FACTS_SYS_ADMIN & 1))
        failed |= facts_note(arena, facts, "CapBnd in /proc/self/status", "without CAP_SYS_ADMIN");
    if (read_field_number(arena, "/proc/self/status", "NoNewPrivs:", 10) == 1)
        failed |= facts_note(arena, facts, "NoNewPrivs in /proc/self/status", "1");
    if (facts->label)
        failed |= facts_note(arena, facts, "/proc/self/attr/current", facts->label);
    if (facts->selinux)
        failed |= facts_note(arena, facts, "/sys/fs/selinux/enforce", "1");
    if (facts->userns_apparmor > 0)
        failed |= facts_note(arena, facts, "kernel.apparmor_restrict_unprivileged_userns", "1");
    return failed;
}

static const char *find_variable(char *const *caller, const char *name) {
    size_t size = strlen(name);
    for (; *caller; caller++)
        if (strncmp(*caller, name, size) == 0 && (*caller)[size] == '=' && (*caller)[size + 1])
            return *caller + size + 1;
    return NULL;
}

/* Who says that this is a container, from the surest to the vaguest. */
static int gather_manager(struct arena *arena, char *const *caller, struct facts *facts) {
    static const char *const managers[] = {"/run/host/container-manager", "/run/systemd/container"};
    static const char *const groups[] = {"kubepods", "docker", "libpod", "lxc"}, *const named[] = {"kube", "docker",
                                                                                                   "podman", "lxc"};
    const char *source = NULL, *group = read_line(arena, "/proc/self/cgroup");
    if (!access("/var/run/secrets/kubernetes.io/serviceaccount", F_OK))
        source = "/var/run/secrets/kubernetes.io/serviceaccount", facts->manager = "kube";
    else if (find_variable(caller, "KUBERNETES_SERVICE_HOST"))
        source = "KUBERNETES_SERVICE_HOST", facts->manager = "kube";
    else if (!access("/run/.containerenv", F_OK))
        source = "/run/.containerenv", facts->manager = "podman";
    for (size_t i = 0; !source && i < sizeof managers / sizeof managers[0]; i++)
        if ((facts->manager = read_line(arena, managers[i])))
            source = managers[i];
    if (!source && (facts->manager = find_variable(caller, "container")))
        source = "variable container";
    for (size_t i = 0; !source && group && i < sizeof groups / sizeof groups[0]; i++)
        if (strstr(group, groups[i]))
            source = "/proc/self/cgroup", facts->manager = named[i];
    facts->rootless = read_field_number(arena, "/run/.containerenv", "rootless=", 10) == 1;
    facts->docker_file = !access("/.dockerenv", F_OK);
    return (source && facts_note(arena, facts, source, facts->manager)) ||
           (facts->docker_file && facts_note(arena, facts, "/.dockerenv", "is there"));
}

static int gather_ci(struct arena *arena, char *const *caller, struct facts *facts) {
    static const struct {
        const char *variable, *service;
    } all[] = {{"GITHUB_ACTIONS", "GitHub Actions"},
               {"GITLAB_CI", "GitLab CI"},
               {"CIRCLECI", "CircleCI"},
               {"BUILDKITE", "Buildkite"},
               {"TF_BUILD", "Azure Pipelines"},
               {"JENKINS_URL", "Jenkins"},
               {"TRAVIS", "Travis CI"},
               {"BITBUCKET_BUILD_NUMBER", "Bitbucket Pipelines"},
               {"CODEBUILD_BUILD_ID", "AWS CodeBuild"},
               {"CIRRUS_CI", "Cirrus CI"},
               {"DRONE", "Drone"},
               {"TEAMCITY_VERSION", "TeamCity"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (find_variable(caller, all[i].variable)) {
            facts->ci = all[i].service;
            return facts_note(arena, facts, arena_printf(arena, "variable %s", all[i].variable), "is set");
        }
    return 0;
}

static long limit_of(int resource) {
    struct rlimit now;
    return getrlimit(resource, &now) || now.rlim_cur > INT32_MAX ? -1 : (long)now.rlim_cur;
}

static void gather_settings(struct arena *arena, struct facts *facts) {
    for (size_t i = 0; i < FACTS_LIMITS; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/sys/user/max_%s_namespaces", facts_limit[i]);
        facts->most[i] = read_number(arena, path);
    }
    facts->core_pattern = read_line(arena, "/proc/sys/kernel/core_pattern");
    facts->panic_on_oom = read_number(arena, "/proc/sys/vm/panic_on_oom");
    facts->oom_kills_asker = read_number(arena, "/proc/sys/vm/oom_kill_allocating_task");
    facts->swap_kib = read_field_number(arena, "/proc/meminfo", "SwapTotal:", 10);
    facts->open_files = limit_of(RLIMIT_NOFILE);
    facts->processes = limit_of(RLIMIT_NPROC);
}

/* The option hidepid of the /proc that is seen: evidence only. */
static int gather_hidepid(struct arena *arena, struct facts *facts) {
    struct lines lines;
    int failed = 0;
    if (lines_open(&lines, "/proc/self/mounts"))
        return 0;
    for (char *line; (line = lines_next(&lines));) {
        char *option = strstr(line, " /proc proc ") ? strstr(line, "hidepid=") : NULL;
        if (!option)
            continue;
        option[strcspn(option, ", ")] = '\0';
        failed = facts_note(arena, facts, "/proc/self/mounts", option);
    }
    lines_close(&lines);
    return failed;
}

int facts_gather(struct arena *arena, char *const *caller, struct facts *facts) {
    *facts = (struct facts){.uid = getuid()};
    char *system = (char *)read_field(arena, "/etc/os-release", "PRETTY_NAME=");
    if (system)
        system[strcspn(system, "\"\n")] = '\0';
    facts->system = system;
    facts->version = read_line(arena, "/proc/version");
    gather_settings(arena, facts);
    if ((facts->version && facts_note(arena, facts, "/proc/version", facts->version)) ||
        gather_namespaces(arena, facts) || gather_mounts(arena, facts) || gather_hidepid(arena, facts) ||
        gather_security(arena, facts) || gather_manager(arena, caller, facts) || gather_ci(arena, caller, facts))
        return -1;
    return facts_judge(arena, facts);
}
