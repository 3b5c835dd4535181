/* search_git.c (touching: lstat, read). The git directory of a folder, and what in the tree its configuration names.
 *
 * Git looks for `.git`: a folder, or a file that says where one is; that one may share the rest of another (commondir).
 * What the configuration names runs on the host at the next `git status`: hooks, filters, an editor; and what the files
 * name that it includes. */
#include "linux/search.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/git_config.h"
#include "linux/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CONFIG_MAX = 1 << 20, POINTER_MAX = 4096, SHOWN = 1024, INCLUDED = 10 }; /* git follows ten too */

static const struct sought git_directory = {PROTECTED_GIT, "git directory"};
static const struct sought git_pointer = {PROTECTED_GIT, "leads to a git directory"};
static const struct sought git_modules = {PROTECTED_GIT, "says where submodules come from"};
const char search_named[] = "named in the git configuration";
static const struct sought git_program = {PROTECTED_GIT, search_named};

/* The bytes of a regular file, at most `room` of them; NULL: it isn't there, or *failed. */
static char *read_file(struct search *search, const char *path, size_t room, size_t *size, bool *failed) {
    struct stat status;
    char shown[SHOWN];
    *failed = false;
    autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && resolve_absent(errno))
        return NULL;
    bool known = fd >= 0 && !fstat(fd, &status);
    if (known && !S_ISREG(status.st_mode))
        return NULL;
    *failed = true;
    size_t wanted = known && (size_t)status.st_size < room ? (size_t)status.st_size : room;
    char *bytes = known ? arena_alloc(search->arena, wanted + 2) : NULL;
    ssize_t got = bytes ? fd_read_all(fd, bytes, wanted + 1) : -1;
    if (got >= 0 && (size_t)got <= wanted) {
        *failed = false;
        *size = (size_t)got;
        return bytes;
    }
    if (!known || bytes)
        error_set(search->err, EXIT_REFUSED,
                  "refused, nothing was started: %s can't be looked through for what must be protected (%s)",
                  path_show(path, shown, sizeof shown), got >= 0 ? "it is too large, or changes" : error_name(errno));
    return NULL;
}

/* A path as git takes it: from the home, from /, or from `folder`. */
static const char *path_from(struct search *search, const char *folder, const char *text) {
    const struct probe *probe = search->probe;
    const char *home = probe->home.path ? probe->home.path : probe->account_home.path;
    if (strncmp(text, "~/", 2) == 0)
        return arena_printf(search->arena, "%s%s", home ? home : "/nowhere", text + 1);
    return text[0] == '/' ? text : arena_printf(search->arena, "%s/%s", folder, text);
}

/* A word of a value that is the name of a file in the tree. */
static int take_word(struct search *search, const char *folder, const char *word) {
    struct stat status;
    size_t digits = strspn(word, "0123456789");
    if (!*word || !word[digits] || strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return 0;
    const char *path = path_from(search, folder, word);
    if (!path)
        return -1;
    if (stat(path, &status))
        return search_failed(search, path, errno);
    if (!S_ISREG(status.st_mode))
        return 0;
    return search_follow(search, path, git_program, NULL);
}

static int take_words(struct search *search, const char *folder, const char *value) {
    static const char between[] = " \t\n!\"'`;|&()<>$={}:,";
    char word[POINTER_MAX];
    for (const char *at = value; *(at += strspn(at, between));) {
        size_t size = strcspn(at, between);
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        if (take_word(search, folder, word))
            return -1;
        at += size;
    }
    return take_word(search, folder, value); /* with spaces in it */
}

/* Values that are no programs, and can be many. */
static bool is_data(const struct git_config *config) {
    static const char *const sections[] = {"branch", "user", "url", "color", "advice"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strcmp(config->section, sections[i]) == 0)
            return true;
    return strcmp(config->section, "remote") == 0 &&
           (strcmp(config->key, "url") == 0 || strcmp(config->key, "fetch") == 0);
}

static int take_config(struct search *search, const char *path, const char *folder, int depth);

/* `file`: the configuration's own path, from which it includes others. */
static int take_value(struct search *search, const char *file, const char *folder, const struct git_config *config,
                      int depth) {
    struct place place;
    bool hooks = strcmp(config->section, "core") == 0 && strcmp(config->key, "hookspath") == 0;
    bool include = strncmp(config->section, "include", 7) == 0 && strcmp(config->key, "path") == 0;
    const char *above = include ? arena_copy_bytes(search->arena, file, (size_t)(strrchr(file, '/') - file)) : folder;
    const char *path = (hooks || include) && above ? path_from(search, above, config->value) : NULL;
    if (!hooks && !include)
        return is_data(config) ? 0 : take_words(search, folder, config->value);
    if (!path || search_follow(search, path, git_program, &place))
        return -1;
    if (include)
        return depth < INCLUDED ? take_config(search, path, folder, depth + 1) : 0;
    return place.path && S_ISDIR(place.mode) ? search_links(search, place.path, 0, git_program) : 0;
}

static int take_config(struct search *search, const char *path, const char *folder, int depth) {
    struct git_config config;
    size_t size;
    bool failed;
    const char *text = path ? read_file(search, path, CONFIG_MAX, &size, &failed) : NULL;
    if (!text)
        return !path || failed ? -1 : 0;
    git_config_begin(&config, text, size);
    while (git_config_next(&config))
        if (take_value(search, path, folder, &config, depth))
            return -1;
    return 0;
}

/* The links in it, which may lead into the tree: as a whole, or a hook that lies beside the sources. */
static int take_directory(struct search *search, const char *directory, const char *folder) {
    static const char *const folders[] = {"", "/hooks", "/info"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *path = arena_printf(search->arena, "%s%s", directory, folders[i]);
        if (!path || search_links(search, path, 0, git_directory))
            return -1;
    }
    return take_config(search, arena_printf(search->arena, "%s/config", directory), folder, 0) ||
                   take_config(search, arena_printf(search->arena, "%s/config.worktree", directory), folder, 0)
               ? -1
               : 0;
}

/* Where a file says that a folder is, after `prefix`; place->path is NULL when it says nothing. */
static int take_pointer(struct search *search, const char *file, const char *folder, const char *prefix,
                        struct place *place) {
    size_t size, skip = strlen(prefix);
    bool failed;
    char *text = read_file(search, file, POINTER_MAX, &size, &failed);
    *place = (struct place){0};
    if (!text || size <= skip || strncmp(text, prefix, skip) != 0)
        return failed ? -1 : 0;
    while (size > skip && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    text[size] = '\0';
    const char *path = text[skip] == '/' ? text + skip : arena_printf(search->arena, "%s/%s", folder, text + skip);
    return path ? search_follow(search, path, git_directory, place) : -1;
}

/* A git directory that was found and is held, and the one that it shares the rest with. */
static int take_found(struct search *search, const char *directory, const char *folder) {
    struct place common;
    struct stat status;
    const char *pointer = arena_printf(search->arena, "%s/commondir", directory);
    const char *head = arena_printf(search->arena, "%s/HEAD", directory);
    if (head && lstat(head, &status)) /* git takes no other folder for one */
        return search_failed(search, head, errno);
    if (!head || !pointer || take_directory(search, directory, folder) ||
        take_pointer(search, pointer, directory, "", &common))
        return -1;
    return common.path && S_ISDIR(common.mode) ? take_directory(search, common.path, folder) : 0;
}

/* A repository without a work tree: the folder itself is the git directory, and objects come into it. */
static int take_bare(struct search *search, const char *folder) {
    static const char *const signs[] = {"HEAD", "objects", "refs"};
    struct stat status;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char *path = arena_printf(search->arena, "%s/%s", folder, signs[i]);
        if (!path || lstat(path, &status))
            return path ? search_failed(search, path, errno) : -1;
    }
    for (size_t i = 0; protected_bare_names[i]; i++) {
        const char *path = arena_printf(search->arena, "%s/%s", folder, protected_bare_names[i]);
        if (!path || search_follow(search, path, git_directory, NULL))
            return -1;
    }
    return take_found(search, folder, folder);
}

/* The user's own settings hold for each repository: a folder of hooks that they name in its work tree. */
static int take_users(struct search *search, const char *folder) {
    static const char *const files[] = {"~/.gitconfig", "~/.config/git/config", "/etc/gitconfig"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct git_config config;
        struct place place;
        size_t size;
        bool failed;
        const char *path = path_from(search, "/", files[i]);
        const char *text = path ? read_file(search, path, CONFIG_MAX, &size, &failed) : NULL;
        if (!text && (!path || failed))
            return -1;
        git_config_begin(&config, text ? text : "", text ? size : 0);
        while (git_config_next(&config)) {
            bool hooks = strcmp(config.section, "core") == 0 && strcmp(config.key, "hookspath") == 0;
            if (!hooks || config.value[0] == '/' || config.value[0] == '~')
                continue;
            path = path_from(search, folder, config.value);
            if (!path || search_follow(search, path, git_program, &place) ||
                (place.path && S_ISDIR(place.mode) && search_links(search, place.path, 0, git_program)))
                return -1;
        }
    }
    return 0;
}

int search_git(struct search *search, const char *folder) {
    const char *path = arena_printf(search->arena, "%s/.git", folder);
    struct place place, directory;
    struct stat status;
    if (!path || take_bare(search, folder))
        return -1;
    if (lstat(path, &status))
        return search_failed(search, path, errno);
    if (search_follow(search, path, S_ISREG(status.st_mode) ? git_pointer : git_directory, &place))
        return -1;
    if (place.path && take_users(search, folder))
        return -1;
    const char *modules = place.path ? arena_printf(search->arena, "%s/.gitmodules", folder) : NULL;
    if (!modules || search_follow(search, modules, git_modules, NULL)) /* of use only with a git directory */
        return place.path ? -1 : 0;
    if (S_ISDIR(place.mode))
        return take_found(search, place.path, folder);
    if (take_pointer(search, place.path, folder, "gitdir: ", &directory))
        return -1;
    return directory.path && S_ISDIR(directory.mode) ? take_found(search, directory.path, folder) : 0;
}
