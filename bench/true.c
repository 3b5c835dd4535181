/* true.c: the smallest command, so that what is timed is its box. It says when it began: the monotonic clock in
 * nanoseconds, as eight bytes on descriptor 3. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t began = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    return write(3, &began, sizeof began) == sizeof began ? 0 : 1;
}
