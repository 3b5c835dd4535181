/* values.c (pure): see values.h. */
#include "policy/values.h"

#include "base/nearest.h"
#include "base/units.h"

const char *value_mode(const char *word, uint64_t *mode) {
    int found = mode_find(word);
    if (found >= 0)
        *mode = (uint64_t)found;
    return found < 0 ? "direct, discard or readonly" : NULL;
}

const char *value_git(const char *word, uint64_t *git) {
    int found = git_find(word);
    if (found >= 0)
        *git = (uint64_t)found;
    return found < 0 ? "read-only or writable" : NULL;
}

const char *value_toolchains(const char *word, uint64_t *toolchains) {
    int found = toolchains_find(word);
    if (found >= 0)
        *toolchains = (uint64_t)found;
    return found < 0 ? "auto (those of the home that PATH shows, read-only) or none" : NULL;
}

const char *value_timeout(const char *word, uint64_t *milliseconds) {
    return units_duration(word, milliseconds) || !*milliseconds
               ? "a duration above 0, at most 366 days, such as 500ms, 30s, 5m or 2h"
               : NULL;
}

const char *value_grace(const char *word, uint64_t *milliseconds) {
    return units_duration(word, milliseconds) ? "a duration such as 500ms or 5s" : NULL;
}

const char *value_output_limit(const char *word, uint64_t *bytes) {
    return units_size(word, bytes) || *bytes < 2 || *bytes > UINT64_C(1) << 30
               ? "a size from 2 bytes to 1G such as 64K or 1M"
               : NULL;
}

const char *value_variable(const char *word) {
    return !*word || *word == '=' ? "NAME passes a variable of the caller, NAME=VALUE sets one" : NULL;
}

const char *value_session(const char *word, char near[SESSION_ID_MAX + 1]) {
    near[0] = '\0';
    if (session_id_valid(word))
        return NULL;
    (void)session_id_near(word, near);
    return "an id has 1 to 64 letters, digits, '.', '_', '-', and begins with a letter or digit";
}

const char *value_waiver(const char *word, int *guarantee, const char **near) {
    const char *names[GUARANTEE_COUNT];
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        names[i] = guarantee_text[i].name;
    *guarantee = guarantee_find(word);
    *near = *guarantee < 0 ? nearest(word, names, GUARANTEE_COUNT) : NULL;
    if (*guarantee < 0)
        return *near ? "there is no such guarantee" : "there is no such guarantee; pinfold explain lists them";
    if (G_NEVER_WAIVED & UINT32_C(1) << *guarantee)
        return "this guarantee can't be waived; pass variables with --env, descriptors with --fd";
    return NULL;
}
