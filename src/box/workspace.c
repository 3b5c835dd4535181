/* workspace.c (glue): see workspace.h. */
#include "box/workspace.h"

#include "base/digest.h"
#include "base/path.h"
#include "linux/policy_file.h"
#include "linux/resolve.h"
#include "linux/trust.h"
#include "policy/merge.h"
#include "policy/reader.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static int find_workspace(struct arena *arena, const char *workspace, struct place *place, struct error *err) {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here) || here[0] != '/')
        strcpy(here, "/nowhere");
    return resolve(arena, here, workspace ? workspace : ".", place, NULL) ? error_memory(err) : 0;
}

const char *workspace_path(struct arena *arena, const char *workspace, struct error *err) {
    struct place place;
    char shown[1024];
    if (find_workspace(arena, workspace, &place, err))
        return NULL;
    if (!place.error || resolve_absent(place.error))
        return place.path;
    error_set(err, EXIT_USAGE, "%s: %s", path_show(workspace ? workspace : ".", shown, sizeof shown),
              strerror(place.error));
    return NULL;
}

const char *workspace_file_path(struct arena *arena, const char *workspace, struct error *err) {
    struct place place;
    char shown[1024];
    if (find_workspace(arena, workspace, &place, err))
        return NULL;
    if (place.error) {
        error_set(err, EXIT_USAGE, "%s: %s", path_show(workspace ? workspace : ".", shown, sizeof shown),
                  strerror(place.error));
        return NULL;
    }
    const char *path = policy_file_workspace(arena, place.path);
    if (!path)
        error_memory(err);
    return path;
}

static int cannot_look(const char *path, int error, struct error *err) {
    char shown[1024];
    return error_set(err, EXIT_REFUSED, "refused, nothing was started: %s can't be looked at (%s)",
                     path_show(path, shown, sizeof shown), error_name(error));
}

int workspace_read(struct arena *arena, const char *workspace, const char *home, struct workspace_file *file,
                   struct error *err) {
    struct policy_file found;
    struct place place;
    *file = (struct workspace_file){0};
    if (find_workspace(arena, workspace, &place, err))
        return -1;
    if (place.error)
        /* absent, the run is refused later and told better; any other may be gone by then, and the file forgotten */
        return resolve_absent(place.error) ? 0 : cannot_look(place.path, place.error, err);
    if (policy_file_read_workspace(arena, place.path, &found, err))
        return -1;
    if (!found.found)
        return 0;
    struct source source = {.kind = DOCUMENT_WORKSPACE, .name = found.name, .home = home, .folder = place.path};
    digest_sha256(found.bytes, found.size, file->sha256);
    file->path = found.path;
    file->name = found.name;
    return policy_read(arena, &source, found.bytes, found.size, &file->layer, err);
}

/* Is the content pinned? 1: yes; 0: not this content, or not at all: *changed says which. */
static int is_pinned(struct arena *arena, const char *home, const struct workspace_file *file, bool *changed,
                     struct error *err) {
    struct trust trust = {0};
    *changed = false;
    if (!home)
        return 0;
    if (trust_read(arena, home, &trust, err))
        return -1;
    const struct pin *pin = trust_find(&trust, file->path);
    *changed = pin && strcmp(pin->sha256, file->sha256) != 0;
    return pin && !*changed;
}

int workspace_merge(struct arena *arena, const char *home, struct policy *merged, struct error *err) {
    struct workspace_file file;
    if (workspace_read(arena, merged->workspace, home, &file, err))
        return -1;
    if (!file.path)
        return 0;
    merged->workspace_file = file.path;
    const char *opening = policy_opening(&file.layer);
    bool changed = false;
    int pinned = opening ? is_pinned(arena, home, &file, &changed, err) : 0;
    if (pinned < 0)
        return -1;
    if (opening && changed)
        return error_set(err, EXIT_USAGE,
                         "%s: this file was trusted with another content, and has changed since; look at it and type "
                         "pinfold trust",
                         opening);
    if (pinned) {
        /* Trust opens what the file asks for. Its mode and limits narrow all the same: no file in a workspace undoes
         * what stands on the command line. */
        struct policy opens = file.layer, narrows = {.mode = file.layer.mode,
                                                     .git = file.layer.git,
                                                     .toolchains = file.layer.toolchains,
                                                     .timeout = file.layer.timeout,
                                                     .grace = file.layer.grace,
                                                     .output_limit = file.layer.output_limit};
        opens.mode = opens.git = opens.toolchains = opens.timeout = opens.grace = opens.output_limit =
            (struct setting){0};
        merged->workspace_trusted = true;
        return policy_merge(arena, merged, &opens, err) || policy_narrow(arena, merged, &narrows, err) ? -1 : 0;
    }
    return policy_narrow(arena, merged, &file.layer, err);
}
