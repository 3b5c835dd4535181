/* error.h: one struct on the caller's stack says what went wrong, and with which exit status it ends the run. */
#ifndef PINFOLD_BASE_ERROR_H
#define PINFOLD_BASE_ERROR_H

#include <stdbool.h>

/* Exit statuses of pinfold itself; 0 to 123 and 128+n are the command's. */
enum exit_status {
    EXIT_TIMEOUT = 124,
    EXIT_USAGE = 125,
    EXIT_REFUSED = 126,
    EXIT_NOT_FOUND = 127,
};

struct error {
    int status; /* an enum exit_status */
    char text[2048];
};

/* Fill *err; always returns -1, so that a caller can `return error_set(...)`. */
int error_set(struct error *err, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4), nonnull(1, 3)));

/* The same for memory that could not be had: 126, nothing ran. */
int error_memory(struct error *err) __attribute__((nonnull));

/* The name of an errno, such as EPERM, or "errno N" in a static buffer of the calling thread. */
const char *error_name(int number);

/* Is the errno about this moment, not about what the host has? Nothing may be given up for such a one. */
bool error_is_passing(int number);

#endif
