/* harden.c (touching: this process). See harden.h. */
#include "linux/harden.h"

#include "linux/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int open_standard(void) {
    for (int number = 0; number <= 2; number++) {
        struct stat status;
        if (fcntl(number, F_GETFD) >= 0)
            continue;
        if (errno != EBADF || open("/dev/null", number ? O_WRONLY : O_RDONLY) != number || fstat(number, &status) ||
            !S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3))
            return -1;
    }
    return 0;
}

int harden(struct error *err) {
    /* a caller that ignores SIGCHLD would have the kernel reap our children before we can ask how they ended */
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || confine_core())
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: pinfold can't protect itself (%s); remedy: look for a seccomp "
                         "profile that forbids prctl or setrlimit",
                         error_name(errno));
    if (open_standard())
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: descriptors 0 to 2 are closed and /dev/null "
                         "can't be opened in their place (%s)",
                         error_name(errno));
    return 0;
}
