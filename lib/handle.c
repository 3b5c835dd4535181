/* handle.c (touching: open, fstat): the opened program, errors, small helpers. */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pinfold_fail(struct pinfold_error *err, int status, const char *format, ...) {
    va_list list;
    if (!err)
        return -1;
    err->status = status;
    va_start(list, format);
    vsnprintf(err->text, sizeof err->text, format, list);
    va_end(list);
    for (char *at = err->text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    return -1;
}

int pinfold_fail_system(struct pinfold_error *err, const char *what, int number) {
    const char *mend = number == EMFILE || number == ENFILE || number == EBADF || number == EINVAL
                           ? "; remedy: more open files (ulimit -n)"
                       : number == EAGAIN ? "; remedy: more processes (ulimit -u)"
                       : number == ENOMEM ? "; remedy: free memory, or a larger memory limit"
                                          : "";
    const char *said = strerrordesc_np(number);
    return pinfold_fail(err, STATUS_REFUSED, "refused, nothing was started: can't %s (%s)%s", what, said ? said : "?",
                        mend);
}

bool pinfold_is_shortage(int number) {
    return number == EMFILE || number == ENFILE || number == ENOMEM;
}

void pinfold_shut(int *fd) {
    int saved = errno;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = saved;
}

int pinfold_above(int fd) {
    if (fd < 0 || fd > 2)
        return fd;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    pinfold_shut(&fd);
    return copy;
}

const char *pinfold_version(void) {
    return PINFOLD_VERSION;
}

/* Whoever can write to it decides what a box is. */
static int check_program(const char *path, int fd, struct pinfold_error *err) {
    struct stat status;
    if (fstat(fd, &status))
        return pinfold_fail_system(err, "look at the pinfold program", errno);
    if (!S_ISREG(status.st_mode) || !(status.st_mode & 0111))
        return pinfold_fail(err, STATUS_REFUSED, "%s: not a program", path);
    if (status.st_mode & (S_ISUID | S_ISGID))
        return pinfold_fail(err, STATUS_REFUSED, "%s: has a set-user-ID or set-group-ID bit, which pinfold refuses",
                            path);
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022))
        return pinfold_fail(err, STATUS_REFUSED,
                            "%s: others than root and the effective user can change it; remedy: chown, chmod go-w",
                            path);
    return 0;
}

int pinfold_open(struct pinfold **pinfold, const char *program, struct pinfold_error *err) {
    const char *path = program ? program : PINFOLD_PROGRAM;
    *pinfold = NULL;
    if (*path != '/')
        return pinfold_fail(err, STATUS_WRONG, "%s: the path of the program is not absolute", path);
    int fd = pinfold_above(open(path, O_PATH | O_CLOEXEC));
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return pinfold_fail(err, STATUS_REFUSED, "%s: the pinfold program is not there; remedy: install it", path);
    if (fd < 0)
        return pinfold_fail_system(err, "open the pinfold program", errno);
    struct pinfold *opened = calloc(1, sizeof *opened);
    char *copy = strdup(path);
    if (!opened || !copy || check_program(path, fd, err)) {
        int result = opened && copy ? -1 : pinfold_fail_system(err, "open the pinfold program", ENOMEM);
        free(opened);
        free(copy);
        pinfold_shut(&fd);
        return result;
    }
    opened->path = copy;
    opened->program = fd;
    *pinfold = opened;
    return 0;
}

void pinfold_close(struct pinfold *pinfold) {
    if (!pinfold)
        return;
    pinfold_shut(&pinfold->program);
    free(pinfold->path);
    free(pinfold);
}

void pinfold_text_free(char *text) {
    free(text);
}
