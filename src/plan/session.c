/* session.c (pure): see session.h. */
#include "plan/session.h"

#include "base/digest.h"

#include <stdio.h>
#include <string.h>

const struct session_folder session_folder[SESSION_FOLDERS] = {
    [SESSION_HOME] = {"home", 0700}, [SESSION_TMP] = {"tmp", 01777}, [SESSION_VAR_TMP] = {"var-tmp", 01777}};

void session_name(const char *id, const char *workspace, char out[SESSION_NAME_ROOM]) {
    char hex[65];
    digest_sha256(workspace, strlen(workspace), hex);
    snprintf(out, SESSION_NAME_ROOM, "%.*s.%.*s", SESSION_ID_MAX, id, SESSION_HASH, hex);
}

bool session_name_valid(const char *name, size_t *size) {
    const char *dot = strrchr(name, '.');
    char id[SESSION_ID_MAX + 1];
    *size = dot ? (size_t)(dot - name) : 0;
    if (!*size || *size > SESSION_ID_MAX || strlen(dot + 1) != SESSION_HASH ||
        strspn(dot + 1, "0123456789abcdef") != SESSION_HASH)
        return false;
    memcpy(id, name, *size);
    id[*size] = '\0';
    return session_id_valid(id);
}

const char *session_path(struct arena *arena, const char *state, const char *id, const char *workspace, int folder) {
    char name[SESSION_NAME_ROOM];
    session_name(id, workspace, name);
    return arena_printf(arena, "%s/" SESSION_STORE "/%s%s%s", state, name, folder < SESSION_FOLDERS ? "/" : "",
                        folder < SESSION_FOLDERS ? session_folder[folder].name : "");
}
