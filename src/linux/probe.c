/* probe.c (touching: asks, changes nothing). See probe.h. */
#include "linux/probe.h"

#include "base/fd.h"
#include "base/lines.h"
#include "base/path.h"
#include "linux/account.h"
#include "linux/making.h"
#include "linux/mountinfo.h"
#include "linux/resolve.h"
#include "linux/sys.h"
#include "plan/bans.h"
#include "plan/names.h"
#include "plan/roots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* Errnos that say that there is nothing here for this caller. Any other leaves it open, and then nothing is started. */
static bool says_absent(int error) {
    return error == ENOENT || error == ENOTDIR || error == EACCES;
}

static int cannot_look(const char *path, int error, struct error *err) {
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked at (%s)", path,
                     error_name(error));
}

/* 1: *status is of what `path` names, links not followed; 0: it isn't there; -1: who knows. */
static int look(const char *path, struct stat *status, struct error *err) {
    if (!lstat(path, status))
        return 1;
    return says_absent(errno) ? 0 : cannot_look(path, errno, err);
}

static int probe_system(struct arena *arena, struct probe *probe, struct error *err) {
    for (size_t i = 0; roots_system[i]; i++) {
        struct stat status;
        char target[PATH_MAX];
        ssize_t size = readlink(roots_system[i], target, sizeof target - 1);
        if (size < 0 && errno == EINVAL && !lstat(roots_system[i], &status)) {
            struct place *place = S_ISDIR(status.st_mode) ? list_add(arena, &probe->system) : NULL;
            if (S_ISDIR(status.st_mode) && !place)
                return -1;
            if (place)
                *place = (struct place){
                    .path = roots_system[i], .mode = status.st_mode, .dev = status.st_dev, .ino = status.st_ino};
        } else if (size > 0) { /* /bin and the like: the same link stands in the box */
            struct link *link = list_add(arena, &probe->links);
            if (!link || !(link->target = arena_copy_bytes(arena, target, (size_t)size)))
                return -1;
            link->path = roots_system[i];
        } else if (errno != ENOENT) {
            return cannot_look(roots_system[i], errno, err);
        }
    }
    struct place cpu;
    if (resolve(arena, "/", "/sys/devices/system/cpu", &cpu, NULL))
        return -1;
    if (cpu.error && !says_absent(cpu.error))
        return cannot_look("/sys/devices/system/cpu", cpu.error, err);
    struct place *added = cpu.error ? NULL : list_add(arena, &probe->system);
    if (!cpu.error && !added)
        return -1;
    if (added)
        *added = cpu;
    static const char *const temporary[] = {"/tmp", "/var/tmp", "/run"};
    for (size_t i = 0; i < sizeof temporary / sizeof temporary[0]; i++)
        if (resolve(arena, "/", temporary[i], &probe->temporary[i], &probe->links))
            return -1;
    /* /var/run is a link on most systems, and programs use it */
    struct place run;
    return resolve(arena, "/", "/var/run", &run, &probe->links);
}

static int probe_current(struct arena *arena, struct probe *probe) {
    char path[PATH_MAX];
    if (!getcwd(path, sizeof path) || path[0] != '/') {
        probe->current.error = errno ? errno : ENOENT; /* "(unreachable)" has no leading slash */
        return 0;
    }
    return resolve(arena, "/", path, &probe->current, NULL);
}

static int probe_homes(struct arena *arena, struct probe *probe, struct error *err) {
    const char *home = getenv("HOME"), *account;
    if (account_home(arena, probe->uid, &account, err))
        return -1;
    if (!home || home[0] != '/')
        home = account ? account : "/";
    if (resolve(arena, "/", home, &probe->home, &probe->links))
        return -1;
    if (account && strcmp(account, home) == 0)
        probe->account_home = probe->home;
    else if (account && resolve(arena, "/", account, &probe->account_home, NULL))
        return -1;
    const struct place *homes[] = {&probe->home, &probe->account_home};
    for (size_t i = 0; i < 2; i++) /* its secrets would be missed */
        if (homes[i]->error && !resolve_absent(homes[i]->error))
            return cannot_look(homes[i]->path, homes[i]->error, err);
    return 0;
}

/* As look(), for what belongs to the caller or to root; what is another's isn't there. */
static int look_for_ours(const char *path, const struct probe *probe, struct error *err) {
    struct stat status;
    int found = look(path, &status, err);
    return found == 1 ? status.st_uid == probe->uid || status.st_uid == 0 : found;
}

/* The git work tree around the workspace: the nearest folder above it with a .git, unless that is a home or above one.
 * A workspace that is a repository of its own has none; one whose .git is a file belongs to another. */
static int probe_work_tree(struct arena *arena, struct probe *probe, struct error *err) {
    char path[PATH_MAX], name[PATH_MAX + 8];
    struct stat status;
    if (probe->workspace.error || strlen(probe->workspace.path) >= sizeof path)
        return 0;
    strcpy(path, probe->workspace.path);
    snprintf(name, sizeof name, "%s/.git", path);
    int found = look(name, &status, err);
    if (found < 0 || (found && S_ISDIR(status.st_mode)))
        return found < 0 ? -1 : 0;
    for (char *slash; (slash = strrchr(path, '/')) && slash != path;) {
        *slash = '\0';
        if ((probe->home.path && names_show(&probe->mounts, path, probe->home.path)) ||
            (probe->account_home.path && names_show(&probe->mounts, path, probe->account_home.path)))
            return 0;
        snprintf(name, sizeof name, "%s/.git", path);
        /* somebody else's .git in a shared folder must not open that folder to us */
        found = look_for_ours(name, probe, err);
        if (found == 1)
            found = look_for_ours(path, probe, err);
        if (found)
            return found < 0 ? -1 : resolve(arena, "/", path, &probe->work_tree, NULL);
    }
    return 0;
}

static void note_mount(struct place *place, const char *point) {
    if (place->path && !place->error && path_is_under(point, place->path) && strcmp(point, place->path) != 0)
        place->has_mounts = true;
}

static int probe_mounts(struct arena *arena, struct probe *probe, struct error *err) {
    if (!mountinfo_list(arena, &probe->mounts))
        return 0;
    return errno == ENOMEM ? -1 : cannot_look("/proc/self/mountinfo", errno, err);
}

/* Which of the folders that may be read, or are seen through an overlay, have mounts below them? */
static void note_mounts(const struct policy *policy, struct probe *probe) {
    for (size_t m = 0; m < probe->mounts.count; m++) {
        const char *point = probe->mounts.at[m].point;
        note_mount(&probe->work_tree, point);
        if (policy->mode.value != MODE_DIRECT)
            note_mount(&probe->workspace, point);
        for (size_t i = 0; i < probe->grants.count; i++)
            note_mount(&probe->grants.at[i], point);
    }
}

static int probe_bans(struct arena *arena, const struct policy *policy, struct probe *probe) {
    for (size_t i = 0; i < policy->bans.count; i++) {
        const struct ban *ban = &policy->bans.at[i];
        bool path = ban->value && (ban->kind == BAN_READ || ban->kind == BAN_WRITE || ban->kind == BAN_SOCKET);
        struct place *place = list_add(arena, &probe->bans);
        if (!place || (path && resolve(arena, "/", ban->value, place, NULL)))
            return -1;
        if (!path)
            *place = (struct place){0};
    }
    return 0;
}

static int probe_places(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err) {
    const char *here = probe->current.path && !probe->current.error ? probe->current.path : "/nowhere";
    if (policy->workspace ? resolve(arena, here, policy->workspace, &probe->workspace, &probe->links) : 0)
        return -1;
    if (!policy->workspace)
        probe->workspace = probe->current;
    for (size_t i = 0; i < policy->grants.count; i++) {
        struct place *place = list_add(arena, &probe->grants);
        const struct grant *grant = &policy->grants.at[i];
        if (!place || resolve(arena, here, grant->path, place, &probe->links) ||
            (grant->create && making_find(arena, here, grant->path, place)))
            return -1;
    }
    if (resolve(arena, "/", "/proc/self/exe", &probe->executable, NULL) || probe_bans(arena, policy, probe) ||
        probe_work_tree(arena, probe, err))
        return -1;
    if (bans_on_reading(policy, probe, &probe->work_tree))
        probe->work_tree = (struct place){0};
    note_mounts(policy, probe);
    return 0;
}

int probe_host(struct arena *arena, const struct policy *policy, struct probe *probe, struct error *err) {
    struct utsname name;
    *probe = (struct probe){.uid = getuid(), .gid = getgid()};
    if (getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid())
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: pinfold was made setuid, setgid or given file "
                         "capabilities; it needs none: install it with mode 0755");
    if (!uname(&name))
        snprintf(probe->release, sizeof probe->release, "%s", name.release);
    probe->outer_root = probe->uid == 0;
    probe->landlock_abi = sys_landlock_abi();
    if (probe->landlock_abi < 1) {
        probe->missing[STEP_LANDLOCK] = probe->landlock_abi ? errno : ENOSYS;
        probe->landlock_abi = 0;
    }
    err->status = 0;
    if (probe_current(arena, probe) || probe_homes(arena, probe, err) || probe_system(arena, probe, err) ||
        probe_mounts(arena, probe, err) || probe_places(arena, policy, probe, err) ||
        probe_descriptors(arena, policy, probe) || probe_toolchains(arena, policy, probe) ||
        probe_sockets(arena, probe) || probe_secrets(arena, policy, probe, err) ||
        probe_protect(arena, policy, probe, err))
        return err->status ? -1 : error_memory(err);
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (error_is_passing(probe->missing[i]))
            return error_set(err, EXIT_REFUSED, "refused, nothing was started: can't %s (%s)", step_text[i].what,
                             error_name(probe->missing[i]));
    return 0;
}

/* Files below `folder` that not everyone may read; a folder that not everyone may list is covered whole. */
static int private_below(struct arena *arena, struct probe *probe, const char *folder, int depth) {
    DIR *stream = opendir(folder);
    struct dirent *entry;
    int failed = 0;
    while (stream && !failed && (errno = 0, entry = readdir(stream))) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);
        if (!path)
            failed = ENOMEM;
        else if (lstat(path, &status))
            failed = errno == ENOENT ? 0 : errno;
        else if (S_ISLNK(status.st_mode))
            continue;
        else if (!(status.st_mode & (S_ISDIR(status.st_mode) ? 0001 : 0004)) || depth > 16) {
            struct place *added = list_add(arena, &probe->private_places);
            failed = added ? 0 : ENOMEM;
            if (added)
                *added = (struct place){.path = path, .mode = status.st_mode};
        } else if (S_ISDIR(status.st_mode)) {
            failed = private_below(arena, probe, path, depth + 1);
        }
    }
    if (!stream || (!failed && errno))
        failed = errno ? errno : EIO;
    if (stream)
        closedir(stream);
    return failed;
}

int probe_private_places(struct arena *arena, struct probe *probe, struct error *err) {
    probe->private_places.count = 0;
    int failed = private_below(arena, probe, "/etc", 0);
    return failed ? error_set(err, EXIT_REFUSED,
                              "refused, nothing was started: /etc can't be looked through for files "
                              "that must be covered (%s)",
                              error_name(failed))
                  : 0;
}

/* Make a child in a user namespace and `flag`; errno of the attempt, 0 when it worked. */
static int try_namespace(uint64_t flag) {
    struct clone_arguments arguments = {.flags = CLONE_NEWUSER | flag, .exit_signal = SIGCHLD};
    pid_t pid = sys_clone3_or_clone(&arguments);
    if (pid < 0)
        return errno;
    if (!pid)
        _exit(0);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

void probe_namespaces(struct probe *probe, enum step step, int error) {
    static const struct {
        enum step step;
        uint64_t flag;
    } all[] = {{STEP_USER_NAMESPACE, 0},
               {STEP_MOUNT_NAMESPACE, CLONE_NEWNS},
               {STEP_PID_NAMESPACE, CLONE_NEWPID},
               {STEP_NET_NAMESPACE, CLONE_NEWNET},
               {STEP_IPC_NAMESPACE, CLONE_NEWIPC},
               {STEP_UTS_NAMESPACE, CLONE_NEWUTS},
               {STEP_CGROUP_NAMESPACE, CLONE_NEWCGROUP}};
    bool found = false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int failed = try_namespace(all[i].flag);
        if (!failed)
            continue;
        probe->missing[all[i].step] = failed;
        found = true;
        if (all[i].step == STEP_USER_NAMESPACE)
            break;
    }
    if (!found)
        probe->missing[step] = error;
}
