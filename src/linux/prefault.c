/* prefault.c (touching: madvise). See prefault.h. */
#include "linux/prefault.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum {
    ADVICE_POPULATE_READ = 22,  /* 5.14 */
    ADVICE_POPULATE_WRITE = 23, /* 5.14 */
    PAGE = 4096,
    STACK_USED = 48 * 1024, /* by the deepest calls of a launch */
};

extern char __executable_start[], edata[], end[]; /* of the linker */


static void populate(const char *first, const char *last, int advice) {
    uintptr_t from = (uintptr_t)first & ~(uintptr_t)(PAGE - 1),
              to = ((uintptr_t)last + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (madvise((void *)from, to - from, advice))
        return; /* page by page, then */
}

void prefault(void) {
    populate(__executable_start, edata, ADVICE_POPULATE_READ);
    prefault_copies();
}

void prefault_copies(void) {
    populate(edata, end, ADVICE_POPULATE_WRITE);
    const char *here = __builtin_frame_address(0);
    populate((const char *)((uintptr_t)here - STACK_USED), here, ADVICE_POPULATE_WRITE);
}
