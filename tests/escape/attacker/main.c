/* The attacker's entry: finds the attack by its name in the tables and runs it (glue).
 * `attacker NAME ARGUMENT…`; `attacker --list` prints every attack with its usage. */
#include "attacker.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct attack *const tables[] = {
    attacks_write,       attacks_metadata, attacks_links,   attacks_mounts, attacks_proc_files, attacks_devices,
    attacks_descriptors, attacks_probe,    attacks_process, attacks_kernel, attacks_sockets,    attacks_ipc,
};

struct errno_name {
    int number;
    const char *name;
};

#define NAME(e)                                                                                                        \
    { e, #e }
static const struct errno_name errno_names[] = {
    NAME(EPERM),           NAME(ENOENT),       NAME(ESRCH),        NAME(EINTR),        NAME(EIO),
    NAME(ENXIO),           NAME(E2BIG),        NAME(ENOEXEC),      NAME(EBADF),        NAME(ECHILD),
    NAME(EAGAIN),          NAME(ENOMEM),       NAME(EACCES),       NAME(EFAULT),       NAME(ENOTBLK),
    NAME(EBUSY),           NAME(EEXIST),       NAME(EXDEV),        NAME(ENODEV),       NAME(ENOTDIR),
    NAME(EISDIR),          NAME(EINVAL),       NAME(ENFILE),       NAME(EMFILE),       NAME(ENOTTY),
    NAME(ETXTBSY),         NAME(EFBIG),        NAME(ENOSPC),       NAME(ESPIPE),       NAME(EROFS),
    NAME(EMLINK),          NAME(EPIPE),        NAME(EDOM),         NAME(ERANGE),       NAME(EDEADLK),
    NAME(ENAMETOOLONG),    NAME(ENOLCK),       NAME(ENOSYS),       NAME(ENOTEMPTY),    NAME(ELOOP),
    NAME(ENOMSG),          NAME(EIDRM),        NAME(ENODATA),      NAME(ETIME),        NAME(ENONET),
    NAME(EPROTO),          NAME(EBADMSG),      NAME(EOVERFLOW),    NAME(EUSERS),       NAME(ENOTSOCK),
    NAME(EDESTADDRREQ),    NAME(EMSGSIZE),     NAME(EPROTOTYPE),   NAME(ENOPROTOOPT),  NAME(EPROTONOSUPPORT),
    NAME(ESOCKTNOSUPPORT), NAME(EOPNOTSUPP),   NAME(EPFNOSUPPORT), NAME(EAFNOSUPPORT), NAME(EADDRINUSE),
    NAME(EADDRNOTAVAIL),   NAME(ENETDOWN),     NAME(ENETUNREACH),  NAME(ENETRESET),    NAME(ECONNABORTED),
    NAME(ECONNRESET),      NAME(ENOBUFS),      NAME(EISCONN),      NAME(ENOTCONN),     NAME(ESHUTDOWN),
    NAME(ETIMEDOUT),       NAME(ECONNREFUSED), NAME(EHOSTDOWN),    NAME(EHOSTUNREACH), NAME(EALREADY),
    NAME(EINPROGRESS),     NAME(ESTALE),       NAME(EDQUOT),       NAME(ENOMEDIUM),    NAME(ECANCELED),
    NAME(ENOKEY),          NAME(EKEYEXPIRED),  NAME(EKEYREVOKED),  NAME(EKEYREJECTED), NAME(EOWNERDEAD),
};
#undef NAME

int report_errno(int number) {
    for (size_t i = 0; i < sizeof errno_names / sizeof errno_names[0]; i++) {
        if (errno_names[i].number == number) {
            puts(errno_names[i].name);
            return 1;
        }
    }
    printf("ERRNO_%d\n", number);
    return 1;
}

int report(long result) {
    return result < 0 ? report_errno(errno) : report_ok("%ld", result);
}

int report_ok(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("ok ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    return 0;
}

long number_of(const char *word) {
    char *end;
    errno = 0;
    const long number = strtol(word, &end, 0);
    if (errno || end == word || *end) {
        fprintf(stderr, "usage: `%s` is not a number\n", word);
        exit(2);
    }
    return number;
}

/* How many words a usage wants at least: its words in capitals outside brackets. */
static int count_wanted(const char *usage) {
    int wanted = 0;
    for (const char *at = usage; *at; at++) {
        if (*at == '[')
            break;
        if (isupper((unsigned char)*at) && (at == usage || at[-1] == ' '))
            wanted++;
    }
    return wanted;
}

static const struct attack *find_attack(const char *name) {
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct attack *attack = tables[t]; attack->name; attack++)
            if (!strcmp(attack->name, name))
                return attack;
    return NULL;
}

static int list_attacks(void) {
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const struct attack *attack = tables[t]; attack->name; attack++)
            printf("%s %s\n", attack->name, attack->usage);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--list"))
        return list_attacks();
    const struct attack *attack = argc > 1 ? find_attack(argv[1]) : NULL;
    if (!attack || argc - 2 < count_wanted(attack->usage)) {
        fprintf(stderr, "usage: attacker %s %s\n", attack ? attack->name : "NAME", attack ? attack->usage : "…");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return attack->run(argc - 2, argv + 2);
}
