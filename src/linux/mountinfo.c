/* mountinfo.c (touching: /proc/self/mountinfo). See mountinfo.h. */
#include "linux/mountinfo.h"

#include <errno.h>
#include <string.h>

int mountinfo_open(struct lines *lines) {
    return lines_open(lines, "/proc/self/mountinfo");
}

/* Undo octal escapes, in place. */
static void unescape(char *text) {
    char *out = text;
    for (const char *at = text; *at; out++) {
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] && at[3]) {
            *out = (char)((unsigned)(at[1] - '0') << 6 | ((unsigned)(at[2] - '0') & 7) << 3 |
                          ((unsigned)(at[3] - '0') & 7));
            at += 4;
        } else {
            *out = *at++;
        }
    }
    *out = '\0';
}

/* The next field of a line, ended with a NUL; NULL when there is none. */
static char *next_field(char **at) {
    char *field = *at, *end = strchr(field, ' ');
    if (!end || end == field)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return field;
}

bool mountinfo_next(struct lines *lines, struct mountinfo *mount) {
    for (char *line; (line = lines_next(lines));) {
        char *id = next_field(&line), *parent = id ? next_field(&line) : NULL; /* of no use here */
        char *device = parent ? next_field(&line) : NULL, *root = device ? next_field(&line) : NULL;
        char *point = root ? next_field(&line) : NULL;
        if (!point)
            continue;
        line[strcspn(line, " ")] = '\0';
        unescape(root);
        unescape(point);
        *mount = (struct mountinfo){device, root, point, line};
        return true;
    }
    return false;
}

int mountinfo_list(struct arena *arena, shown_list *mounts) {
    struct lines table;
    struct mountinfo mount;
    if (mountinfo_open(&table))
        return -1;
    int error = 0;
    while (!error && mountinfo_next(&table, &mount)) {
        struct shown *added = list_add(arena, mounts);
        if (!added || !(added->device = arena_copy(arena, mount.device)) ||
            !(added->root = arena_copy(arena, mount.root)) || !(added->point = arena_copy(arena, mount.point)))
            error = ENOMEM;
    }
    error = !error && table.failed ? EIO : error;
    lines_close(&table);
    errno = error;
    return error ? -1 : 0;
}
