/* error.c (pure): text of errors and names of errno values. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *err, int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    /* one printable line, whatever names it holds */
    for (char *at = err->text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    err->status = status;
    return -1;
}

int error_memory(struct error *err) {
    return error_set(err, EXIT_REFUSED, "out of memory");
}

const char *error_name(int number) {
    static const struct {
        int number;
        const char *name;
    } names[] = {
#define NAME(e) {e, #e}
        NAME(EPERM),         NAME(ENOENT),       NAME(ESRCH),           NAME(EINTR),        NAME(EIO),
        NAME(ENXIO),         NAME(E2BIG),        NAME(ENOEXEC),         NAME(EBADF),        NAME(ECHILD),
        NAME(EAGAIN),        NAME(ENOMEM),       NAME(EACCES),          NAME(EFAULT),       NAME(EBUSY),
        NAME(EEXIST),        NAME(EXDEV),        NAME(ENODEV),          NAME(ENOTDIR),      NAME(EISDIR),
        NAME(EINVAL),        NAME(ENFILE),       NAME(EMFILE),          NAME(ENOTTY),       NAME(ETXTBSY),
        NAME(EFBIG),         NAME(ENOSPC),       NAME(ESPIPE),          NAME(EROFS),        NAME(EMLINK),
        NAME(EPIPE),         NAME(ENAMETOOLONG), NAME(ENOSYS),          NAME(ELOOP),        NAME(EOVERFLOW),
        NAME(EUSERS),        NAME(EPROTO),       NAME(EOPNOTSUPP),      NAME(EAFNOSUPPORT), NAME(ECONNREFUSED),
        NAME(ETIMEDOUT),     NAME(ESTALE),       NAME(EDQUOT),          NAME(ENETUNREACH),  NAME(EADDRINUSE),
        NAME(EADDRNOTAVAIL), NAME(ENOTCONN),     NAME(EPROTONOSUPPORT),
#undef NAME
    };
    static _Thread_local char other[24];
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
    snprintf(other, sizeof other, "errno %d", number);
    return other;
}

bool error_is_passing(int number) {
    static const int passing[] = {EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EIO, ELOOP, EPIPE, EPROTO, ESTALE};
    for (unsigned i = 0; i < sizeof passing / sizeof passing[0]; i++)
        if (number == passing[i])
            return true;
    return false;
}
