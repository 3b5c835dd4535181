/* toolchains.c (pure): see toolchains.h. */
#include "plan/toolchains.h"

#include "base/path.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const struct toolchain toolchain_table[] = {
#define TOOLCHAIN(name, variables, places, markers, shows, hides, with, links)                                         \
    {name, variables, places, markers, shows, hides, with, links},
#include "plan/toolchains.def"
#undef TOOLCHAIN
};

const size_t toolchain_count = sizeof toolchain_table / sizeof toolchain_table[0];

const struct toolchain *toolchain_find(const char *name) {
    for (size_t i = 0; i < toolchain_count; i++)
        if (strcmp(toolchain_table[i].name, name) == 0)
            return &toolchain_table[i];
    return NULL;
}

bool toolchain_word(const char **list, char word[TOOLCHAIN_WORD]) {
    const char *at = *list + strspn(*list, " ");
    size_t size = strcspn(at, " ");
    *list = at + size;
    if (!size || size >= TOOLCHAIN_WORD)
        return false;
    memcpy(word, at, size);
    word[size] = '\0';
    return true;
}

/* Take the next component of a path; false at its end, and when it is too long. */
static bool component(const char **path, char name[NAME_MAX + 1]) {
    const char *at = *path + strspn(*path, "/");
    size_t size = strcspn(at, "/");
    *path = at + size;
    if (!size || size > NAME_MAX)
        return false;
    memcpy(name, at, size);
    name[size] = '\0';
    return true;
}

/* A name that begins with a dot is matched only by a pattern that does. */
static bool matches(const char *pattern, const char *name) {
    return fnmatch(pattern, name, FNM_PERIOD | FNM_NOESCAPE) == 0;
}

bool toolchain_fill(const char *pattern, const char *below, char *out) {
    char wanted[NAME_MAX + 1], name[NAME_MAX + 1];
    size_t used = 0;
    *out = '\0';
    while (component(&pattern, wanted)) {
        /* what comes before the last star must be the same on both sides */
        bool star = strchr(wanted, '*') && !strchr(wanted, '['), later = strchr(pattern, '*') && !strchr(pattern, '[');
        if ((star || later) && (!component(&below, name) || !matches(wanted, name)))
            return false;
        int more = snprintf(out + used, PATH_MAX - used, "%s%s", used ? "/" : "", star ? name : wanted);
        if (more < 0 || (used += (size_t)more) >= PATH_MAX)
            return false;
    }
    return used > 0;
}

const char *toolchain_rest(const char *pattern, const char *shown) {
    char wanted[NAME_MAX + 1], name[NAME_MAX + 1];
    if (strcmp(shown, ".") == 0)
        return pattern;
    while (component(&shown, name))
        if (!component(&pattern, wanted) || !matches(wanted, name))
            return NULL;
    pattern += strspn(pattern, "/");
    return *pattern ? pattern : NULL;
}

/* Is `below` at what `show` names, or below it? */
static bool reaches(const char *show, const char *below) {
    char wanted[NAME_MAX + 1], name[NAME_MAX + 1];
    while (component(&show, wanted))
        if (!component(&below, name) || !matches(wanted, name))
            return false;
    return true;
}

bool toolchain_shows(const struct toolchain *row, const char *below) {
    char word[TOOLCHAIN_WORD];
    if (!*below)
        return true;
    for (const char *shows = row->shows; toolchain_word(&shows, word);)
        if (strcmp(word, ".") == 0 || (word[0] != '~' && reaches(word, below)))
            return true;
    return false;
}

/* Is `path` one of these places of `home`, or (`below`) below one? */
static bool is_among(const char *home, const char *path, const char *places, bool below) {
    char word[TOOLCHAIN_WORD];
    if (!path_is_under(path, home))
        return false;
    path += strlen(home) + 1;
    while (toolchain_word(&places, word))
        if (below ? path_is_under(path, word) : strcmp(path, word) == 0)
            return true;
    return false;
}

bool toolchain_allowed(const struct probe *probe, const char *root, bool known) {
    static const char credentials[] =
        ".ssh .gnupg .aws .azure .kube .docker .password-store .config/gh .config/gcloud .config/git .config/op "
        ".config/pinfold .local/share/keyrings .mozilla .thunderbird .pki .git .oci .terraform.d .vault-token";
    static const char shared[] = ".local .local/share .local/state .config .cache .var Desktop Documents Downloads";
    static const char *const kernel[] = {"/proc", "/dev", "/sys"};
    const char *const homes[] = {probe->home.path, probe->account_home.path};
    if (!path_is_canonical(root) || strcmp(root, "/") == 0)
        return false;
    for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++)
        if (path_is_under(root, kernel[i]))
            return false;
    for (size_t i = 0; i < 2; i++)
        if (homes[i] && strcmp(homes[i], "/") != 0 &&
            (path_is_under(homes[i], root) || is_among(homes[i], root, credentials, true) ||
             (!known && is_among(homes[i], root, shared, false))))
            return false;
    return true;
}
