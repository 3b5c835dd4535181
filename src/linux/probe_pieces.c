/* probe_pieces.c (touching: openat2, fstat, getdents64, readlink): what of a toolchain's root is shown, what is hidden
 * in it, and where links and a virtual environment's settings lead. See probe_toolchains.h.
 *
 * Must not: follow a symlink below the root, show something that the policy forbids or that belongs to another user, or
 * show a folder in which what must be hidden can't be told. */
#include "linux/probe_toolchains.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "plan/bans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Links of folders can lead to many: what is shown must not take long to mount. */
enum { LISTED_MAX = 1024, PIECES_MAX = 256, UNKNOWN = 1 };

static bool is_known(const struct search *search, const char *path) {
    for (size_t i = 0; i < search->probe->toolchains.count; i++)
        if (strcmp(search->probe->toolchains.at[i].place.path, path) == 0)
            return true;
    return false;
}

static int add(struct search *search, struct piece piece) {
    struct piece *added = list_add(search->arena, &search->probe->toolchains);
    if (!added)
        return -1;
    *added = piece;
    return 0;
}

static char *join(struct search *search, const char *folder, const char *name) {
    return strcmp(name, ".") == 0 ? arena_copy(search->arena, folder)
                                  : arena_printf(search->arena, "%s/%s", folder, name);
}

/* The next entry that is none of . and .. and whose name matches. */
static const struct entry *next_match(struct entries *entries, const char *pattern) {
    const struct entry *entry;
    while ((entry = entries_next(entries)))
        if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0 &&
            fnmatch(pattern, entry->name, FNM_PERIOD) == 0)
            return entry;
    return NULL;
}

/* Add what `pattern` matches below `folder` (at `path`) to what is hidden. 0; UNKNOWN when it can't be told; -1. */
static int hide(struct search *search, const char *why, int folder, const char *path, const char *pattern);

static int hide_name(struct search *search, const char *why, int folder, const char *path, const char *name,
                     const char *rest) {
    struct stat status;
    char *inner = join(search, path, name);
    if (!inner)
        return -1;
    if (*rest) {
        autoclose int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            return hide(search, why, fd, inner, rest);
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : UNKNOWN;
    }
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : UNKNOWN;
    if (S_ISLNK(status.st_mode) || is_known(search, inner)) /* a link that leads out of what is shown leads nowhere */
        return 0;
    return add(search,
               (struct piece){.kind = PIECE_HIDE, .place = {.path = inner, .mode = status.st_mode}, .why = why});
}

static int hide(struct search *search, const char *why, int folder, const char *path, const char *pattern) {
    char name[NAME_MAX + 1];
    size_t size = strcspn(pattern, "/");
    const char *rest = pattern + size + strspn(pattern + size, "/");
    memcpy(name, pattern, size); /* shorter than TOOLCHAIN_WORD */
    name[size] = '\0';
    if (!strchr(name, '*'))
        return hide_name(search, why, folder, path, name, rest);
    struct entries entries = {.fd = folder};
    const struct entry *entry;
    for (int count = 0; (entry = next_match(&entries, name)); count++) {
        int failed = count == LISTED_MAX ? UNKNOWN : 0;
        if (!failed && (entry->type == DT_DIR || entry->type == DT_UNKNOWN || (!*rest && entry->type == DT_REG)))
            failed = hide_name(search, why, folder, path, entry->name, rest);
        if (failed)
            return failed;
    }
    return entries.error ? UNKNOWN : 0;
}

/* All that the row hides in this piece of it. */
static int hide_all(struct search *search, const struct root *root, const char *shown, const char *path) {
    char word[TOOLCHAIN_WORD];
    for (const char *hides = root->row->hides; toolchain_word(&hides, word);) {
        const char *rest = toolchain_rest(word, shown);
        if (!rest)
            continue;
        autoclose int fd = openat(root->fd, shown, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int failed = fd < 0 ? UNKNOWN : hide(search, root->why, fd, path, rest);
        if (failed)
            return failed;
    }
    return 0;
}

/* Where the links of a shown folder lead. */
static int read_links(struct search *search, const struct root *root, const char *shown, const char *path) {
    autoclose int fd = openat(root->fd, shown, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct entries entries = {.fd = fd};
    const struct entry *entry;
    for (int count = 0; fd >= 0 && count < LISTED_MAX && (entry = entries_next(&entries)); count++) {
        char target[PATH_MAX];
        ssize_t size = entry->type == DT_LNK ? readlinkat(fd, entry->name, target, sizeof target - 1) : -1;
        if (size <= 0)
            continue;
        target[size] = '\0';
        if (search_lead(search, path, target))
            return -1;
    }
    return 0;
}

/* The interpreter that a virtual environment was made from: "home = FOLDER". */
static int read_base(struct search *search, const struct root *root) {
    char text[4096];
    struct stat status;
    /* a FIFO would have the open wait, and the read */
    autoclose int fd = openat(root->fd, "pyvenv.cfg", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t size = fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) ? -1 : read(fd, text, sizeof text - 1);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    for (char *line = text, *end; line; line = end ? end + 1 : NULL) {
        if ((end = strchr(line, '\n')))
            *end = '\0';
        char *value = strncmp(line, "home", 4) == 0 ? line + 4 + strspn(line + 4, " \t") : NULL;
        if (!value || *value != '=')
            continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\r")] = '\0';
        if (*value == '/' && search_lead(search, root->path, value))
            return -1;
    }
    return 0;
}

/* Why it is not to be shown; NULL: no reason. */
static const char *objection(const struct search *search, const struct place *place, uid_t owner) {
    const struct probe *probe = search->probe;
    const struct ban *ban = bans_on_reading(search->policy, probe, place);
    if (ban)
        return ban->origin;
    if (!search_is_ours(search, owner))
        return "it belongs to another user";
    if (search_meets_written(search, place->path))
        return "the command may write to it, or to something in it";
    for (size_t i = 0; i < probe->mounts.count; i++)
        if (path_is_under(probe->mounts.at[i].point, place->path) &&
            strcmp(probe->mounts.at[i].point, place->path) != 0)
            return "something is mounted below it";
    return NULL;
}

/* A symlink of the root's own, such as lib64: it is made again, and opens nothing. */
static int add_link(struct search *search, const struct root *root, const char *shown, const char *path) {
    char target[PATH_MAX];
    ssize_t size = strchr(shown, '/') ? -1 : readlinkat(root->fd, shown, target, sizeof target - 1);
    struct place place = {.path = path};
    if (size <= 0)
        return 0;
    const char *copy = arena_copy_bytes(search->arena, target, (size_t)size);
    if (!copy)
        return -1;
    if (search_meets_written(search, path) || bans_on_reading(search->policy, search->probe, &place))
        return 0;
    return add(search, (struct piece){.kind = PIECE_LINK, .place = place, .target = copy, .why = root->why});
}

static bool is_bin(const char *shown) {
    const char *slash = strrchr(shown, '/');
    return strcmp(slash ? slash + 1 : shown, "bin") == 0 || strcmp(shown, ".") == 0;
}

/* One piece, by its path below the root. */
static int add_piece(struct search *search, const struct root *root, const char *shown) {
    struct stat status;
    char *path = join(search, root->path, shown);
    if (!path)
        return -1;
    if (is_known(search, path))
        return 0;
    if (search->probe->toolchains.count >= PIECES_MAX)
        return search_leave_out(search, path, "too much is shown already");
    autoclose int fd = lookup_open(root->fd, shown);
    if (fd < 0)
        return errno == ELOOP ? add_link(search, root, shown, path) : 0;
    if (fstat(fd, &status) || (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)))
        return 0;
    struct place place = {.path = path, .mode = status.st_mode, .dev = status.st_dev, .ino = status.st_ino};
    const char *why = objection(search, &place, status.st_uid);
    size_t before = search->probe->toolchains.count;
    int failed = why || !S_ISDIR(status.st_mode) ? 0 : hide_all(search, root, shown, path);
    if (failed == UNKNOWN) {
        search->probe->toolchains.count = before;
        why = "what must be hidden in it can't be told";
    }
    if (failed < 0 || why)
        return why ? search_leave_out(search, path, why) : -1;
    if (add(search, (struct piece){.kind = PIECE_TREE, .place = place, .why = root->why}))
        return -1;
    return root->row->links && S_ISDIR(status.st_mode) && is_bin(shown) ? read_links(search, root, shown, path) : 0;
}

/* Each folder that a pattern with '[' in one component matches. */
static int add_matching(struct search *search, const struct root *root, char *pattern) {
    char folder[TOOLCHAIN_WORD], *shown = search->filled, *slash = strchr(pattern, '[');
    while (slash > pattern && *slash != '/')
        slash--;
    *slash = '\0'; /* never the first component */
    char *name = slash + 1, *rest = strchr(name, '/');
    snprintf(folder, sizeof folder, "%s", pattern);
    if (rest)
        *rest++ = '\0';
    autoclose int fd = openat(root->fd, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct entries entries = {.fd = fd};
    const struct entry *entry;
    for (int count = 0; fd >= 0 && count < 16 && (entry = next_match(&entries, name)); count++) {
        snprintf(shown, sizeof search->filled, "%s/%s%s%s", folder, entry->name, rest ? "/" : "", rest ? rest : "");
        if (add_piece(search, root, shown))
            return -1;
    }
    return 0;
}

/* A file of the home itself, such as ~/.tool-versions. */
static int add_beside(struct search *search, const struct root *root, const char *name) {
    for (size_t i = 0; i < 2; i++) {
        if (!search->homes[i] || !path_is_under(root->path, search->homes[i]))
            continue;
        autoclose int fd = lookup_open(AT_FDCWD, search->homes[i]);
        struct root home = {.row = root->row, .path = search->homes[i], .why = root->why, .fd = fd};
        struct stat status;
        if (fd < 0 || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
            return 0;
        return add_piece(search, &home, name);
    }
    return 0;
}

int search_pieces(struct search *search, const struct root *root, const char *below) {
    char word[TOOLCHAIN_WORD], *shown = search->filled;
    for (const char *shows = root->row->shows; toolchain_word(&shows, word);)
        if (strncmp(word, "~/", 2) == 0          ? add_beside(search, root, word + 2)
            : strchr(word, '[')                  ? add_matching(search, root, word)
            : toolchain_fill(word, below, shown) ? add_piece(search, root, shown)
                                                 : 0)
            return -1;
    return strcmp(root->row->name, "venv") == 0 ? read_base(search, root) : 0;
}
