/* account.c (touching: one file). See account.h. */
#include "linux/account.h"

#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The home in a line of passwd(5), name:password:uid:gid:comment:home:shell, if it is this uid's; else NULL. */
static const char *home_in(char *line, unsigned uid) {
    char *field[7] = {line};
    int count = 1;
    for (char *at = line; count < 7 && (at = strchr(at, ':')); count++) {
        *at++ = '\0';
        field[count] = at;
    }
    char *end = NULL;
    return count == 7 && strtoul(field[2], &end, 10) == uid && end != field[2] && !*end && field[5][0] == '/' ? field[5]
                                                                                                              : NULL;
}

static int cannot_read(int error, struct error *err) {
    return error_set(err, EXIT_REFUSED,
                     "refused, nothing was started: /etc/passwd can't be read (%s), so nobody knows where the "
                     "operator's policy is",
                     error_name(error));
}

int account_home(struct arena *arena, unsigned uid, const char **home, struct error *err) {
    struct lines lines;
    *home = NULL;
    if (lines_open(&lines, "/etc/passwd"))
        return errno == ENOENT ? 0 : cannot_read(errno, err);
    const char *found = NULL;
    for (char *line; !found && (line = lines_next(&lines));)
        found = home_in(line, uid);
    if (found && !(*home = arena_copy(arena, found))) {
        lines_close(&lines);
        return error_memory(err);
    }
    lines_close(&lines);
    return lines.failed && !found ? cannot_read(EIO, err) : 0;
}

int account_home_of_caller(struct arena *arena, const char **home, struct error *err) {
    uid_t uid = getuid();
    if (uid != (uid_t)getauxval(AT_UID))
        return error_set(err, EXIT_REFUSED,
                         "refused, nothing was started: getuid doesn't tell the uid that pinfold was started with, so "
                         "nobody knows whose policy it is");
    return account_home(arena, uid, home, err);
}
