/* examine_git.c (touching: lstat, read). See examine.h: a repository, whose git directory tells git which programs to
 * run: hooks, and what its configuration names.
 *
 * One that the command may have made, or put in its place, is judged whole; one that was there before, by what changed
 * in it. What is in a text, a process without rights tells (judge.h). */
#include "settle/examine_parts.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "linux/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPOSITORIES_MAX = 5000 };

/* A git directory that is being looked at. */
struct directory {
    struct examine *examine;
    int fd;
    const char *path;
    bool activated; /* what didn't change counts too */
};

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), length = strlen(end);
    return size >= length && strcmp(text + size - length, end) == 0;
}

static bool is_known(const struct examine *examine, const char *path, const struct stat *status) {
    for (size_t i = 0; i < examine->run->known.count; i++) {
        const struct thing *known = &examine->run->known.at[i];
        if (known->dev == status->st_dev && known->ino == status->st_ino && strcmp(known->path, path) == 0)
            return true;
    }
    return false;
}

static const struct original *original_of(const struct run *run, const char *path) {
    for (size_t i = run_find(run, path); run_has(run, i, path); i++)
        if (run->files.at[i].text)
            return &run->files.at[i];
    return NULL;
}

/* *path gets that of a member. 1: it is there and counts. */
static int look_member(struct directory *directory, int at, const char *name, char path[PATH_MAX],
                       struct stat *status) {
    struct examine *examine = directory->examine;
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    if (snprintf(path, PATH_MAX, "%s/%s", directory->path, name) >= PATH_MAX)
        return examine_failed(examine, directory->path, ENAMETOOLONG);
    int there = examine_look(examine, at, at == directory->fd ? name : last, path, status);
    if (there <= 0 || examine_is_fixed(examine, path, status))
        return there < 0 ? -1 : 0;
    int changed = examine_changed(examine, at, at == directory->fd ? name : last, path, status);
    return changed < 0 ? -1 : changed || directory->activated;
}

/* What was there when the run began is there again. */
static int restore(struct directory *directory, const char *name, const char *path, const struct original *before) {
    autoclose int fd = openat(directory->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fd_write_all(fd, before->text, before->size) || fchmod(fd, before->mode & 0777))
        return examine_failed(directory->examine, path, errno);
    return 0;
}

/* How many "../" lead from the git directory of a submodule to the top of its repository; 0: it is none. */
static int steps_up(const char *path) {
    const char *modules = strstr(path, "/.git/modules/");
    int count = 1; /* .git */
    for (const char *at = modules ? modules + 5 : ""; *at; at++)
        count += *at == '/';
    return modules ? count : 0;
}

/* `name`: from the git directory on; its last part is in the open folder `at`. */
static int take_text(struct directory *directory, int at, const char *name, enum judge_kind kind) {
    struct examine *examine = directory->examine;
    char path[PATH_MAX], why[HARMLESS_WHY], reason[HARMLESS_WHY + 64];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    struct stat status;
    const char *text = "";
    size_t size = 0;
    int counts = look_member(directory, at, name, path, &status);
    if (counts <= 0 || examine->recording)
        return counts < 0 ? -1 : 0;
    int readable = examine_read(examine, at, last, path, &text, &size);
    if (readable < 0)
        return -1;
    const struct original *before = original_of(examine->run, path);
    int harmless = 0;
    strcpy(why, "is no file that can be read");
    if (readable) {
        const struct text now = {text, size}, then = {before ? before->text : "", before ? before->size : 0};
        harmless = judge_ask(&examine->judge, kind, &now, &then, steps_up(directory->path), why);
    }
    if (harmless < 0)
        return examine_failed(examine, path, errno);
    if (harmless)
        return 0;
    snprintf(reason, sizeof reason, "%s, so that git would run what it says", why);
    if (examine_put_aside(examine, at, last, path, reason, before ? SETTLED_RESTORED : SETTLED_ASIDE))
        return -1;
    return before ? restore(directory, name, path, before) : 0;
}

/* Where the rest of it is: a work tree's leads to the repository that it is in. */
static int take_common(struct directory *directory) {
    struct examine *examine = directory->examine;
    char path[PATH_MAX];
    struct stat status;
    const char *text;
    size_t size;
    int counts = look_member(directory, directory->fd, "commondir", path, &status);
    if (counts <= 0 || examine->recording)
        return counts < 0 ? -1 : 0;
    int readable = examine_read(examine, directory->fd, "commondir", path, &text, &size);
    if (readable < 0)
        return -1;
    bool above = readable && (size == 5 || (size == 6 && text[5] == '\n')) && strncmp(text, "../..", 5) == 0;
    const char *slash = strrchr(directory->path, '/');
    bool tree = slash - directory->path > 10 && strncmp(slash - 10, "/worktrees", 10) == 0;
    return above && tree ? 0
                         : examine_put_aside(examine, directory->fd, "commondir", path,
                                             "leads git to another directory for its settings", SETTLED_ASIDE);
}

/* A folder of the git directory, for reading, also when its owner was shut out of it. What was moved there as a whole
 * has members that didn't change: *counts tells that all of them count. Another thing in its place is put aside. *fd
 * -1: there is no such folder. */
static int open_member(struct directory *directory, const char *name, const char *why, bool *counts, int *fd) {
    struct examine *examine = directory->examine;
    char path[PATH_MAX];
    struct stat status;
    *fd = -1;
    int changed = look_member(directory, directory->fd, name, path, &status);
    if (changed < 0)
        return -1;
    if (changed && !S_ISDIR(status.st_mode))
        return examine_put_aside(examine, directory->fd, name, path, why, SETTLED_ASIDE);
    *counts = changed && !examine->run->by_content && !is_known(examine, path, &status);
    (void)!lookup_allow(directory->fd, name, 0700); /* or it is seen that it can't be looked into */
    *fd = openat(directory->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd >= 0 || errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : examine_failed(examine, path, errno);
}

static int take_hook(struct directory *directory, int hooks, const char *name) {
    static const char why[] = "is a hook, or a part of one: git runs it";
    char path[PATH_MAX], member[NAME_MAX + 8];
    struct stat status;
    if (ends_with(name, ".sample"))
        return 0;
    snprintf(member, sizeof member, "hooks/%s", name);
    int counts = look_member(directory, hooks, member, path, &status);
    if (counts < 0)
        return -1;
    if (counts)
        return examine_put_aside(directory->examine, hooks, name, path, why, SETTLED_ASIDE);
    int there = examine_look(directory->examine, hooks, name, path, &status); /* its status, if it is held, too */
    if (there <= 0 || !S_ISDIR(status.st_mode))
        return there < 0 ? -1 : 0;
    return examine_inside(directory->examine, hooks, name, path, why, 0);
}

static int take_hooks(struct directory *directory) {
    struct examine *examine = directory->examine;
    autoclose int fd = -1;
    bool counts = false, activated = directory->activated;
    if (open_member(directory, "hooks", "leads git to hooks", &counts, &fd))
        return -1;
    struct entries entries = {.fd = fd};
    int result = 0;
    directory->activated |= counts;
    for (const struct entry *entry; fd >= 0 && !result && (entry = entries_next(&entries));)
        result = entry->name[0] != '.' ? take_hook(directory, fd, entry->name) : 0;
    directory->activated = activated;
    return !result && entries.error ? examine_failed(examine, directory->path, entries.error) : result;
}

static int take_todo(struct directory *directory, const char *folder, const char *name) {
    autoclose int fd = -1;
    bool counts = false, activated = directory->activated;
    if (open_member(directory, folder, "leads git to a list of things to do", &counts, &fd))
        return -1;
    directory->activated |= counts;
    int result = fd < 0 ? 0 : take_text(directory, fd, name, JUDGE_TODO);
    directory->activated = activated;
    return result;
}

static int take_directory(struct directory *directory) {
    return take_text(directory, directory->fd, "config", JUDGE_CONFIG) ||
                   take_text(directory, directory->fd, "config.worktree", JUDGE_CONFIG) || take_common(directory) ||
                   take_hooks(directory) || take_todo(directory, "rebase-merge", "rebase-merge/git-rebase-todo") ||
                   take_todo(directory, "sequencer", "sequencer/todo")
               ? -1
               : 0;
}

static int note(struct examine *examine, const char *path, const struct stat *status, bool made) {
    if (examine->repositories.count >= REPOSITORIES_MAX)
        return 0; /* what isn't remembered is met anew */
    struct repository *added = list_add(examine->arena, &examine->repositories);
    const char *copy = arena_copy(examine->arena, path);
    if (!added || !copy)
        return error_memory(examine->err);
    *added = (struct repository){.path = copy, .dev = status->st_dev, .ino = status->st_ino, .made = made};
    return 0;
}

/* A file in the place of a git directory: it says where that is. What git itself makes leads to a part of a git
 * directory in the same folders, which is looked at there. */
static int take_pointer(struct examine *examine, const struct scanned *scanned, const char *path) {
    static const char prefix[] = "gitdir: ";
    const char *text;
    size_t size, skip = sizeof prefix - 1;
    struct place place;
    int readable = examine_read(examine, scanned->fd, ".git", path, &text, &size);
    if (readable < 0)
        return -1;
    char *target = readable && size > skip && size < PATH_MAX && !memcmp(text, prefix, skip)
                       ? arena_copy_bytes(examine->arena, text + skip, size - skip)
                       : NULL;
    while (target && *target && (ends_with(target, "\n") || ends_with(target, "\r")))
        target[strlen(target) - 1] = '\0';
    if (target && resolve(examine->arena, scanned->path, target, &place, NULL))
        return error_memory(examine->err);
    bool part = target && !memchr(text, '\0', size) && !place.error && S_ISDIR(place.mode) &&
                (strstr(place.path, "/.git/modules/") || strstr(place.path, "/.git/worktrees/"));
    for (size_t i = 0; part && i < examine->run->roots.count; i++)
        if (path_is_under(place.path, examine->run->roots.at[i].path))
            return 0;
    return examine_put_aside(examine, scanned->fd, ".git", path, "leads git to another directory", SETTLED_ASIDE);
}

static bool was_made(const struct examine *examine, const char *path, const struct stat *status) {
    for (size_t i = 0; i < examine->probe->protection.remembered.count; i++) {
        const struct repository *one = &examine->probe->protection.remembered.at[i];
        if (one->made && one->dev == status->st_dev && one->ino == status->st_ino && strcmp(one->path, path) == 0)
            return true;
    }
    return false;
}

static int take_dot_git(struct examine *examine, const struct scanned *scanned) {
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/.git", strcmp(scanned->path, "/") ? scanned->path : "") >= (int)sizeof path)
        return examine_failed(examine, scanned->path, ENAMETOOLONG);
    int there = examine_look(examine, scanned->fd, ".git", path, &status);
    if (there <= 0)
        return there;
    bool held = !examine->recording && examine_is_held(examine, path), known = is_known(examine, path, &status);
    int changed = held ? 0 : examine_changed(examine, scanned->fd, ".git", path, &status);
    if (changed < 0)
        return -1;
    if (S_ISLNK(status.st_mode))
        return changed ? examine_put_aside(examine, scanned->fd, ".git", path, "leads git to another directory",
                                           SETTLED_ASIDE)
                       : 0;
    if (S_ISREG(status.st_mode) && changed)
        return take_pointer(examine, scanned, path);
    bool made = false;
    if (S_ISDIR(status.st_mode)) { /* one that is held too: its files may have other names */
        (void)!lookup_allow(scanned->fd, ".git", 0700);
        autoclose int fd = openat(scanned->fd, ".git", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 && errno != EACCES)
            return errno == ENOENT ? 0 : examine_failed(examine, path, errno);
        if (fd < 0) /* another's */
            return changed
                       ? examine_put_aside(examine, scanned->fd, ".git", path, "can't be looked into", SETTLED_ASIDE)
                       : 0;
        bool met = was_made(examine, path, &status); /* and judged whole then */
        made = !known && (met || (changed && examine_is_new(examine, scanned->fd, ".git")));
        struct directory directory = {
            .examine = examine, .fd = fd, .path = path, .activated = changed && !known && !met};
        if (take_directory(&directory))
            return -1;
    }
    if (S_ISDIR(status.st_mode) && !examine->recording && note(examine, path, &status, made))
        return -1;
    bool root = false; /* roots are looked at in any case */
    for (size_t i = 0; i < examine->run->roots.count; i++)
        root |= strcmp(examine->run->roots.at[i].path, scanned->path) == 0;
    bool whole = examine->run->protects && !examine->run->git_writable && (root || held);
    struct later *later = list_add(examine->arena, &examine->later);
    const char *folder = arena_copy(examine->arena, scanned->path);
    if (!later || !folder)
        return error_memory(examine->err);
    *later = (struct later){folder, whole && !made, !root && !made, held};
    return 0;
}

/* The folder is a git directory: of a submodule, of another work tree, or without one. */
static int take_bare(struct examine *examine, const struct scanned *scanned) {
    static const char *const signs[] = {"HEAD", "objects", "refs", "commondir"};
    struct directory directory = {.examine = examine, .fd = scanned->fd, .path = scanned->path};
    struct stat status;
    if (fstat(scanned->fd, &status))
        return examine_failed(examine, scanned->path, errno);
    bool known = is_known(examine, scanned->path, &status), made = was_made(examine, scanned->path, &status);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0] && !known && !made; i++) {
        char path[PATH_MAX];
        struct stat sign;
        int counts = look_member(&directory, scanned->fd, signs[i], path, &sign);
        if (counts < 0)
            return -1;
        directory.activated |= counts > 0;
    }
    if (take_directory(&directory))
        return -1;
    return examine->recording ? 0 : note(examine, scanned->path, &status, made || directory.activated);
}

/* No program names it by its path, but one that goes into it step by step finds it. */
static int take_deep(struct examine *examine, const struct scanned *scanned, const char *name) {
    struct stat status;
    int there = examine_look(examine, scanned->fd, name, scanned->path, &status);
    if (there <= 0 || examine->recording)
        return there < 0 ? -1 : 0;
    int changed = examine_changed(examine, scanned->fd, name, scanned->path, &status);
    return changed > 0 ? examine_put_aside(examine, scanned->fd, name, scanned->path,
                                           "is a git directory whose path is too long", SETTLED_ASIDE)
                       : changed;
}

int examine_git(void *context, const struct scanned *scanned) {
    struct examine *examine = context;
    if (strlen(scanned->path) > PATH_MAX - 64 - NAME_MAX)
        return (scanned->git && take_deep(examine, scanned, ".git")) ||
                       (scanned->bare && take_deep(examine, scanned, "HEAD"))
                   ? -1
                   : 0;
    if (!examine->recording && examine_is_held(examine, scanned->path) && !scanned->git)
        return 0;
    if (scanned->git && take_dot_git(examine, scanned))
        return -1;
    return scanned->bare && !ends_with(scanned->path, "/.git") ? take_bare(examine, scanned) : 0;
}
