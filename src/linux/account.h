/* account.h: what the passwd file says of a uid. Not $HOME, which whoever starts pinfold can set as they like. */
#ifndef PINFOLD_LINUX_ACCOUNT_H
#define PINFOLD_LINUX_ACCOUNT_H

#include "base/arena.h"
#include "base/error.h"

/* The home of the caller, see account_home. 126 also when the kernel doesn't say the same uid twice: a filter that
 * answers getuid would otherwise take the caller's policy away. */
int account_home_of_caller(struct arena *arena, const char **home, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* *home is the home of this uid in /etc/passwd, an absolute path in the arena, or NULL when the file has none for it
 * (users of a directory service have none there) or isn't there. 126 when it can't be read. */
int account_home(struct arena *arena, unsigned uid, const char **home, struct error *err)
    __attribute__((nonnull, warn_unused_result));

#endif
