/* fds.c (touching: close_range, /proc/self/fd). See fds.h. */
#include "linux/fds.h"

#include "linux/sys.h"

#include <dirent.h>
#include <errno.h>
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
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    size_t found = 0;
    int wrong = 0;
    if (!folder)
        return -1;
    while (!wrong && (errno = 0, entry = readdir(folder))) {
        int number = atoi(entry->d_name);
        size_t i = 0;
        if (entry->d_name[0] == '.' || number == dirfd(folder))
            continue;
        while (i < count && expected[i] != number)
            i++;
        wrong = i == count ? EBADF : 0;
        found++;
    }
    wrong = wrong ? wrong : errno;
    closedir(folder);
    errno = wrong ? wrong : EBADF;
    return wrong || found != count ? -1 : 0;
}
