/* session_id.c (pure): which ids sessions may have. See session.h. */
#include "plan/session.h"

#include <string.h>

#define ALPHANUMERIC "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static bool is_part(char byte) {
    return byte && strchr(ALPHANUMERIC "._-", byte);
}

bool session_id_valid(const char *id) {
    size_t size = strlen(id);
    return size && size <= SESSION_ID_MAX && strchr(ALPHANUMERIC, id[0]) && strspn(id, ALPHANUMERIC "._-") == size;
}

bool session_id_near(const char *id, char out[SESSION_ID_MAX + 1]) {
    size_t size = 0;
    for (const char *at = id; *at && size < SESSION_ID_MAX; at++) {
        char byte = is_part(*at) ? *at : '-';
        bool first = !size && !strchr(ALPHANUMERIC, byte);
        bool again = size && byte == '-' && out[size - 1] == '-';
        if (!first && !again)
            out[size++] = byte;
    }
    while (size && out[size - 1] == '-')
        size--;
    out[size] = '\0';
    return size;
}
