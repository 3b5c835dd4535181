/* stage.c (touching: futex). See stage.h. Looks a while before it sleeps: being woken by another processor takes longer
 * than most of these waits. */
#include "linux/stage.h"

#include "linux/sys.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>

enum { LOOKS = 3000 };

int stage_reach(atomic_uint *at, unsigned stage) {
    atomic_store(at, stage);
    return sys_futex_wake(at, INT_MAX) < 0 ? -1 : 0;
}

int stage_wait(atomic_uint *at, unsigned stage) {
    unsigned now;
    for (int looks = 0; (now = atomic_load(at)) < stage; looks++) {
        if (looks < LOOKS)
            (void)sched_yield();
        else if (sys_futex_wait(at, now) && errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return 0;
}
