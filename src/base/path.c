/* path.c (pure): see path.h. */
#include "base/path.h"

#include <stdio.h>
#include <string.h>

bool path_is_under(const char *path, const char *root) {
    if (root[0] == '/' && !root[1])
        return path[0] == '/';
    while (*root && *root == *path)
        root++, path++;
    return !*root && (*path == '/' || !*path);
}

int path_compare(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    int left = *a == '/' ? 1 : (unsigned char)*a + (*a ? 1 : 0);
    int right = *b == '/' ? 1 : (unsigned char)*b + (*b ? 1 : 0);
    return left - right;
}

bool path_is_canonical(const char *path) {
    if (path[0] != '/')
        return false;
    if (!path[1])
        return true;
    for (const char *at = path; *at;) {
        const char *part = at + 1;
        size_t size = strcspn(part, "/");
        if (!size || (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        at = part + size;
    }
    return true;
}

size_t utf8_length(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return s[0] ? 1 : 0;
    size_t size = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    return s[1] >= low && s[1] <= high ? size : 0;
}

bool utf8_valid(const char *text) {
    while (*text) {
        size_t size = utf8_length(text);
        if (!size)
            return false;
        text += size;
    }
    return true;
}

/* Is it a character that can't be seen, or that changes the order of those around it (bidirectional text)? */
static bool is_hidden(const char *at, size_t size) {
    const unsigned char *s = (const unsigned char *)at;
    if (size == 2)
        return s[0] == 0xd8 && s[1] == 0x9c;
    if (size != 3)
        return false;
    if (s[0] == 0xe2 && s[1] == 0x80)
        return (s[2] >= 0x8b && s[2] <= 0x8f) || (s[2] >= 0xa8 && s[2] <= 0xae);
    return (s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa0 && s[2] <= 0xaf) ||
           (s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf);
}

const char *path_show(const char *path, char *out, size_t room) {
    size_t used = 0;
    for (const char *at = path; *at && used + 5 < room;) {
        size_t size = utf8_length(at);
        unsigned char byte = (unsigned char)*at;
        bool control = byte < 0x20 || byte == 0x7f || (byte == 0xc2 && (unsigned char)at[1] < 0xa0);
        if (!size || control || is_hidden(at, size)) {
            used += (size_t)snprintf(out + used, room - used, "\\x%02x", byte);
            at++;
        } else {
            memcpy(out + used, at, size);
            used += size;
            at += size;
        }
    }
    out[used] = '\0';
    return out;
}

int path_part(const char **rest, char name[NAME_MAX + 1]) {
    *rest += strspn(*rest, "/");
    size_t size = strcspn(*rest, "/");
    if (size > NAME_MAX)
        return -1;
    memcpy(name, *rest, size);
    name[size] = '\0';
    *rest += size;
    return size > 0;
}
