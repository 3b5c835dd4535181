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
    {"/proc/self/ns/user", STEP_USER_NAMESPACE},     {"/proc/self/ns/mnt", STEP_MOUNT_NAMESPACE},
    {"/proc/self/ns/pid", STEP_PID_NAMESPACE},       {"/proc/self/ns/net", STEP_NET_NAMESPACE},
    {"/proc/self/ns/ipc", STEP_IPC_NAMESPACE},       {"/proc/self/ns/uts", STEP_UTS_NAMESPACE},
    {"/proc/self/ns/cgroup", STEP_CGROUP_NAMESPACE},
};

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
    for (size_t i = 0; i < WITNESS_NAMESPACES; i++) {
        int failed = stat(witness_namespace[i].path, &status);
        if (failed && errno != ENOENT) /* a kernel without this kind of namespace, or no /proc: then the id maps fail */
            return -1;
        witness->namespaces[i] = failed ? 0 : status.st_ino;
    }
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
