/* signs.c (touching: lstat). See signs.h. */
#include "settle/signs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const sign_names[SIGNS] = {".git", "HEAD", "objects", "refs", "commondir"};

void signs_take(struct signs *signs, const char *name) {
    for (int i = 0; i < SIGNS; i++)
        if (strcasecmp(name, sign_names[i]) == 0) {
            bool exact = strcmp(name, sign_names[i]) == 0;
            signs->is[i] |= exact;
            signs->maybe |= !exact;
        }
    for (; *name; name++)
        signs->maybe |= (unsigned char)*name >= 0x80;
}

int signs_spelled(struct signs *signs, int fd, const char **sign) {
    struct stat status;
    for (int i = 0; i < SIGNS && signs->maybe; i++) {
        signs->is[i] = signs->is[i] || !fstatat(fd, sign_names[i], &status, AT_SYMLINK_NOFOLLOW);
        *sign = sign_names[i];
        if (!signs->is[i] && errno != ENOENT)
            return -1;
    }
    return 0;
}

bool signs_bare(const struct signs *signs) {
    return (signs->is[SIGN_OBJECTS] && signs->is[SIGN_REFS]) || (signs->is[SIGN_HEAD] && signs->is[SIGN_COMMON]);
}
