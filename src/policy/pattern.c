/* pattern.c (pure): see pattern.h. */
#include "policy/pattern.h"

#include <limits.h>
#include <string.h>

static bool is_escape(const char *at) {
    return at[0] == '\\' && at[1] && strchr("*?\\", at[1]);
}

bool pattern_has_wildcard(const char *word) {
    for (; *word; word += is_escape(word) ? 2 : 1)
        if (*word == '*' || *word == '?')
            return true;
    return false;
}

char *pattern_path(struct arena *arena, const char *word) {
    char *path = arena_copy(arena, word), *out = path;
    for (; path && *word; out++) {
        word += is_escape(word);
        *out = *word++;
    }
    if (out)
        *out = '\0';
    return path;
}

char *pattern_escape(struct arena *arena, const char *path) {
    char *word = arena_alloc(arena, 2 * strlen(path) + 1), *out = word;
    for (; word && *path; path++) {
        if (strchr("*?\\", *path))
            *out++ = '\\';
        *out++ = *path;
    }
    return word;
}

const char *pattern_cut(struct arena *arena, const char *word, struct pattern *pattern, bool *failed) {
    *failed = false;
    pattern->count = 0;
    for (; *word; word += strcspn(word, "/")) {
        word += strspn(word, "/");
        size_t size = strcspn(word, "/");
        if (!size || (size == 1 && *word == '.'))
            continue;
        if (size == 2 && memcmp(word, "..", 2) == 0)
            return "a word with wildcards has no .. in it";
        if (pattern->count == PATTERN_COMPONENTS_MAX)
            return "a word with wildcards has at most 60 components";
        const char *component = pattern->component[pattern->count] = arena_copy_bytes(arena, word, size);
        if (!component) {
            *failed = true;
            return "";
        }
        bool again =
            pattern->count && strcmp(component, "**") == 0 && strcmp(pattern->component[pattern->count - 1], "**") == 0;
        pattern->count += !again;
    }
    return pattern->count ? NULL : "a path is wanted";
}

/* Does one name match? Each `*` but the last that was met needs no second look. */
static bool name_matches(const char *component, const char *name) {
    const char *star = NULL, *rest = NULL;
    while (*name) {
        bool escape = is_escape(component);
        if (!escape && *component == '*') {
            star = ++component;
            rest = name;
        } else if ((!escape && *component == '?') || component[escape] == *name) {
            component += escape + 1;
            name++;
        } else if (star) {
            component = star;
            name = ++rest;
        } else {
            return false;
        }
    }
    return component[strspn(component, "*")] == '\0';
}

static bool is_any(const struct pattern *pattern, size_t at) {
    return at < pattern->count && strcmp(pattern->component[at], "**") == 0;
}

/* A `**` may stand for nothing; at the end it stands for something, or the folder itself would match. */
static uint64_t closed(const struct pattern *pattern, uint64_t state) {
    for (size_t i = 0; i + 1 < pattern->count; i++)
        if (state & UINT64_C(1) << i && is_any(pattern, i))
            state |= UINT64_C(1) << (i + 1);
    return state;
}

uint64_t pattern_begin(const struct pattern *pattern) {
    return closed(pattern, 1);
}

uint64_t pattern_step(const struct pattern *pattern, uint64_t state, const char *name) {
    uint64_t next = 0;
    for (size_t i = 0; i < pattern->count; i++) {
        if (!(state & UINT64_C(1) << i))
            continue;
        if (is_any(pattern, i))
            next |= UINT64_C(1) << (i + 1 < pattern->count ? i : i + 1);
        else if (name_matches(pattern->component[i], name))
            next |= UINT64_C(1) << (i + 1);
    }
    return closed(pattern, next);
}

bool pattern_matches(const struct pattern *pattern, uint64_t state) {
    return state & UINT64_C(1) << pattern->count;
}

uint64_t pattern_walk(const struct pattern *pattern, const char *path, size_t *matched) {
    uint64_t state = pattern_begin(pattern);
    *matched = 0;
    for (const char *at = path; state && *(at += strspn(at, "/"));) {
        char name[NAME_MAX + 1];
        size_t size = strcspn(at, "/");
        if (size > NAME_MAX)
            return 0;
        memcpy(name, at, size);
        name[size] = '\0';
        at += size;
        state = pattern_step(pattern, state, name);
        if (pattern_matches(pattern, state)) {
            *matched = (size_t)(at - path);
            break;
        }
    }
    return state;
}

const char *pattern_only(const struct pattern *pattern, uint64_t state) {
    const char *only = NULL;
    for (size_t i = 0; i < pattern->count; i++) {
        if (!(state & UINT64_C(1) << i))
            continue;
        if (only || pattern_has_wildcard(pattern->component[i]))
            return NULL;
        only = pattern->component[i];
    }
    return only;
}
