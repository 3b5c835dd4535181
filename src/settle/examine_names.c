/* examine_names.c (touching: lstat, getdents64). See examine.h.
 *
 * Configuration counts only at the top of a root, or of a repository that was there before: deeper, packages that were
 * unpacked may have all these names. */
#include "settle/examine_parts.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/entries.h"
#include "linux/lookup.h"
#include "linux/search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH = 16, LINKS = 20000 };

/* Text that people and agents take for instructions, what builds and package managers run, settings of versions and
 * of the environment: to be read before it is used, and changed all the time. */
static const char *const told[] = {"AGENTS.md",
                                   "CLAUDE.md",
                                   "CLAUDE.local.md",
                                   "GEMINI.md",
                                   "QWEN.md",
                                   ".cursorrules",
                                   ".windsurfrules",
                                   ".clinerules",
                                   ".github/copilot-instructions.md",
                                   ".github/workflows",
                                   ".gitlab-ci.yml",
                                   ".circleci",
                                   ".env",
                                   ".env.local",
                                   ".tool-versions",
                                   ".python-version",
                                   ".node-version",
                                   ".nvmrc",
                                   ".ruby-version",
                                   "rust-toolchain.toml",
                                   "rust-toolchain",
                                   "package.json",
                                   ".npmrc",
                                   ".yarnrc",
                                   ".yarnrc.yml",
                                   ".pnpmfile.cjs",
                                   "node_modules/.bin",
                                   "conftest.py",
                                   "sitecustomize.py",
                                   "usercustomize.py",
                                   "pip.conf",
                                   ".venv/pyvenv.cfg",
                                   ".venv/bin/activate",
                                   "venv/bin/activate",
                                   "setup.py",
                                   "pyproject.toml",
                                   "tox.ini",
                                   "noxfile.py",
                                   "Makefile",
                                   "makefile",
                                   "GNUmakefile",
                                   "justfile",
                                   "Justfile",
                                   "Taskfile.yml",
                                   "build.rs",
                                   ".cargo",
                                   "CMakeLists.txt",
                                   ".bazelrc",
                                   "build.gradle",
                                   "build.gradle.kts",
                                   "gradlew",
                                   "gradle/wrapper",
                                   "mvnw",
                                   ".mvn",
                                   "Gemfile",
                                   "Rakefile",
                                   "Vagrantfile",
                                   "Dockerfile",
                                   ".gitattributes",
                                   ".gitmodules",
                                   NULL};

static const char configuration[] = "is configuration that runs code, and came or changed during the run";

/* Did the operator say that the command may change it? */
static bool is_granted(const struct examine *examine, const char *path) {
    for (size_t i = 0; i < examine->run->roots.count; i++)
        if (path_is_under(examine->run->roots.at[i].path, path))
            return true;
    return false;
}

/* Each thing in a folder that was there before. */
static int take_entries(struct examine *examine, int at, const char *name, const char *path, const char *why,
                        int depth) {
    autoclose int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == EACCES ? 0 : examine_failed(examine, path, errno);
    struct entries *entries = malloc(sizeof *entries);
    char *below = malloc(PATH_MAX);
    int result = entries && below ? 0 : error_memory(examine->err);
    if (!result)
        *entries = (struct entries){.fd = fd};
    for (const struct entry *entry; !result && (entry = entries_next(entries));)
        if (!entry_is_dots(entry->name) && snprintf(below, PATH_MAX, "%s/%s", path, entry->name) < PATH_MAX)
            result = examine_inside(examine, fd, entry->name, below, why, depth + 1);
    if (!result && entries->error)
        result = examine_failed(examine, path, entries->error);
    free(entries);
    free(below);
    return result;
}

/* A folder that changed goes as a whole: what it holds may have been moved there with it, and be older than the run. */
int examine_inside(struct examine *examine, int at, const char *name, const char *path, const char *why, int depth) {
    struct stat status;
    int there = examine_look(examine, at, name, path, &status);
    if (there <= 0)
        return there;
    int changed = examine_changed(examine, at, name, path, &status);
    if (changed < 0)
        return -1;
    if (S_ISDIR(status.st_mode) && depth < DEPTH && !changed)
        return take_entries(examine, at, name, path, why, depth);
    return changed ? examine_put_aside(examine, at, name, path, why, SETTLED_ASIDE) : changed;
}

/* One that must not have come or changed. `whole`: a folder that isn't held wasn't there before. */
static int take(struct examine *examine, int at, const char *name, const char *path, const char *why, bool whole) {
    struct stat status;
    int there = examine_look(examine, at, name, path, &status);
    if (there <= 0 || is_granted(examine, path) || (!examine->recording && examine_is_held(examine, path)))
        return there < 0 ? -1 : 0;
    return S_ISDIR(status.st_mode) && whole && !examine->recording && !examine->run->by_content
               ? examine_put_aside(examine, at, name, path, why, SETTLED_ASIDE)
               : examine_inside(examine, at, name, path, why, 0);
}

/* By its path, in which no link is followed. */
static int take_path(struct examine *examine, const char *path, const char *why, bool whole) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t size = (size_t)(slash - path);
    if (size >= sizeof folder)
        return 0;
    memcpy(folder, path, size);
    folder[size] = '\0';
    autoclose int at = lookup_open(AT_FDCWD, size ? folder : "/");
    if (at < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES
                   ? 0
                   : examine_failed(examine, path, errno);
    autoclose int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES ? 0 : examine_failed(examine, folder, errno);
    return take(examine, fd, slash + 1, path, why, whole);
}

/* A path of the table in an open folder: each part of it can be what came. */
static int take_parts(struct examine *examine, int folder, const char *path, const char *listed, bool whole) {
    char name[NAME_MAX + 1], place[PATH_MAX];
    bool moved = false;
    autoclose int at = dup(folder);
    if (at < 0)
        return examine_failed(examine, path, errno);
    for (const char *slash; (slash = strchr(listed, '/')); listed = slash + 1) {
        struct stat status;
        snprintf(name, sizeof name, "%.*s", (int)(slash - listed), listed);
        snprintf(place, sizeof place, "%.*s", (int)(strlen(path) - strlen(slash)), path);
        int there = examine_look(examine, at, name, place, &status);
        int changed = there > 0 ? examine_changed(examine, at, name, place, &status) : 0;
        if (there <= 0 || changed < 0)
            return there < 0 || changed < 0 ? -1 : 0;
        if (!S_ISDIR(status.st_mode))
            return changed ? examine_put_aside(examine, at, name, place, configuration, SETTLED_ASIDE) : 0;
        moved |= changed && !examine->run->by_content;
        (void)!lookup_allow(at, name, 0500);
        int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES
                       ? 0
                       : examine_failed(examine, place, errno);
        fd_close(&at);
        at = next;
    }
    struct stat status;
    int there = moved ? examine_look(examine, at, listed, path, &status) : 0;
    if (there < 0)
        return -1;
    return there && !examine_is_fixed(examine, path, &status)
               ? examine_put_aside(examine, at, listed, path, configuration, SETTLED_ASIDE)
               : take(examine, at, listed, path, configuration, whole);
}

static int take_told(struct examine *examine, int at, const char *name, const char *path) {
    struct stat status;
    int there = examine_look(examine, at, name, path, &status);
    int changed = there > 0 ? examine_changed(examine, at, name, path, &status) : there;
    return changed > 0 ? examine_report(examine, path, "people and their tools act on it") : changed;
}

/* What an entry of a top folder may stand for. */
static int take_entry(struct examine *examine, int at, const char *folder, const char *name, bool whole, bool root) {
    static const char ending[] = ".code-workspace";
    char path[PATH_MAX];
    size_t size = strlen(name);
    for (size_t i = 0; protected_names[i]; i++)
        if (protected_begins(protected_names[i], name) &&
            snprintf(path, sizeof path, "%s/%s", folder, protected_names[i]) < (int)sizeof path &&
            take_parts(examine, at, path, protected_names[i], whole))
            return -1;
    if (size >= sizeof ending && strcasecmp(name + size - sizeof ending + 1, ending) == 0 &&
        snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
        take(examine, at, name, path, configuration, false))
        return -1;
    for (size_t i = 0; root && told[i]; i++)
        if (protected_begins(told[i], name) &&
            snprintf(path, sizeof path, "%s/%s", folder, told[i]) < (int)sizeof path &&
            take_told(examine, at, told[i], path))
            return -1;
    return 0;
}

int examine_top(struct examine *examine, const char *path, bool whole, bool root) {
    autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES
                   ? 0
                   : examine_failed(examine, path, errno);
    const char *folder = strcmp(path, "/") ? path : "";
    struct entries entries = {.fd = fd};
    for (const struct entry *entry; (entry = entries_next(&entries));)
        if (take_entry(examine, fd, folder, entry->name, whole, root))
            return -1;
    return entries.error ? examine_failed(examine, path, entries.error) : 0;
}

/* Of what search_git found: the parts of git directories are looked at where they are met. */
static bool is_part(const struct protected *named) {
    const char *path = named->place.path, *name = strrchr(path, '/') + 1, *inside = strstr(path, "/.git/");
    if (strcmp(name, ".git") == 0 || strcmp(name, ".gitmodules") == 0) /* the second is told at the top */
        return true;
    return inside && (named->why != search_named || strcmp(inside, "/.git/hooks") == 0);
}

int examine_named(struct examine *examine, const char *path, bool whole) {
    struct probe probe = *examine->probe;
    struct error err = {0};
    struct search search = {
        .arena = examine->arena, .policy = examine->policy, .probe = &probe, .err = &err, .names_only = true};
    probe.protection = (struct protection){0};
    for (size_t i = 0; i < examine->run->roots.count; i++)
        if (text_add(examine->arena, &search.roots, examine->run->roots.at[i].path))
            return error_memory(examine->err);
    if (search_git(&search, path))
        return err.status ? error_set(examine->err, EXIT_USAGE,
                                      "what the git configuration of %s names can't be looked at; look at it before "
                                      "you use git there",
                                      path)
                          : error_memory(examine->err);
    for (size_t i = 0; i < probe.protection.held.count; i++) {
        const struct protected *named = &probe.protection.held.at[i];
        if (!is_part(named) && take_path(examine, named->place.path,
                                         "is named by a git configuration, and came or changed during the run", whole))
            return -1;
    }
    return 0;
}

/* Does a link lead out of all folders that the command could change? By its text. */
static bool leads_out(const struct examine *examine, const char *folder, const char *target) {
    char path[2 * PATH_MAX];
    int size = target[0] == '/' ? snprintf(path, sizeof path, "%s", target)
                                : snprintf(path, sizeof path, "%s/%s", folder, target);
    if (size < 0 || size >= (int)sizeof path)
        return true;
    char out[2 * PATH_MAX] = "";
    size_t used = 0;
    for (char *at = path; *(at += strspn(at, "/"));) {
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            while (used && out[--used] != '/')
                continue;
        } else if (length != 1 || at[0] != '.') {
            out[used++] = '/';
            memcpy(out + used, at, length);
            used += length;
        }
        at += length;
    }
    out[used] = '\0';
    for (size_t i = 0; i < examine->run->roots.count; i++)
        if (path_is_under(used ? out : "/", examine->run->roots.at[i].path))
            return false;
    return true;
}

int examine_oddity(void *context, const struct scanned *scanned, const char *name, unsigned char type) {
    struct examine *examine = context;
    char path[PATH_MAX], target[PATH_MAX];
    struct stat status;
    if (examine->recording || examine->out->reported > SETTLED_REPORTED_MAX ||
        (type == DT_LNK && ++examine->links > LINKS) ||
        snprintf(path, sizeof path, "%s/%s", scanned->path, name) >= (int)sizeof path)
        return 0;
    int there = examine_look(examine, scanned->fd, name, path, &status);
    if (there <= 0)
        return there;
    if (status.st_ctim.tv_sec < examine->since.tv_sec)
        return 0;
    if (type != DT_LNK)
        return examine_report(examine, path,
                              type == DT_FIFO   ? "a FIFO: who opens it waits"
                              : type == DT_SOCK ? "a socket"
                                                : "a device");
    ssize_t size = readlinkat(scanned->fd, name, target, sizeof target - 1);
    if (size < 0)
        return 0;
    target[size] = '\0';
    return leads_out(examine, scanned->path, target)
               ? examine_report(examine, path, "a link that leads out of the folder: who writes to it writes there")
               : 0;
}
