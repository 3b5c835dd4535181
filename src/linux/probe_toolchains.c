/* probe_toolchains.c (touching: openat2, fstat): the toolchains of the home that PATH and their variables lead to.
 *
 * Should: look only where PATH, a variable or a link of a shown folder leads, and only in the home and where a row of
 * the table says. Must not: let the workspace or anything else that a command may write to decide, follow a symlink to
 * a root, or refuse a run: what can't be looked at isn't shown. */
#include "linux/probe_toolchains.h"

#include "base/fd.h"
#include "base/path.h"
#include "linux/lookup.h"
#include "linux/probe.h"
#include "linux/resolve.h"
#include "plan/names.h"
#include "plan/roots.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_MAX = 128, LEFT_OUT_MAX = 32 };

bool search_is_ours(const struct search *search, uid_t owner) {
    return owner == search->probe->uid || owner == 0;
}

bool search_meets_written(const struct search *search, const char *path) {
    const struct probe *probe = search->probe;
    if (probe->workspace.path && names_meet(&probe->mounts, path, probe->workspace.path))
        return true;
    for (size_t i = 0; i < probe->grants.count; i++)
        if (search->policy->grants.at[i].access == ACCESS_WRITE && probe->grants.at[i].path &&
            names_meet(&probe->mounts, path, probe->grants.at[i].path))
            return true;
    return false;
}

int search_leave_out(struct search *search, const char *path, const char *why) {
    for (size_t i = 0; i < search->probe->left_out.count; i++)
        if (strcmp(search->probe->left_out.at[i].path, path) == 0)
            return 0;
    if (search->probe->left_out.count == LEFT_OUT_MAX)
        return 0;
    struct left_out *added = list_add(search->arena, &search->probe->left_out);
    const char *copy = arena_copy(search->arena, path);
    if (!added || !copy)
        return -1;
    *added = (struct left_out){copy, why};
    return 0;
}

static bool is_in_home(const struct search *search, const char *path) {
    for (size_t i = 0; i < 2; i++)
        if (search->homes[i] && path_is_under(path, search->homes[i]))
            return true;
    return false;
}

/* `path` without its "." and ".." and double slashes, as text; with the real path of the home where it begins with the
 * home as $HOME has it. False: not absolute, or too long. */
static bool tidy(const struct search *search, const char *path, char out[PATH_MAX]) {
    const char *home = getenv("HOME"), *real = search->homes[0];
    size_t size = 0;
    if (path[0] != '/')
        return false;
    if (real && home && path_is_canonical(home) && strcmp(home, "/") != 0 && path_is_under(path, home)) {
        size = strlen(real);
        path += strlen(home);
        memcpy(out, real, size);
    }
    while (*(path += strspn(path, "/"))) {
        size_t part = strcspn(path, "/");
        bool up = part == 2 && memcmp(path, "..", 2) == 0, here = part == 1 && *path == '.';
        if (up) {
            while (size && out[--size] != '/')
                continue;
        } else if (!here) {
            if (size + part + 2 > PATH_MAX)
                return false;
            out[size++] = '/';
            memcpy(out + size, path, part);
            size += part;
        }
        path += part;
    }
    out[size] = '\0';
    return size > 0;
}

int search_lead(struct search *search, const char *folder, const char *target) {
    char path[PATH_MAX];
    const char *joined = arena_printf(search->arena, "%s/%s", *target == '/' ? "" : folder, target);
    if (!joined)
        return -1;
    if (search->leads.count == LEADS_MAX || !tidy(search, joined, path) || roots_is_system(path))
        return 0;
    for (size_t i = 0; i < search->leads.count; i++)
        if (strcmp(search->leads.at[i], path) == 0)
            return 0;
    const char *copy = arena_copy(search->arena, path);
    return copy ? text_add(search->arena, &search->leads, copy) : -1;
}

/* Is one of the row's markers there? */
static bool is_recognised(const struct root *root, const char *below) {
    char word[TOOLCHAIN_WORD], marker[PATH_MAX];
    struct stat status;
    for (const char *markers = root->row->markers; toolchain_word(&markers, word);)
        if (toolchain_fill(word, below, marker) && !fstatat(root->fd, marker, &status, AT_SYMLINK_NOFOLLOW))
            return true;
    return false;
}

static int follow_companions(struct search *search, const struct root *root);

/* Show what the row shows of this root, if it is one. 1: it is; 0: it is none; -1: no memory. */
static int look_at_root(struct search *search, const struct toolchain *row, const char *path, const char *below,
                        bool known) {
    struct stat status;
    if (!toolchain_allowed(search->probe, path, known) || roots_is_system(path))
        return 0;
    autoclose int fd = lookup_open(AT_FDCWD, path);
    struct root root = {.row = row, .path = path, .fd = fd};
    if (fd < 0 || fstat(fd, &status) || !S_ISDIR(status.st_mode) || !is_recognised(&root, below))
        return 0;
    if (!search_is_ours(search, status.st_uid))
        return search_leave_out(search, path, "it belongs to another user") ? -1 : 1;
    root.why = arena_printf(search->arena, "toolchain %s", row->name);
    if (!root.why || search_pieces(search, &root, below) || follow_companions(search, &root))
        return -1;
    return 1;
}

/* The same, once: where nothing depends on what led there. */
static int try_root(struct search *search, const struct toolchain *row, const char *path, const char *below,
                    bool known) {
    bool whole = !strchr(row->shows, '*') && !strchr(row->markers, '*');
    for (size_t i = 0; i < search->tried.count; i++) {
        const struct tried *tried = &search->tried.at[i];
        if (tried->row == row && strcmp(tried->path, path) == 0 && (whole || strcmp(tried->below, below) == 0))
            return tried->found;
    }
    struct tried tried = {row, arena_copy(search->arena, path), arena_copy(search->arena, below), 0};
    size_t at = search->tried.count;
    struct tried *added = tried.path && tried.below ? list_add(search->arena, &search->tried) : NULL;
    if (!added)
        return -1;
    *added = tried; /* before the look, which may lead here again */
    int found = look_at_root(search, row, path, below, known);
    search->tried.at[at].found = found;
    return found;
}

/* Does the row's root `place` hold `path`, and would it be shown? Then try it. */
static int try_place(struct search *search, const struct toolchain *row, const char *place, const char *path,
                     bool known) {
    if (!path_is_under(path, place))
        return 0;
    const char *below = path + strlen(place);
    below += *below == '/';
    return toolchain_shows(row, below) ? try_root(search, row, place, below, known) : 0;
}

/* The root that `word`, one of a row's places, means for `path`: below a home, or absolute. Path NULL: for none. *place
 * is NULL when it means none. -1: no memory. These functions call one another, so none keeps a path on the stack. */
static int place_of(struct search *search, const char *home, const char *word, const char *path, const char **place) {
    size_t size = home ? strlen(home) : 0;
    *place = NULL;
    if (!home != (word[0] == '/'))
        return 0;
    if (home && path &&
        (!path_is_under(path, home) || !path[size] || strncmp(path + size + 1, word, strcspn(word, "*")) != 0))
        return 0; /* most: without a look at the rest */
    if (home && !toolchain_fill(word, path ? path + size : "", search->filled))
        return 0;
    *place = home ? arena_printf(search->arena, "%s/%s", home, search->filled) : arena_copy(search->arena, word);
    return *place ? 0 : -1;
}

/* A place of the row that holds `path`. */
static int try_places(struct search *search, const struct toolchain *row, const char *path) {
    char word[TOOLCHAIN_WORD];
    const char *place;
    int found = 0;
    for (size_t i = 0; !found && i < search->named.count; i++)
        if (search->named.at[i].row == row)
            found = try_place(search, row, search->named.at[i].path, path, false);
    for (const char *places = row->places; !found && toolchain_word(&places, word);)
        for (size_t i = 0; !found && i < 3; i++)
            if (i == 2 || search->homes[i]) {
                if (place_of(search, i < 2 ? search->homes[i] : NULL, word, path, &place))
                    return -1;
                found = place ? try_place(search, row, place, path, true) : 0;
            }
    return found;
}

/* What goes with a toolchain, at its own place in the same home. Its variable, if it has one, is followed by itself. */
static int follow_companions(struct search *search, const struct root *root) {
    const char *home =
        search->homes[1] && path_is_under(root->path, search->homes[1]) ? search->homes[1] : search->homes[0];
    char name[TOOLCHAIN_WORD], word[TOOLCHAIN_WORD];
    const char *place;
    for (const char *with = root->row->with; home && toolchain_word(&with, name);) {
        const struct toolchain *row = toolchain_find(name);
        for (const char *places = row->places; toolchain_word(&places, word);)
            if (place_of(search, home, word, NULL, &place) || (place && try_root(search, row, place, "", true) < 0))
                return -1;
    }
    return 0;
}

/* X of X/bin, by its layout alone; only in a home. */
static int try_anywhere(struct search *search, const char *path) {
    char parent[PATH_MAX];
    size_t size = strlen(path);
    int found = 0;
    if (size < 5 || strcmp(path + size - 4, "/bin") != 0 || !is_in_home(search, path))
        return 0;
    memcpy(parent, path, size - 4);
    parent[size - 4] = '\0';
    autoclose int there = lookup_open(AT_FDCWD, parent);
    for (size_t i = 0; there >= 0 && !found && i < toolchain_count; i++)
        if (!*toolchain_table[i].places)
            found = try_root(search, &toolchain_table[i], parent, "bin", false);
    return found;
}

/* Is it where a toolchain may be? Most entries of PATH aren't. */
static bool is_worth_a_look(const struct search *search, const char *path) {
    if (is_in_home(search, path))
        return true;
    for (size_t i = 0; i < search->named.count; i++)
        if (path_is_under(path, search->named.at[i].path))
            return true;
    for (size_t i = 0; i < toolchain_count; i++)
        if (toolchain_table[i].places[0] == '/' &&
            strncmp(path, toolchain_table[i].places, strcspn(toolchain_table[i].places, " ")) == 0)
            return true;
    return false;
}

/* 1: a toolchain is shown for this path, or it is in the box as it is; 0: nothing knows it; -1: no memory. */
static int follow(struct search *search, const char *path) {
    int found = 0;
    if (!is_worth_a_look(search, path))
        return 0;
    if (roots_is_system(path) || search_meets_written(search, path))
        return 1;
    for (size_t i = 0; !found && i < toolchain_count; i++)
        found = try_places(search, &toolchain_table[i], path);
    return found ? found : try_anywhere(search, path);
}

/* A link on the way to what the box has anyway stands in the box, too. */
static int add_links(struct search *search, const link_list *links) {
    for (size_t i = 0; i < links->count; i++) {
        const char *path = links->at[i].path;
        if (!is_in_home(search, path) && !strstr(path, "/fnm_multishells/"))
            continue;
        struct piece *piece = list_add(search->arena, &search->probe->toolchains);
        if (!piece)
            return -1;
        *piece = (struct piece){
            .kind = PIECE_LINK, .place = {.path = path}, .target = links->at[i].target, .why = "link on PATH"};
    }
    return 0;
}

static bool is_granted(const struct search *search, const char *path) {
    for (size_t i = 0; i < search->probe->grants.count; i++)
        if (search->probe->grants.at[i].path && path_is_under(path, search->probe->grants.at[i].path))
            return true;
    return false;
}

/* An entry that no row knows by its name: nothing, or a symlink. fnm makes one for each shell; others lead to a system
 * root (Nix profiles). */
static int follow_unknown(struct search *search, const char *path) {
    bool shell = strstr(path, "/fnm_multishells/");
    struct place place;
    link_list links = {0};
    if (!shell && !is_in_home(search, path))
        return 0;
    if (resolve(search->arena, "/", path, &place, &links))
        return -1;
    if (place.error || is_granted(search, place.path))
        return 0;
    if (!links.count)
        return search_leave_out(search, path, "no toolchain that pinfold knows");
    int found = roots_is_system(place.path) ? 1 : shell ? follow(search, place.path) : 0;
    if (found)
        return found < 0 ? -1 : add_links(search, &links);
    return search_leave_out(search, path, "it leads through a symlink, which a command may have put there");
}

static int follow_entry(struct search *search, const char *entry) {
    char path[PATH_MAX];
    if (!tidy(search, entry, path))
        return 0;
    int found = follow(search, path);
    return found ? (found < 0 ? -1 : 0) : follow_unknown(search, path);
}

/* Which roots the caller's variables name. What may be written to decides nothing. */
static int read_variables(struct search *search) {
    char word[TOOLCHAIN_WORD], path[PATH_MAX];
    for (size_t i = 0; i < toolchain_count; i++)
        for (const char *names = toolchain_table[i].variables; toolchain_word(&names, word);) {
            const char *value = getenv(word);
            if (!value || !tidy(search, value, path) || search_meets_written(search, path))
                continue;
            struct named *added = list_add(search->arena, &search->named);
            const char *copy = arena_copy(search->arena, path);
            if (!added || !copy)
                return -1;
            *added = (struct named){&toolchain_table[i], copy};
        }
    return 0;
}

/* Also where PATH doesn't lead. */
static int follow_variables(struct search *search) {
    for (size_t i = 0; i < search->named.count; i++)
        if (try_root(search, search->named.at[i].row, search->named.at[i].path, "", false) < 0)
            return -1;
    return 0;
}

static int follow_path(struct search *search) {
    const char *at = getenv("PATH");
    for (int count = 0; at && count < ENTRIES_MAX; count++) {
        size_t size = strcspn(at, ":");
        if (size && size < PATH_MAX) {
            const char *entry = arena_copy_bytes(search->arena, at, size);
            if (!entry || follow_entry(search, entry))
                return -1;
        }
        at = at[size] ? at + size + 1 : NULL;
    }
    return 0;
}

/* The list grows as links lead on. */
static int follow_leads(struct search *search) {
    for (size_t i = 0; i < search->leads.count; i++) {
        const char *path = search->leads.at[i];
        int found = follow(search, path);
        if (found < 0 || (!found && is_in_home(search, path) && !is_granted(search, path) &&
                          search_leave_out(search, path, "a link in a folder on PATH leads there")))
            return -1;
    }
    return 0;
}

static const char *home_of(const struct place *home) {
    return home->path && !home->error && strcmp(home->path, "/") != 0 && !roots_is_system(home->path) ? home->path
                                                                                                      : NULL;
}

int probe_toolchains(struct arena *arena, const struct policy *policy, struct probe *probe) {
    struct search search = {.arena = arena, .policy = policy, .probe = probe};
    if (policy->toolchains.value != TOOLCHAINS_AUTO)
        return 0;
    search.homes[0] = home_of(&probe->home);
    search.homes[1] = home_of(&probe->account_home);
    if (search.homes[0] && search.homes[1] && strcmp(search.homes[0], search.homes[1]) == 0)
        search.homes[1] = NULL;
    return read_variables(&search) || follow_path(&search) || follow_variables(&search) || follow_leads(&search) ? -1
                                                                                                                 : 0;
}
