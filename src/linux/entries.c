/* entries.c (touching: getdents64). See entries.h. */
#include "linux/entries.h"

#include "linux/sys.h"

#include <errno.h>
#include <stddef.h>

const struct entry *entries_next(struct entries *entries) {
    if (entries->at == entries->end) {
        entries->at = 0;
        entries->end = sys_getdents(entries->fd, entries->buffer, sizeof entries->buffer);
        if (entries->end <= 0) {
            entries->error = entries->end < 0 ? errno : 0;
            entries->end = 0;
            return NULL;
        }
    }
    const struct entry *entry = (const struct entry *)(const void *)(entries->buffer + entries->at);
    entries->at += entry->size;
    return entry;
}
