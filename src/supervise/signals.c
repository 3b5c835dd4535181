/* signals.c (touching: signal mask, signalfd). */
#include "supervise/supervise.h"

#include "base/fd.h"

#include <sys/signalfd.h>

int signals_take(sigset_t *before) {
    static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    sigset_t take;
    sigemptyset(&take);
    if (sigprocmask(SIG_SETMASK, NULL, before))
        return -1;
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct sigaction now;
        if (sigaction(passed[i], NULL, &now))
            return -1;
        if (now.sa_handler != SIG_IGN && !sigismember(before, passed[i]))
            sigaddset(&take, passed[i]);
    }
    int fd = signalfd(-1, &take, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd >= 0 && sigprocmask(SIG_BLOCK, &take, NULL))
        fd_close(&fd);
    return fd;
}
