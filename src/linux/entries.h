/* entries.h: the entries of an open folder, without memory of its own. */
#ifndef PINFOLD_LINUX_ENTRIES_H
#define PINFOLD_LINUX_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/* As getdents64(2) writes it. */
struct entry {
    uint64_t ino;
    int64_t offset;
    uint16_t size;
    uint8_t type; /* DT_* */
    char name[];
};

struct entries {
    int fd;
    int error; /* errno of a failed read, 0: none */
    int at, end;
    _Alignas(struct entry) char buffer[4096];
};

/* The next entry; NULL at the end or after a failure. */
const struct entry *entries_next(struct entries *entries) __attribute__((nonnull));

/* Is it "." or ".."? */
static inline bool entry_is_dots(const char *name) {
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

#endif
