/* landlock_rights.c (pure): which rights Landlock handles, and which of them a mount of the plan gets. See landlock.h.
 */
#include "linux/landlock.h"

#include "linux/uapi_landlock.h"

uint64_t landlock_known(int abi) {
    if (abi < 1)
        return 0;
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

uint64_t landlock_rights(const struct mount *mount, int abi) {
    return rights_bits(mount->rights) & landlock_known(abi) & (mount->folder ? ~UINT64_C(0) : rights_on_files);
}

uint64_t landlock_scopes(int abi) {
    return abi >= 6 ? LANDLOCK_SCOPE_ABSTRACT_UNIX | LANDLOCK_SCOPE_SIGNAL : 0;
}
