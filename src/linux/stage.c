/* stage.c (touching: futex). See stage.h. Looks a while before it sleeps: being woken by another processor takes longer
 * than most of these waits. */
#include "linux/stage.h"

#include "linux/sys.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>

enum { LOOKS = 300, PAUSES = 64 };

/* Leave the core to its other thread, which may be the one that is waited for. */
static inline void processor_pause(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

int stage_reach(atomic_uint *at, unsigned stage) {
    atomic_store(at, stage);
    return sys_futex_wake(at, INT_MAX) < 0 ? -1 : 0;
}

void stage_look(atomic_uint *at, unsigned stage) {
    for (int looks = 0; looks < LOOKS && atomic_load(at) < stage; looks++) {
        for (int i = 0; i < PAUSES; i++)
            processor_pause();
        (void)sched_yield();
    }
}

int stage_wait(atomic_uint *at, unsigned stage) {
    unsigned now;
    stage_look(at, stage);
    while ((now = atomic_load(at)) < stage)
        if (sys_futex_wait(at, now) && errno != EAGAIN && errno != EINTR)
            return -1;
    return 0;
}
