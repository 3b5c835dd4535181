/* harmless.c (pure): see harmless.h. A list of what is known to be harmless: git has hundreds of variables that name a
 * program, and the next version has more. */
#include "settle/harmless.h"

#include "linux/git_config.h"

#include <stdio.h>
#include <string.h>

/* Lines of SECTION KEY...; a single * stands for all keys of a section. */
static const char *const harmless[] = {
    "advice *",
    "branch remote merge rebase description pushremote",
    "color *",
    "commit cleanup status verbose",
    "core repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol "
    "safecrlf compression loosecompression bigfilethreshold longpaths sparsecheckout sparsecheckoutcone untrackedcache "
    "splitindex preloadindex quotepath abbrev sharedrepository hidedotfiles trustctime checkstat fscache",
    "diff algorithm renames renamelimit noprefix mnemonicprefix indentheuristic colormoved context",
    "extensions objectformat worktreeconfig partialclone refstorage noop preciousobjects",
    "feature experimental manyfiles",
    "fetch prune prunetags parallel writecommitgraph fsckobjects",
    "gc auto autodetach autopacklimit pruneexpire worktreepruneexpire reflogexpire",
    "index version threads sparse",
    "init defaultbranch",
    "lfs repositoryformatversion",
    "log date decorate follow",
    "maintenance auto strategy",
    "merge ff conflictstyle renames log stat",
    "pack threads windowmemory depth window",
    "pull rebase ff",
    "push default autosetupremote followtags",
    "rebase autosquash autostash stat",
    "remote url pushurl fetch push tagopt prune prunetags promisor partialclonefilter mirror",
    "rerere enabled autoupdate",
    "status *",
    "submodule url active branch ignore recurse fetchrecursesubmodules",
    "tag sort",
    "user name email useconfigonly",
};

static bool word_in(const char *words, const char *word) {
    size_t size = strlen(word);
    for (const char *at = words; *(at += strspn(at, " "));) {
        size_t length = strcspn(at, " ");
        if ((length == 1 && *at == '*') || (length == size && strncmp(at, word, size) == 0))
            return true;
        at += length;
    }
    return false;
}

static bool is_listed(const struct git_config *config) {
    size_t size = strlen(config->section);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (strncmp(harmless[i], config->section, size) == 0 && harmless[i][size] == ' ')
            return word_in(harmless[i] + size, config->key);
    return false;
}

/* Transports that are programs of the user's ("name::address"), or what a program would take for an option. */
static bool is_plain_address(const char *value) {
    return value[0] != '-' && !strstr(value, "::");
}

/* The work tree of a submodule: below the top of the repository. */
static bool is_below_top(const struct git_config *config, int steps) {
    const char *at = config->value;
    if (strcmp(config->section, "core") != 0 || strcmp(config->key, "worktree") != 0 || steps == 0)
        return false;
    for (; steps > 0; steps--, at += 3)
        if (strncmp(at, "../", 3) != 0)
            return false;
    return *at && *at != '/' && !strstr(at, "..");
}

static bool is_harmless(const struct git_config *config, int steps) {
    if (is_below_top(config, steps))
        return true;
    return is_listed(config) && (strstr(config->key, "url") == NULL || is_plain_address(config->value));
}

/* Does it stand in the text? A value that was cut off is like no other. */
static bool stands_in(const struct git_config *wanted, const struct text *text) {
    struct git_config config;
    if (!text->size || strlen(wanted->value) + 1 == sizeof wanted->value)
        return false;
    git_config_begin(&config, text->at, text->size);
    while (git_config_next(&config))
        if (strcmp(config.section, wanted->section) == 0 && strcmp(config.key, wanted->key) == 0 &&
            strcmp(config.value, wanted->value) == 0)
            return true;
    return false;
}

bool harmless_config(const struct text *text, const struct text *before, int steps, char why[HARMLESS_WHY]) {
    struct git_config config;
    why[0] = '\0';
    git_config_begin(&config, text->at, text->size);
    while (git_config_next(&config))
        if (!is_harmless(&config, steps) && !stands_in(&config, before)) {
            snprintf(why, HARMLESS_WHY, "sets %s.%s", config.section, config.key);
            break;
        }
    if (config.broken)
        snprintf(why, HARMLESS_WHY, "can't be read to its end");
    for (char *at = why; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    return !*why;
}

bool harmless_todo(const struct text *text, char why[HARMLESS_WHY]) {
    why[0] = '\0';
    for (const char *at = text->at, *end = at + text->size; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line ? line : end) - at), blank = 0, word = 0;
        while (blank < length && (at[blank] == ' ' || at[blank] == '\t' || at[blank] == '\r'))
            blank++;
        while (blank + word < length && at[blank + word] > ' ')
            word++;
        bool executes = (word == 4 && memcmp(at + blank, "exec", 4) == 0) || (word == 1 && at[blank] == 'x');
        if (executes || memchr(at, '\0', length)) {
            snprintf(why, HARMLESS_WHY, "executes commands");
            return false;
        }
        at += length + 1;
    }
    return true;
}
