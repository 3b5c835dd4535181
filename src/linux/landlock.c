/* landlock.c (touching: Landlock). See landlock.h. */
#include "linux/landlock.h"

#include "base/fd.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>

/* The filesystem rights that an ABI knows. */
static uint64_t rights_of_abi(int abi) {
    uint64_t rights = LANDLOCK_REFER - 1;
    rights |= abi >= 2 ? LANDLOCK_REFER : 0;
    rights |= abi >= 3 ? LANDLOCK_TRUNCATE : 0;
    rights |= abi >= 5 ? LANDLOCK_IOCTL_DEV : 0;
    rights |= abi >= 9 ? LANDLOCK_RESOLVE_UNIX : 0;
    return rights;
}

static const uint64_t rights_on_files = LANDLOCK_EXECUTE | LANDLOCK_WRITE_FILE | LANDLOCK_READ_FILE |
                                        LANDLOCK_TRUNCATE | LANDLOCK_IOCTL_DEV | LANDLOCK_RESOLVE_UNIX;

static uint64_t rights_bits(enum rights rights) {
    const uint64_t read = LANDLOCK_READ_FILE | LANDLOCK_READ_DIR;
    const uint64_t change = LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE | LANDLOCK_REMOVE_DIR | LANDLOCK_REMOVE_FILE |
                            LANDLOCK_MAKE_DIR | LANDLOCK_MAKE_REG | LANDLOCK_MAKE_SOCK | LANDLOCK_MAKE_FIFO |
                            LANDLOCK_MAKE_SYM | LANDLOCK_REFER;
    switch (rights) {
    case RIGHTS_READ:
        return read | LANDLOCK_EXECUTE;
    case RIGHTS_WRITE:
        return read | LANDLOCK_EXECUTE | change;
    case RIGHTS_PROC:
        return read | LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE;
    case RIGHTS_DEVICE:
        return read | LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE | LANDLOCK_IOCTL_DEV;
    case RIGHTS_RANDOM:
        return LANDLOCK_READ_FILE;
    case RIGHTS_SOCKET:
        return LANDLOCK_RESOLVE_UNIX;
    default:
        return 0;
    }
}

static int make_ruleset(int abi, uint64_t files, uint64_t ports) {
    struct landlock_ruleset ruleset = {.handled_access_fs = files, .handled_access_net = ports};
    if (abi >= 6)
        ruleset.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX | LANDLOCK_SCOPE_SIGNAL;
    size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    return sys_landlock_create_ruleset(&ruleset, size);
}

static int add_rule(int ruleset, const char *path, uint64_t rights) {
    autoclose int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -1;
    if (!rights)
        return 0;
    struct landlock_beneath rule = {.allowed_access = rights, .parent_fd = fd};
    return sys_landlock_add_beneath(ruleset, &rule);
}

int landlock_apply(const struct plan *plan) {
    int abi = plan->probe->landlock_abi;
    uint64_t known = rights_of_abi(abi);
    autoclose int ruleset = make_ruleset(abi, known, 0);
    if (ruleset < 0)
        return -1;
    /* Every folder on the way to a root can be opened and listed: what is in it is the box's own. */
    if (add_rule(ruleset, "/", LANDLOCK_READ_DIR))
        return -1;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        uint64_t rights = rights_bits(mount->rights) & known & (mount->folder ? ~UINT64_C(0) : rights_on_files);
        if (mount->rights != RIGHTS_NONE && add_rule(ruleset, mount->target, rights))
            return -1;
    }
    return sys_landlock_restrict_self(ruleset);
}

int landlock_close(int abi) {
    uint64_t ports = abi >= 4 ? LANDLOCK_BIND_TCP | LANDLOCK_CONNECT_TCP : 0;
    autoclose int ruleset = make_ruleset(abi, rights_of_abi(abi), ports);
    return ruleset < 0 ? -1 : sys_landlock_restrict_self(ruleset);
}
