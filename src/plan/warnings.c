/* warnings.c (pure): what doctor tells beside guarantees. See diagnosis.h. */
#include "plan/diagnosis.h"

enum { OPEN_FILES_FEW = 256, PROCESSES_FEW = 64 };

static int warn(struct arena *arena, struct diagnosis *diagnosis, const char *name, const char *text) {
    struct warning *added = text ? list_add(arena, &diagnosis->warnings) : NULL;
    if (!added)
        return -1;
    *added = (struct warning){name, text};
    return 0;
}

static int warn_memory(struct arena *arena, struct diagnosis *diagnosis) {
    const struct facts *facts = &diagnosis->facts;
    int failed = 0;
    if (facts->panic_on_oom > 0)
        failed |= warn(arena, diagnosis, "panic-on-oom",
                       "memory of a box is not limited, and here the kernel stops when memory runs out: sysctl -w "
                       "vm.panic_on_oom=0");
    if (facts->oom_kills_asker > 0)
        failed |= warn(arena, diagnosis, "oom-kills-asker",
                       "when memory runs out, the kernel ends whoever asks for some, not the box first: sysctl -w "
                       "vm.oom_kill_allocating_task=0");
    if (facts->swap_kib == 0)
        failed |= warn(arena, diagnosis, "no-swap",
                       "memory of a box is not limited and there is no swap: a command that takes too much is ended "
                       "at once");
    return failed;
}

static int warn_limits(struct arena *arena, struct diagnosis *diagnosis) {
    const struct facts *facts = &diagnosis->facts;
    int failed = 0;
    if (facts->open_files >= 0 && facts->open_files < OPEN_FILES_FEW)
        failed |= warn(arena, diagnosis, "few-open-files",
                       arena_printf(arena, "only %ld open files are allowed: ulimit -n 1024", facts->open_files));
    if (facts->processes >= 0 && facts->processes < PROCESSES_FEW)
        failed |= warn(arena, diagnosis, "few-processes",
                       arena_printf(arena, "only %ld processes are allowed: ulimit -u 4096", facts->processes));
    return failed;
}

int warnings_find(struct arena *arena, struct diagnosis *diagnosis) {
    const struct facts *facts = &diagnosis->facts;
    const struct probe *probe = diagnosis->probe;
    int failed = warn_memory(arena, diagnosis) | warn_limits(arena, diagnosis);
    if (probe && probe->landlock_abi < 9)
        failed |= warn(arena, diagnosis, "sockets",
                       "unix sockets that a service makes in granted folders during a run can be reached; Landlock ABI "
                       "9 (Linux 7.1) closes them");
    if (facts->core_pattern && (*facts->core_pattern == '|' || *facts->core_pattern == '@'))
        failed |=
            warn(arena, diagnosis, "core-pattern",
                 "the host hands core dumps to a program (kernel.core_pattern); only the core limit keeps a box's "
                 "away from it");
    if (probe && probe->outer_root && diagnosis->temporary)
        failed |= warn(arena, diagnosis, "owners",
                       "whether owners can be mapped on the current folder's file system was not tried");
    if (diagnosis->plan && !diagnosis->plan->terminal)
        failed |= warn(arena, diagnosis, "no-terminal",
                       "descriptors 0 to 2 are no terminal: pinfold run without a command starts no shell");
    return failed;
}
