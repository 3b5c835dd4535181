/* mountinfo.c (touching: /proc/self/mountinfo). See mountinfo.h. */
#include "linux/mountinfo.h"

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

bool mountinfo_next(struct lines *lines, struct mountinfo *mount) {
    for (char *line; (line = lines_next(lines));) {
        char *point = line, *rest;
        for (int field = 0; field < 4 && point; field++) /* id, parent, device, root */
            point = (point = strchr(point, ' ')) ? point + 1 : NULL;
        if (!point || !(rest = strchr(point, ' ')))
            continue;
        *rest++ = '\0';
        rest[strcspn(rest, " ")] = '\0';
        unescape(point);
        *mount = (struct mountinfo){point, rest};
        return true;
    }
    return false;
}
