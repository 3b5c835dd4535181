/* landlock.c (touching: Landlock). See landlock.h. */
#include "linux/landlock.h"

#include "base/fd.h"
#include "linux/lookup.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>

static int make_ruleset(int abi, uint64_t files, uint64_t ports) {
    struct landlock_ruleset ruleset = {
        .handled_access_fs = files, .handled_access_net = ports, .scoped = landlock_scopes(abi)};
    size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    return sys_landlock_create_ruleset(&ruleset, size);
}

/* In a folder that a session keeps another box can have put a link on the way; elsewhere only pinfold has been. */
static int add_rule(int ruleset, const char *path, uint64_t rights, bool session) {
    autoclose int fd = session ? lookup_open(AT_FDCWD, path) : openat(AT_FDCWD, path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        errno = session ? ESTALE : errno; /* it was there a moment ago: nothing that this host lacks */
        return -1;
    }
    if (!rights)
        return 0;
    struct landlock_beneath rule = {.allowed_access = rights, .parent_fd = fd};
    return sys_landlock_add_beneath(ruleset, &rule);
}

int landlock_apply(const struct plan *plan) {
    int abi = plan->probe->landlock_abi;
    bool session = false;
    autoclose int ruleset = make_ruleset(abi, landlock_known(abi), 0);
    if (ruleset < 0)
        return -1;
    /* Every folder on the way to a root can be opened and listed: what is in it is the box's own. */
    if (add_rule(ruleset, "/", LANDLOCK_READ_DIR, false))
        return -1;
    for (size_t i = 0; i < plan->mounts.count; i++) {
        const struct mount *mount = &plan->mounts.at[i];
        session |= mount->session; /* what stands in it comes later */
        if (mount->rights != RIGHTS_NONE && add_rule(ruleset, mount->target, landlock_rights(mount, abi), session))
            return -1;
    }
    return sys_landlock_restrict_self(ruleset);
}

int landlock_close(int abi) {
    uint64_t ports = abi >= 4 ? LANDLOCK_BIND_TCP | LANDLOCK_CONNECT_TCP : 0;
    autoclose int ruleset = make_ruleset(abi, landlock_known(abi), ports);
    return ruleset < 0 ? -1 : sys_landlock_restrict_self(ruleset);
}
