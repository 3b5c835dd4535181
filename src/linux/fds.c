/* fds.c (touching: close_range, /proc/self/fd). See fds.h. */
#include "linux/fds.h"

#include "base/fd.h"
#include "linux/entries.h"
#include "linux/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

static int number_order(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int fds_keep(int *keep, size_t count) {
    unsigned next = 0;
    qsort(keep, count, sizeof *keep, number_order);
    for (size_t i = 0; i < count; i++) {
        if (keep[i] < 0 || (unsigned)keep[i] < next)
            continue;
        if ((unsigned)keep[i] > next && sys_close_range(next, (unsigned)keep[i] - 1))
            return -1;
        next = (unsigned)keep[i] + 1;
    }
    return sys_close_range(next, UINT_MAX);
}

int fds_are(const int *expected, size_t count) {
    autoclose int folder = openat(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct entries entries = {.fd = folder};
    size_t found = 0;
    if (folder < 0)
        return -1;
    for (const struct entry *entry; (entry = entries_next(&entries));) {
        int number = atoi(entry->name);
        size_t i = 0;
        if (entry->name[0] == '.' || number == folder)
            continue;
        while (i < count && expected[i] != number)
            i++;
        found += i < count;
        if (i == count) {
            errno = EBADF;
            return -1;
        }
    }
    errno = entries.error ? entries.error : EBADF;
    return entries.error || found != count ? -1 : 0;
}
