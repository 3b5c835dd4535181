/* witness.c (touching: namespaces' identity, two sockets of our own). See witness.h. */
#include "linux/witness.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

const struct witness_namespace witness_namespace[WITNESS_NAMESPACES] = {
    {"user", STEP_USER_NAMESPACE},     {"mnt", STEP_MOUNT_NAMESPACE}, {"pid", STEP_PID_NAMESPACE},
    {"net", STEP_NET_NAMESPACE},       {"ipc", STEP_IPC_NAMESPACE},   {"uts", STEP_UTS_NAMESPACE},
    {"cgroup", STEP_CGROUP_NAMESPACE},
};

int witness_namespaces(ino_t *namespaces) {
    struct stat status;
    autoclose int folder = openat(AT_FDCWD, "/proc/self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < WITNESS_NAMESPACES; i++) {
        int failed = folder < 0 ? -1 : fstatat(folder, witness_namespace[i].name, &status, 0);
        if (failed && errno != ENOENT)
            return -1;
        namespaces[i] = failed ? 0 : status.st_ino;
    }
    return 0;
}

/* A folder that most hosts have, that this user can list, and that the plan doesn't show. */
static const char *find_hidden(const struct plan *plan) {
    static const char *const candidates[] = {"/var/lib", "/var/log", "/boot", "/srv", "/mnt", "/media"};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        bool shown = false;
        for (size_t j = 0; j < plan->mounts.count; j++)
            shown |= path_is_under(candidates[i], plan->mounts.at[j].target) ||
                     path_is_under(plan->mounts.at[j].target, candidates[i]);
        autoclose int fd = shown ? -1 : openat(AT_FDCWD, candidates[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            return candidates[i];
    }
    return NULL;
}

/* An abstract unix socket: the kernel picks a free name. */
static int open_socket(struct witness *witness) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof address;
    witness->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (witness->socket < 0 || bind(witness->socket, (struct sockaddr *)&address, sizeof address.sun_family) ||
        getsockname(witness->socket, (struct sockaddr *)&address, &size))
        return -1;
    witness->abstract_size = size - sizeof address.sun_family - 1;
    if (witness->abstract_size == 0 || witness->abstract_size > sizeof witness->abstract) {
        errno = EPROTO;
        return -1;
    }
    memcpy(witness->abstract, address.sun_path + 1, witness->abstract_size);
    return 0;
}

/* A TCP listener on loopback that nobody is meant to reach; a host without IPv4 loopback has none. */
static void open_listener(struct witness *witness) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    witness->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (witness->listener >= 0 && !bind(witness->listener, (struct sockaddr *)&address, size) &&
        !listen(witness->listener, 1) && !getsockname(witness->listener, (struct sockaddr *)&address, &size))
        witness->port = ntohs(address.sin_port);
    else
        fd_close(&witness->listener);
}

int witness_open(const struct plan *plan, struct witness *witness) {
    struct stat status;
    *witness = (struct witness){.supervisor = getpid(), .socket = -1, .listener = -1};
    /* without /proc there are none: then the id maps fail */
    if (witness_namespaces(witness->namespaces))
        return -1;
    if (stat("/", &status))
        return -1;
    witness->root_dev = status.st_dev;
    witness->root_ino = status.st_ino;
    witness->session_keyring = sys_keyctl_session_id();
    witness->hidden = find_hidden(plan);
    if (plan->taken[STEP_NET_NAMESPACE]) {
        if (open_socket(witness))
            return -1;
        open_listener(witness);
    }
    return 0;
}

void witness_close(struct witness *witness) {
    fd_close(&witness->socket);
    fd_close(&witness->listener);
}
