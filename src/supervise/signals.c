/* signals.c (touching: signal mask). */
#include "supervise/supervise.h"

int signals_block(sigset_t *before) {
    static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    sigset_t block;
    sigemptyset(&block);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct sigaction now;
        if (sigaction(passed[i], NULL, &now))
            return -1;
        if (now.sa_handler != SIG_IGN)
            sigaddset(&block, passed[i]);
    }
    return sigprocmask(SIG_BLOCK, &block, before);
}
