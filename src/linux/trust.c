/* trust.c (touching: one file in the account's home). See trust.h. */
#include "linux/trust.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/owner.h"
#include "linux/policy_file.h"
#include "linux/resolve.h"
#include "plan/describe.h"
#include "policy/document.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

static bool is_digest(const struct node *node) {
    return node->kind == NODE_STRING && strlen(node->text) == 64 && strspn(node->text, "0123456789abcdef") == 64;
}

static int take_pins(struct arena *arena, const struct document *document, struct trust *trust, struct error *err) {
    const struct node *root = &document->root, *files = root->count == 2 ? &root->items[1] : NULL;
    if (!files || strcmp(root->items[0].key, "trust") != 0 || root->items[0].kind != NODE_NUMBER ||
        strcmp(files->key, "files") != 0 || files->kind != NODE_OBJECT)
        return document_error(document, root->at, err,
                              "not a file that pinfold trust has written; remove it and trust again");
    for (size_t i = 0; i < files->count; i++) {
        const struct node *node = &files->items[i];
        struct pin *pin = list_add(arena, &trust->pins);
        if (!pin)
            return error_memory(err);
        if (node->key[0] != '/' || !is_digest(node))
            return document_error(document, node->key_at, err, "a path with its SHA-256 is wanted");
        *pin = (struct pin){node->key, node->text};
    }
    return 0;
}

int trust_read(struct arena *arena, const char *home, struct trust *trust, struct error *err) {
    struct policy_file file;
    struct document document;
    *trust = (struct trust){.path = arena_printf(arena, "%s/" POLICY_FILE_USER_FOLDER "/trust.json", home)};
    if (!trust->path)
        return error_memory(err);
    if (policy_file_read(arena, trust->path, true, &file, err))
        return -1;
    if (!file.found)
        return 0;
    return document_parse(arena, file.name, file.bytes, file.size, &document, err) ||
                   take_pins(arena, &document, trust, err)
               ? -1
               : 0;
}

const struct pin *trust_find(const struct trust *trust, const char *path) {
    for (size_t i = 0; i < trust->pins.count; i++)
        if (strcmp(trust->pins.at[i].path, path) == 0)
            return &trust->pins.at[i];
    return NULL;
}

static int cannot(const char *path, struct error *err) {
    char shown[1024];
    int error = errno;
    return error_set(err, EXIT_USAGE, "%s: %s", path_show(path, shown, sizeof shown), strerror(error));
}

/* A folder, with `make` created if it is missing; meanwhile another pinfold trust may have done it. */
static bool find_folder(struct arena *arena, const char *path, bool make, struct place *place, struct error *err) {
    bool looked = path && !resolve(arena, "/", path, place, NULL);
    if (looked && place->error == ENOENT && make) {
        if (mkdir(place->path, 0700) && errno != EEXIST) {
            cannot(path, err);
            return false;
        }
        looked = !resolve(arena, "/", path, place, NULL);
    }
    if (!looked) {
        error_memory(err);
        return false;
    }
    errno = place->error;
    if (place->error)
        cannot(path, err);
    return !place->error;
}

/* The folder of the pins, made where it is missing; a descriptor, locked against another pinfold trust. */
static int open_folder(struct arena *arena, const char *home, struct error *err) {
    static const char *const below[] = {"", "/.config", "/" POLICY_FILE_USER_FOLDER};
    struct place place = {0};
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
        if (!find_folder(arena, arena_printf(arena, "%s%s", home, below[i]), i > 0, &place, err))
            return -1;
    struct stat status;
    autoclose int fd = lookup_open_same(place.path, place.dev, place.ino);
    if (fd < 0 || fstat(fd, &status))
        return cannot(place.path, err);
    if (owner_check(place.path, &status, err) || owner_check_above(place.path, err))
        return -1;
    autoclose int folder = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return cannot(place.path, err);
    while (flock(folder, LOCK_EX))
        if (errno != EINTR)
            return cannot(place.path, err);
    return fd_take(&folder);
}

/* The pins as they shall be, as text to be freed; NULL when out of memory. */
static char *pins_text(const struct trust *trust, const char *path, const char *sha256) {
    json_t *files = json_object();
    int failed = 0;
    for (size_t i = 0; i < trust->pins.count; i++)
        if (strcmp(trust->pins.at[i].path, path) != 0)
            failed |= json_object_set_new(files, trust->pins.at[i].path, json_string(trust->pins.at[i].sha256));
    if (sha256)
        failed |= json_object_set_new(files, path, json_string(sha256));
    json_t *root = json_pack("{s:i, s:o}", "trust", 1, "files", files);
    char *text = !failed && root ? describe_dump(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    return text;
}

static int write_file(int folder, const char *text) {
    static const char name[] = ".trust.json.part";
    if (unlinkat(folder, name, 0) && errno != ENOENT)
        return -1;
    autoclose int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (!fchmod(fd, 0600) && !fd_write_all(fd, text, strlen(text)) && !fd_write_all(fd, "\n", 1) && !fsync(fd) &&
        !renameat(folder, name, folder, "trust.json"))
        return 0;
    int error = errno;
    unlinkat(folder, name, 0);
    errno = error;
    return -1;
}

int trust_change(struct arena *arena, const char *home, const char *path, const char *sha256, struct error *err) {
    struct trust trust;
    if (!utf8_valid(path)) {
        char shown[1024];
        return error_set(err, EXIT_USAGE, "%s: a path that is not UTF-8 can't be trusted; rename it",
                         path_show(path, shown, sizeof shown));
    }
    autoclose int folder = open_folder(arena, home, err);
    if (folder < 0 || trust_read(arena, home, &trust, err))
        return -1;
    char *text = pins_text(&trust, path, sha256);
    if (!text)
        return error_memory(err);
    if (strlen(text) >= DOCUMENT_SIZE_MAX) { /* with its last newline no longer to be read */
        free(text);
        return error_set(err, EXIT_USAGE,
                         "%s: there is no room for more than 1 MiB of trusted files; remove some: "
                         "pinfold trust --list, then --remove",
                         trust.path);
    }
    int failed = write_file(folder, text);
    free(text);
    return failed ? cannot(trust.path, err) : 0;
}
