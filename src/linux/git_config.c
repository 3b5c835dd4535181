/* git_config.c (pure): see git_config.h. As git reads it: sections, quotes, escapes, comments, lines that go on. */
#include "linux/git_config.h"

#include <ctype.h>
#include <string.h>

void git_config_begin(struct git_config *config, const char *text, size_t size) {
    config->at = text;
    config->end = text + size;
    config->section[0] = config->key[0] = config->value[0] = '\0';
    config->broken = false;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        config->at += 3;
}

/* The next byte, '\n' at the end; "\r\n" is one line end. */
static int take(struct git_config *config) {
    if (config->at == config->end)
        return '\n';
    int byte = (unsigned char)*config->at++;
    if (byte == '\r' && config->at < config->end && *config->at == '\n')
        return (unsigned char)*config->at++;
    return byte;
}

static void put(char *text, size_t room, size_t *size, int byte) {
    if (*size + 1 < room)
        text[(*size)++] = (char)byte;
    text[*size] = '\0';
}

/* After '['. false: broken. */
static bool take_section(struct git_config *config) {
    size_t size = 0;
    bool quoted = false, named = false;
    config->section[0] = '\0';
    for (;;) {
        int byte = take(config);
        if (byte == '\n')
            return false;
        if (quoted && byte == '\\') {
            if (take(config) == '\n')
                return false;
        } else if (byte == '"') {
            quoted = !quoted;
        } else if (!quoted && byte == ']') {
            return true;
        } else if (!quoted && (isspace(byte) || byte == '.')) {
            named = true;
        } else if (!quoted && !named) {
            put(config->section, sizeof config->section, &size, tolower(byte));
        }
    }
}

static int escaped(int byte) {
    return byte == 'n' ? '\n' : byte == 't' ? '\t' : byte == 'b' ? '\b' : byte == '\\' || byte == '"' ? byte : -1;
}

/* After '='. false: broken. */
static bool take_value(struct git_config *config) {
    size_t size = 0, kept = 0; /* kept: without spaces at the end */
    bool quoted = false, comment = false;
    config->value[0] = '\0';
    for (;;) {
        int byte = take(config);
        if (byte == '\n') {
            config->value[kept] = '\0';
            return !quoted;
        }
        if (comment || (!quoted && !size && isspace(byte)))
            continue;
        if (!quoted && (byte == '#' || byte == ';')) {
            comment = true;
            continue;
        }
        if (byte == '"') {
            quoted = !quoted;
            continue;
        }
        bool space = !quoted && isspace(byte);
        if (byte == '\\') {
            byte = take(config);
            if (byte == '\n' && config->at < config->end) /* the line goes on */
                continue;
            if ((byte = escaped(byte)) < 0)
                return false;
        }
        put(config->value, sizeof config->value, &size, byte);
        kept = space ? kept : size;
    }
}

/* A key, of which the first letter was taken. 1: it has a value; 0: it has none; -1: broken. */
static int take_key(struct git_config *config, int byte) {
    size_t size = 0;
    config->key[0] = '\0';
    for (; isalnum(byte) || byte == '-'; byte = take(config))
        put(config->key, sizeof config->key, &size, tolower(byte));
    while (byte == ' ' || byte == '\t')
        byte = take(config);
    if (byte == '\n')
        return 0;
    return byte == '=' && take_value(config) ? 1 : -1;
}

bool git_config_next(struct git_config *config) {
    while (config->at < config->end) {
        int byte = take(config), has = 0;
        if (byte == '#' || byte == ';')
            while (take(config) != '\n')
                continue;
        else if (byte == '[')
            has = take_section(config) ? 0 : -1;
        else if (!isspace(byte))
            has = isalpha(byte) ? take_key(config, byte) : -1;
        config->broken = has < 0;
        if (has)
            return has > 0;
    }
    return false;
}
