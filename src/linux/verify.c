/* verify.c (touching: forbidden acts that harm nothing). See verify.h.
 *
 * A refusal proves something only where the act would be allowed without the box: mkdir and chmod on a read-only mount
 * give EROFS before permission is looked at, so no other answer will do. */
#include "linux/verify_check.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/confine.h"
#include "linux/fds.h"
#include "linux/layers.h"
#include "linux/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <unistd.h>

int must_fail(const struct check *check, enum guarantee guarantee, const char *act, long result, int expected) {
    char text[512];
    int saved = errno;
    if (result < 0 && saved == expected)
        return 0;
    snprintf(text, sizeof text, "%s: %s gave %s where %s was expected", guarantee_text[guarantee].name, act,
             result < 0 ? error_name(saved) : "success", error_name(expected));
    return failure_set(check->failure, STEP_VERIFY, result < 0 ? saved : 0, text);
}

int must_be(const struct check *check, enum guarantee guarantee, const char *state, bool is) {
    char text[512];
    if (is)
        return 0;
    snprintf(text, sizeof text, "%s: %s is not so", guarantee_text[guarantee].name, state);
    return failure_set(check->failure, STEP_VERIFY, errno, text);
}

static int verify_read(const struct check *check) {
    struct stat status;
    if (must_be(check, GUARANTEE_FS_READ, "/ is another folder than the host's",
                !stat("/", &status) &&
                    (status.st_dev != check->witness->root_dev || status.st_ino != check->witness->root_ino)))
        return -1;
    if (!check->witness->hidden)
        return 0;
    autoclose int fd = openat(AT_FDCWD, check->witness->hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return must_fail(check, GUARANTEE_FS_READ, check->witness->hidden, fd, ENOENT);
}

/* Landlock is in force, whatever the mounts say: /dev/random is writable for everyone, but by no rule of ours. */
static int verify_landlock(const struct check *check) {
    if (!check->plan->taken[STEP_LANDLOCK] || !layer_on(STEP_LANDLOCK))
        return 0;
    autoclose int fd = openat(AT_FDCWD, "/dev/random", O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    return must_fail(check, GUARANTEE_FS_WRITE, "opening /dev/random for writing", fd, EACCES);
}

static int verify_readonly(const struct check *check, const char *folder) {
    char path[4096];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/.pinfold-verify", strcmp(folder, "/") ? folder : "") >= (int)sizeof path)
        return 0; /* no longer path can be made inside either */
    /* a folder that may not even be passed through answers EACCES first; then nothing below it can be made by anyone
     * here */
    bool passable = !access(folder, X_OK) || errno != EACCES;
    if (passable && must_fail(check, GUARANTEE_FS_WRITE, path, mkdir(path, 0700), EROFS))
        return -1;
    if (must_be(check, GUARANTEE_FS_METADATA, folder, !stat(folder, &status)))
        return -1;
    return must_fail(check, GUARANTEE_FS_METADATA, folder, chmod(folder, status.st_mode & 07777), EROFS);
}

static int verify_mounts(const struct check *check) {
    if (!check->plan->taken[STEP_MOUNTS_READONLY] || !layer_on(STEP_MOUNTS_READONLY))
        return 0;
    if (verify_readonly(check, "/"))
        return -1;
    for (size_t i = 0; i < check->plan->mounts.count; i++) {
        const struct mount *mount = &check->plan->mounts.at[i];
        if (mount->kind == MOUNT_TREE && mount->folder && !mount->writable && verify_readonly(check, mount->target))
            return -1;
    }
    return 0;
}

/* The workspace as its mode has it: nothing can be made in it; or it is an overlay, and not the folder that was bound
 * into that. */
static int verify_workspace(const struct check *check) {
    const struct plan *plan = check->plan;
    struct statfs system;
    struct stat status;
    if (plan->policy->mode.value == MODE_READONLY && layer_on(STEP_MOUNTS_READONLY))
        return verify_readonly(check, plan->workspace);
    if (plan->policy->mode.value != MODE_DISCARD)
        return 0;
    return must_be(check, GUARANTEE_FS_WRITE, "the workspace is an overlay",
                   !statfs(plan->workspace, &system) && system.f_type == OVERLAYFS_SUPER_MAGIC) ||
                   must_be(check, GUARANTEE_FS_WRITE, "the workspace is another folder than the host's",
                           !stat(plan->workspace, &status) && status.st_dev != plan->probe->workspace.dev)
               ? -1
               : 0;
}

static int verify_namespaces(const struct check *check) {
    const ino_t *outside = check->witness->namespaces;
    ino_t inside[WITNESS_NAMESPACES];
    if (must_be(check, GUARANTEE_PROCESS, "its namespaces can be looked at", !witness_namespaces(inside)))
        return -1;
    for (size_t i = 0; i < WITNESS_NAMESPACES; i++) {
        enum step step = witness_namespace[i].step;
        if (check->plan->taken[step] && layer_on(step) && outside[i] &&
            must_be(check, GUARANTEE_PROCESS, witness_namespace[i].name, inside[i] && inside[i] != outside[i]))
            return -1;
    }
    return 0;
}

static int verify_network(const struct check *check) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(53)};
    if (!check->plan->taken[STEP_NET_NAMESPACE] || !layer_on(STEP_NET_NAMESPACE))
        return 0;
    inet_pton(AF_INET, "198.51.100.1", &address.sin_addr); /* RFC 5737: for documentation, nobody's */
    autoclose int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (must_be(check, GUARANTEE_NET_EGRESS, "a UDP socket can be made", udp >= 0) ||
        must_fail(check, GUARANTEE_NET_EGRESS, "UDP connect to 198.51.100.1",
                  connect(udp, (struct sockaddr *)&address, sizeof address), ENETUNREACH))
        return -1;
    if (!check->witness->port)
        return 0;
    address.sin_port = htons(check->witness->port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    autoclose int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (must_be(check, GUARANTEE_NET_LOCAL, "a TCP socket can be made", tcp >= 0))
        return -1;
    return must_fail(check, GUARANTEE_NET_LOCAL, "TCP connect to pinfold's listener on the host's loopback",
                     connect(tcp, (struct sockaddr *)&address, sizeof address), ECONNREFUSED);
}

static int verify_sockets(const struct check *check) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (check->witness->socket < 0 || !layer_on(STEP_NET_NAMESPACE))
        return 0;
    memcpy(address.sun_path + 1, check->witness->abstract, check->witness->abstract_size);
    autoclose int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (must_be(check, GUARANTEE_UNIX_SOCKET, "a unix socket can be made", fd >= 0))
        return -1;
    socklen_t size = (socklen_t)(sizeof address.sun_family + 1 + check->witness->abstract_size);
    return must_fail(check, GUARANTEE_UNIX_SOCKET, "connect to pinfold's own socket",
                     connect(fd, (struct sockaddr *)&address, size), ECONNREFUSED);
}

static int verify_others(const struct check *check) {
    /* the supervisor's number, unless the box has a process of that number itself */
    if (check->witness->supervisor > 2 &&
        must_fail(check, GUARANTEE_PROCESS, "a signal to pinfold", kill(check->witness->supervisor, 0), ESRCH))
        return -1;
    if (must_be(check, GUARANTEE_PROCESS, "the command is process 2 of the box", getpid() == 2) ||
        must_be(check, GUARANTEE_PROCESS, "it has a session of its own",
                !layer_on(STEP_SESSION) || getsid(0) == getpid()))
        return -1;
    return 0;
}

static bool capabilities_taken(const struct check *check) {
    return check->plan->taken[STEP_CAPABILITIES] && layer_on(STEP_CAPABILITIES);
}

static int verify_capabilities(const struct check *check) {
    return must_be(check, GUARANTEE_PRIVILEGE, "every capability set is empty",
                   !capabilities_taken(check) || !confine_capabilities_empty());
}

static int verify_privilege(const struct check *check) {
    const struct plan *plan = check->plan;
    uid_t uids[3];
    gid_t gids[3];
    if (must_be(check, GUARANTEE_PRIVILEGE, "no_new_privs is set", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) ||
        must_be(check, GUARANTEE_PRIVILEGE, "the bounding set is empty",
                !capabilities_taken(check) || !confine_bounding_empty()) ||
        must_be(check, GUARANTEE_PRIVILEGE, "securebits are locked",
                !capabilities_taken(check) || prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) == CONFINED_SECUREBITS))
        return -1;
    return must_be(check, GUARANTEE_PRIVILEGE, "the ids are the caller's own",
                   !getresuid(&uids[0], &uids[1], &uids[2]) && !getresgid(&gids[0], &gids[1], &gids[2]) &&
                       uids[0] == plan->probe->uid && uids[1] == uids[0] && uids[2] == uids[0] &&
                       gids[0] == (plan->root_mapped ? 0 : plan->probe->gid) && gids[1] == gids[0] &&
                       gids[2] == gids[0]);
}

/* The host id behind the box's: a root caller's must not be 0, unless that was given up by name. */
static int verify_map(const struct check *check, const char *path) {
    char text[256];
    unsigned inside, outside, count;
    autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : fd_read_all(fd, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    bool read = sscanf(text, "%u %u %u", &inside, &outside, &count) == 3;
    return must_be(check, GUARANTEE_PRIVILEGE, "the box's ids are mapped as planned",
                   read &&
                       (!check->plan->root_mapped || (inside == 0 && count == check->plan->id_count && outside != 0)));
}

static int verify_ids(const struct check *check) {
    return verify_map(check, "/proc/self/uid_map") ||
                   (check->plan->root_mapped && verify_map(check, "/proc/self/gid_map"))
               ? -1
               : 0;
}

/* What exec will be given: every name is allowed or was asked for. */
static int verify_environment(const struct check *check) {
    const struct environment *environment = &check->plan->environment;
    for (size_t i = 0; i < environment->kept.count; i++) {
        const char *entry = environment->kept.at[i];
        size_t size = strcspn(entry, "=");
        if (must_be(check, GUARANTEE_ENVIRONMENT, "each variable is granted",
                    environment_allows(entry, size) || environment_asked_for(check->plan->policy, entry, size)))
            return -1;
    }
    return must_be(check, GUARANTEE_ENVIRONMENT, "the list of variables ends where it should",
                   !environment->kept.at[environment->kept.count]);
}

static int verify_kernel(const struct check *check) {
    if (!check->plan->taken[STEP_SECCOMP] || !layer_on(STEP_SECCOMP))
        return 0;
    return must_be(check, GUARANTEE_KERNEL_SURFACE, "a filter is installed", prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2) ||
                   must_fail(check, GUARANTEE_KERNEL_SURFACE, "bpf", sys_call(SYS_bpf, -1, 0, 0), EPERM) ||
                   must_fail(check, GUARANTEE_KERNEL_SURFACE, "keyctl", sys_call(SYS_keyctl, 0, -3, 0), EPERM) ||
                   must_fail(check, GUARANTEE_KERNEL_SURFACE, "unshare of a user namespace",
                             sys_call(SYS_unshare, 0x10000000, 0, 0), EPERM) ||
                   must_fail(check, GUARANTEE_KERNEL_SURFACE, "an unknown call",
                             sys_call(CALL_HIGHEST_KNOWN + 1, -1, -1, -1), ENOSYS)
               ? -1
               : 0;
}

static int take_all(const struct check *check, int (*const *checks)(const struct check *), size_t count) {
    for (size_t i = 0; i < count; i++)
        if (checks[i](check))
            return -1;
    return 0;
}

int verify_process(const struct plan *plan, const struct witness *witness, struct failure *failure) {
    const struct check check = {plan, witness, failure};
    static int (*const checks[])(const struct check *) = {verify_kernel,  verify_namespaces, verify_network,
                                                          verify_sockets, verify_others,     verify_privilege,
                                                          verify_ids,     verify_environment};
    return take_all(&check, checks, sizeof checks / sizeof checks[0]);
}

int verify_files(const struct plan *plan, const struct witness *witness, const int *expected, size_t count,
                 struct failure *failure) {
    const struct check check = {plan, witness, failure};
    static int (*const checks[])(const struct check *) = {
        verify_capabilities, verify_read,     verify_landlock, verify_mounts,  verify_workspace,
        verify_covers,       verify_sessions, verify_places,   verify_secrets, verify_protected};
    if (take_all(&check, checks, sizeof checks / sizeof checks[0]))
        return -1;
    return must_be(&check, GUARANTEE_DESCRIPTORS, "only granted descriptors are open",
                   !layer_on(STEP_DESCRIPTORS) || !fds_are(expected, count));
}
