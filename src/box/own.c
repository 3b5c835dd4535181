/* own.c (touching: fstat). See own.h. */
#include "box/own.h"

#include "base/path.h"
#include "linux/reach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct own {
    const struct box *box;
    const char *option; /* the one that named it */
    int fd;
    struct stat status;
};

static int refuse(const struct own *own, const char *text, struct error *err) {
    return error_set(err, EXIT_USAGE, "%s fd:%d: %s", own->option, own->fd, text);
}

/* The descriptor that the command is given of the same object, or NULL. */
static const struct descriptor *find_given(const struct own *own, bool written) {
    for (size_t i = 0; i < own->box->probe.descriptors.count; i++) {
        const struct descriptor *given = &own->box->probe.descriptors.at[i];
        if (given->kind != DESCRIPTOR_CLOSED && given->kind != DESCRIPTOR_NULL && (given->writable || !written) &&
            own->status.st_dev == given->dev && own->status.st_ino == given->ino)
            return given;
    }
    return NULL;
}

static int check_given(const struct own *own, bool written, const char *why, struct error *err) {
    const struct descriptor *given = find_given(own, written);
    return given ? error_set(err, EXIT_USAGE, "%s fd:%d: the command is given the same as %d%s", own->option, own->fd,
                             given->number, why)
                 : 0;
}

/* A file or FIFO in a folder that it may change, or one with more names than can be looked for. */
static int check_named(const struct own *own, struct error *err) {
    const char *root = NULL;
    char shown[1024];
    if ((!S_ISREG(own->status.st_mode) && !S_ISFIFO(own->status.st_mode)) || !own->status.st_nlink)
        return 0;
    if (own->status.st_nlink > 1)
        return refuse(own,
                      "it has several names (hard links), by one of which the command could open it for writing; "
                      "use a pipe that has none",
                      err);
    int reached = reach_written(own->fd, &own->box->plan, &root);
    if (reached < 0)
        return error_set(err, EXIT_USAGE, "%s fd:%d: can't tell whether the command could open it by a name (%s)",
                         own->option, own->fd, error_name(errno));
    return reached ? error_set(err, EXIT_USAGE,
                               "%s fd:%d: the command could open it for writing by its name below %s; use a pipe that "
                               "has none, or a file that the box can't change",
                               own->option, own->fd, path_show(root, shown, sizeof shown))
                   : 0;
}

static int look(struct own *own, struct error *err) {
    return fstat(own->fd, &own->status) ? refuse(own, error_name(errno), err) : 0;
}

static int check_one(const struct box *box, int fd, const char *option, struct error *err) {
    struct own own = {.box = box, .option = option, .fd = fd};
    return look(&own, err) || check_given(&own, false, "; use a descriptor of its own", err) || check_named(&own, err)
               ? -1
               : 0;
}

/* A policy on a descriptor may be used again: no command may change it by one of its own. Its name is guarded as that
 * of any policy file is. */
static int check_policy(const struct box *box, struct error *err) {
    const char *word = box->policy.policy;
    if (!word || strncmp(word, "fd:", 3) != 0)
        return 0;
    struct own own = {.box = box, .option = "--policy", .fd = atoi(word + 3)};
    if (look(&own, err))
        return -1;
    return S_ISREG(own.status.st_mode)
               ? check_given(&own, true, ", and could change the policy; keep it from the command", err)
               : 0;
}

int own_check(const struct box *box, int report, struct error *err) {
    for (size_t i = 0; i < box->tie.count; i++)
        if (check_one(box, box->tie.at[i].fd, "--tie", err))
            return -1;
    if (report >= 0 && check_one(box, report, "--report", err))
        return -1;
    return check_policy(box, err);
}
