/* sys.h: the system calls that libc has no function for, or none that can be trusted between clone and exec.
 * Each returns as the kernel does through libc: -1 and errno. This is the one file with raw system calls. */
#ifndef PINFOLD_LINUX_SYS_H
#define PINFOLD_LINUX_SYS_H

#include "linux/uapi.h"
#include "linux/uapi_landlock.h"

#include <linux/filter.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* clone3, or clone where it isn't there (before 5.3, or a container's filter that knows only clone). The child gets a
 * copy of everything, as with fork. arguments->pidfd: address of an int, when flags has CLONE_PIDFD. */
pid_t sys_clone3_or_clone(struct clone_arguments *arguments);
int sys_openat2(int folder, const char *path, uint64_t flags, uint64_t resolve);
int sys_open_tree(int folder, const char *path, unsigned flags);
int sys_move_mount(int from, const char *from_path, int to, const char *to_path, unsigned flags);
int sys_fsopen(const char *type, unsigned flags);
int sys_fsconfig(int fd, unsigned command, const char *key, const void *value, int aux);
int sys_fsmount(int fd, unsigned flags, unsigned attributes);
int sys_mount_setattr(int fd, const char *path, unsigned flags, struct mount_attributes *attributes);
int sys_pivot_root(const char *new_root, const char *put_old);
int sys_birth(int at, const char *name, struct timespec *birth); /* when a file was made; links not followed. ENODATA:
                                                                  * unknown */
int sys_rename_new(int at, const char *name, int to, const char *new_name); /* EEXIST when there is something */
int sys_getdents(int fd, void *buffer, unsigned size);
int sys_close_range(unsigned first, unsigned last);
int sys_landlock_abi(void); /* the highest ABI, or -1 with ENOSYS or EOPNOTSUPP */
int sys_landlock_create_ruleset(const struct landlock_ruleset *ruleset, size_t size);
int sys_landlock_add_beneath(int ruleset, const struct landlock_beneath *rule);
int sys_landlock_restrict_self(int ruleset);
int sys_seccomp_filter(const struct sock_filter *code, unsigned short count); /* no_new_privs must be set */
long sys_keyctl_join_session(void);
long sys_keyctl_session_id(void);
int sys_capabilities_get(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable);
int sys_capabilities_clear(void);
long sys_futex_wait(const atomic_uint *at, unsigned value); /* between processes that share it */
long sys_futex_wake(const atomic_uint *at, int count);
long sys_call(long number, long a, long b, long c); /* for verify: a call that must fail */

#endif
