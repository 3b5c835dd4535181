/* library.h: what the files of the library know of one another. All but the functions of pinfold.h are hidden; their
 * names begin with pinfold_ too, since in a static library they meet the host's. */
#ifndef PINFOLD_LIB_LIBRARY_H
#define PINFOLD_LIB_LIBRARY_H

#include "pinfold.h"

#include <stdbool.h>
#include <sys/types.h>

enum { STATUS_WRONG = 125, STATUS_REFUSED = 126, STATUS_KILLED = 128 + 9 };

struct pinfold {
    char *path;  /* for messages */
    int program; /* O_PATH */
};

struct pinfold_policy {
    char *name, *text;
    size_t size;
};

/* Fill *err if there is one; always -1. */
int pinfold_fail(struct pinfold_error *err, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for an errno of the system about `what`: 126, with the remedy where there is one. */
int pinfold_fail_system(struct pinfold_error *err, const char *what, int number);

/* Is an errno about what this process may have, and not about what it asked for? */
bool pinfold_is_shortage(int number);

/* handle.c: fd, or a copy of it from 3 on in its place: a host's 0 to 2 may be closed, and are not ours. -1 stays -1.
 */
int pinfold_above(int fd);
void pinfold_shut(int *fd); /* close, unless -1; errno stays */

/* memory.c: an anonymous file, close-on-exec; with `bytes` it holds them and can't be changed. -1 with *err. */
int pinfold_memory_make(const void *bytes, size_t size, struct pinfold_error *err);
/* All of a file from its start, NUL-terminated; *size may be NULL. NULL with errno: it is the caller's to free. */
char *pinfold_memory_read(int fd, size_t *size);

/* report.c, pure: what --report was told. The strings point into `text`, which is changed, and into `messages`, which
 * has as much room. */
struct pinfold_report {
    const char *outcome, *confined, *error; /* "" where not told */
    const char *messages;                   /* each with a newline */
    int exit;                               /* -1: the report is not whole */
};
void pinfold_report_parse(char *text, char *messages, struct pinfold_report *report) __attribute__((nonnull));
/* In `error`, put the policy's name in the place of the "fd:N:" of its descriptor, if it stands there. A new string,
 * or NULL without memory. */
char *pinfold_report_named(const char *error, int number, const char *name) __attribute__((nonnull(1)));

#endif
