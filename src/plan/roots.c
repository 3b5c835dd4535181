/* roots.c (pure): see roots.h. Every refusal names the path, the reason and the thing to type instead. */
#include "plan/roots.h"

#include "base/path.h"
#include "plan/bans.h"
#include "plan/names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

const char *const roots_system[] = {"/usr",    "/bin", "/sbin", "/lib", "/lib32", "/lib64",
                                    "/libx32", "/etc", "/opt",  "/nix", "/gnu",   NULL};

bool roots_is_system(const char *path) {
    for (size_t i = 0; roots_system[i]; i++)
        if (path_is_under(path, roots_system[i]))
            return true;
    return false;
}

/* Folders of the kernel, which are never bound from the host. */
static const char *kernel_folder(const char *path) {
    static const char *const folders[] = {"/proc", "/dev", "/sys"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (path_is_under(path, folders[i]))
            return folders[i];
    return NULL;
}

/* Does the host run its own programs, or read its own configuration, from there or from below? */
static bool holds_system(const char *path) {
    static const char *const sources[] = {"/usr/src", "/usr/local/src", "/opt"}; /* folders in them may be projects */
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (path_is_under(path, sources[i]) && strcmp(path, sources[i]) != 0)
            return false;
    for (size_t i = 0; roots_system[i]; i++)
        if (path_is_under(roots_system[i], path) || path_is_under(path, roots_system[i]))
            return true;
    return false;
}

/* Is it a system root, or above one? */
static bool is_root_or_above(const char *path) {
    for (size_t i = 0; roots_system[i]; i++)
        if (path_is_under(roots_system[i], path))
            return true;
    return false;
}

/* Is a system root to be seen there by another mount? */
static bool shows_system(const struct probe *probe, const char *path) {
    for (size_t i = 0; roots_system[i]; i++)
        if (names_show(&probe->mounts, path, roots_system[i]))
            return true;
    return false;
}

/* How a folder that shows the home does so, for "is ... the home folder". */
static const char *how_it_shows(const char *home, const char *path) {
    return strcmp(home, path) == 0 ? "" : path_is_under(home, path) ? "above " : "or shows, by another mount, ";
}

/* How what a remedy names is given: as it was asked for; in a policy file without an option. */
static const char *given_by(const char *option) {
    size_t size = strlen(option), tail = strlen("write");
    if (size < tail || strcmp(option + size - tail, "write") != 0)
        return "--workspace ";
    return *option == '-' ? "--write " : "";
}

/* Neither the whole host nor a whole home: what is lost with each. */
static int check_whole(const char *option, const char *path, const struct probe *probe, const char *host,
                       const char *home, struct error *err) {
    const struct place *homes[] = {&probe->home, &probe->account_home};
    char shown[1024], shown_home[512];
    if (strcmp(path, "/") == 0)
        return error_set(err, EXIT_USAGE,
                         "%s / would %s; name the folder that the command works in, such as "
                         "%s/path/to/checkout",
                         option, host, given_by(option));
    for (size_t i = 0; i < 2; i++) {
        if (!homes[i]->path || strcmp(homes[i]->path, "/") == 0 || !names_show(&probe->mounts, path, homes[i]->path))
            continue;
        path_show(homes[i]->path, shown_home, sizeof shown_home);
        return error_set(err, EXIT_USAGE,
                         "%s %s is %sthe home folder %s, %s; name a folder in it, such as %s%s/project", option,
                         path_show(path, shown, sizeof shown), how_it_shows(homes[i]->path, path), shown_home, home,
                         given_by(option), shown_home);
    }
    return 0;
}

/* A writable root must not hold the home, pinfold itself, or the system. */
static int check_writable(const char *option, const char *path, const struct probe *probe, struct error *err) {
    char shown[1024];
    path_show(path, shown, sizeof shown);
    if (check_whole(option, path, probe, "make every file of the host writable", "whose start-up files run on the host",
                    err))
        return -1;
    if (probe->executable.path && names_show(&probe->mounts, path, probe->executable.path))
        return error_set(err, EXIT_USAGE,
                         "%s %s holds pinfold itself (%s), so the command could replace it; install "
                         "pinfold outside, for instance in /usr/local/bin or ~/.local/bin, and run it from there",
                         option, shown, probe->executable.path);
    const char *kernel = kernel_folder(path);
    if (kernel)
        return error_set(err, EXIT_USAGE,
                         "%s %s: %s belongs to the kernel and is never writable in a box; name an "
                         "ordinary folder",
                         option, shown, kernel);
    if (holds_system(path) || shows_system(probe, path))
        return error_set(err, EXIT_USAGE,
                         "%s %s: the host runs programs from there; name a folder that is not part of "
                         "the system",
                         option, shown);
    return 0;
}

/* A workspace that the command can't change on the host: its mode shows it, or shows it through an overlay. */
static int check_kept(const char *option, const char *path, enum mode mode, const struct probe *probe,
                      struct error *err) {
    char shown[1024];
    path_show(path, shown, sizeof shown);
    if (check_whole(option, path, probe, "show every file of the host", "and everything in it would be shown", err))
        return -1;
    const char *kernel = kernel_folder(path);
    if (kernel)
        return error_set(err, EXIT_USAGE, "%s %s: %s belongs to the kernel; name an ordinary folder", option, shown,
                         kernel);
    /* below a system root that every box shows as it is, nothing is opened by looking */
    if (holds_system(path) && (mode != MODE_READONLY || is_root_or_above(path)))
        return error_set(err, EXIT_USAGE, "%s %s is part of the system; name a folder that is not", option, shown);
    return 0;
}

/* A folder of configuration that somebody stands in, and hasn't named: what the command changes there runs later. */
static int check_configuration(const char *option, const struct policy *policy, const struct probe *probe,
                               struct error *err) {
    const char *path = probe->workspace.path, *name = strrchr(path, '/');
    char shown[1024];
    for (size_t i = 0; !policy->workspace && name && protected_names[i]; i++)
        if (strcmp(name + 1, protected_names[i]) == 0)
            return error_set(err, EXIT_USAGE,
                             "%s %s is configuration that runs code on the host; cd to the folder around it, or, to "
                             "let the command change it, name it: --workspace %s",
                             option, path_show(path, shown, sizeof shown), shown);
    return 0;
}

static int check_workspace(const char *option, const struct policy *policy, const struct probe *probe,
                           struct error *err) {
    const char *path = probe->workspace.path;
    enum mode mode = (enum mode)policy->mode.value;
    if (mode != MODE_DIRECT)
        return check_kept(option, path, mode, probe, err);
    return check_writable(option, path, probe, err) ? -1 : check_configuration(option, policy, probe, err);
}

/* A folder that may be changed must not hold a workspace that is to stay as it is. */
static int check_beside(const struct policy *policy, const struct grant *grant, const struct place *place,
                        const struct probe *probe, struct error *err) {
    char shown[1024], workspace[1024];
    if (policy->mode.value == MODE_DIRECT || grant->access != ACCESS_WRITE ||
        !names_show(&probe->mounts, place->path, probe->workspace.path))
        return 0;
    return error_set(err, EXIT_USAGE,
                     "%s %s holds the workspace %s, whose changes mode %s (%s) keeps off the host; grant folders in it "
                     "or beside it, or choose --mode direct",
                     grant->origin, path_show(place->path, shown, sizeof shown),
                     path_show(probe->workspace.path, workspace, sizeof workspace),
                     mode_name((enum mode)policy->mode.value), policy->mode.origin);
}

bool roots_is_own_device(const char *path) {
    static const char *const own[] = {"/dev/full", "/dev/null",    "/dev/ptmx", "/dev/random",
                                      "/dev/tty",  "/dev/urandom", "/dev/zero"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(path, own[i]) == 0)
            return true;
    return false;
}

/* What to type for a path that can't be granted. */
static const char *mend_absent(const char *option, const char *asked, const struct grant *grant,
                               const struct place *place, int error) {
    if (*asked == '~')
        return "here ~ is no home: the shell puts it in where it is not quoted";
    if (error == EACCES)
        return "name a path that you may reach";
    bool ordinary = place->path && !kernel_folder(place->path) && !holds_system(place->path);
    if (!grant || grant->access != ACCESS_WRITE || error != ENOENT || !ordinary)
        return "name a path that exists";
    if (grant->create)
        return "to have it made, name it without \"..\"";
    return *option == '-' ? "name a path that exists, or add --create, which makes a folder there"
                          : "name a path that exists, or add \"create\": true, which makes a folder there";
}

static int check_found(const char *option, const char *asked, const struct grant *grant, const struct place *place,
                       struct error *err) {
    char shown[1024];
    if (!place->error && place->path && !place->link)
        return 0;
    if (!place->error && place->path) {
        char link[512], real[512];
        return error_set(err, EXIT_USAGE,
                         "%s %s leads through the symlink %s, which a command may have put there; type the "
                         "path that you mean: %s %s",
                         option, path_show(asked, shown, sizeof shown), path_show(place->link, link, sizeof link),
                         option, path_show(place->path, real, sizeof real));
    }
    int error = place->error ? place->error : ENOENT;
    return error_set(err, EXIT_USAGE, "%s %s: %s; %s", option, path_show(asked, shown, sizeof shown), strerror(error),
                     mend_absent(option, asked, grant, place, error));
}

/* A folder that isn't there yet: made where only the caller and root decide what is there, and not in what is to stay
 * as it is. */
static int check_making(const struct policy *policy, const struct grant *grant, const struct place *place,
                        const struct probe *probe, struct error *err) {
    const struct place *homes[] = {&probe->home, &probe->account_home};
    const struct making *making = place->making;
    char shown[1024], above[1024];
    if (!making)
        return 0;
    path_show(place->path, shown, sizeof shown);
    for (size_t i = 0; i < 2; i++) /* what is secret in it was looked for in vain */
        if (homes[i]->path && homes[i]->error && path_is_under(place->path, homes[i]->path))
            return error_set(err, EXIT_USAGE,
                             "%s %s would be made in the home folder %s, which isn't there either; make that first, or "
                             "set HOME to a folder that is",
                             grant->origin, shown, path_show(homes[i]->path, above, sizeof above));
    if (policy->mode.value != MODE_DIRECT && names_show(&probe->mounts, probe->workspace.path, place->path))
        return error_set(err, EXIT_USAGE,
                         "%s %s isn't there, and would be made in the workspace, which mode %s (%s) keeps as it is; "
                         "make it first: mkdir -p %s",
                         grant->origin, shown, mode_name((enum mode)policy->mode.value), policy->mode.origin, shown);
    if (making->owner != probe->uid && making->owner != 0)
        return error_set(err, EXIT_USAGE,
                         "%s %s isn't there, and would be made in %s, which belongs to uid %lu, neither you nor root; "
                         "make it first, or name another folder",
                         grant->origin, shown, path_show(making->path, above, sizeof above),
                         (unsigned long)making->owner);
    return 0;
}

static int check_grant(const struct grant *grant, const struct place *place, const struct probe *probe,
                       struct error *err) {
    char shown[1024];
    if (check_found(grant->origin, grant->path, grant, place, err))
        return -1;
    path_show(place->path, shown, sizeof shown);
    if (grant->access == ACCESS_SOCKET)
        return S_ISSOCK(place->mode) ? 0
                                     : error_set(err, EXIT_USAGE,
                                                 "%s %s is not a unix socket; for files use --read or "
                                                 "--write",
                                                 grant->origin, shown);
    if (S_ISSOCK(place->mode))
        return error_set(err, EXIT_USAGE, "%s %s is a unix socket; to let the command connect use --unix-socket %s",
                         grant->origin, shown, shown);
    if (S_ISCHR(place->mode) && roots_is_own_device(place->path))
        return 0; /* every box has one, and the host's is not opened for it */
    if (!S_ISDIR(place->mode) && !S_ISREG(place->mode))
        return error_set(err, EXIT_USAGE, "%s %s is neither a folder nor a file; devices and FIFOs can't be granted",
                         grant->origin, shown);
    if (grant->access == ACCESS_WRITE)
        return check_writable(grant->origin, place->path, probe, err);
    if (strcmp(place->path, "/") == 0)
        return error_set(err, EXIT_USAGE,
                         "%s / would show every file of the host; name the folders that the command "
                         "needs",
                         grant->origin);
    if (path_is_under(place->path, "/proc") || path_is_under(place->path, "/dev"))
        return error_set(err, EXIT_USAGE, "%s %s: the box has a /proc and a /dev of its own; name an ordinary folder",
                         grant->origin, shown);
    return 0;
}

int roots_check(const struct policy *policy, const struct probe *probe, struct error *err) {
    const char *option = policy->workspace ? "--workspace" : "the current folder as workspace:";
    const char *asked = policy->workspace ? policy->workspace : ".";
    char shown[1024];
    if (!policy->workspace && probe->workspace.error)
        return error_set(err, EXIT_USAGE,
                         "the current folder can't be used as workspace (%s); name one: --workspace DIR",
                         strerror(probe->workspace.error));
    if (check_found(option, asked, NULL, &probe->workspace, err) || check_workspace(option, policy, probe, err))
        return -1;
    if (!S_ISDIR(probe->workspace.mode))
        return error_set(err, EXIT_USAGE, "%s %s is not a folder; name the folder that holds it", option,
                         path_show(asked, shown, sizeof shown));
    for (size_t i = 0; i < policy->grants.count; i++)
        if (check_grant(&policy->grants.at[i], &probe->grants.at[i], probe, err) ||
            check_making(policy, &policy->grants.at[i], &probe->grants.at[i], probe, err) ||
            check_beside(policy, &policy->grants.at[i], &probe->grants.at[i], probe, err))
            return -1;
    return bans_check(policy, probe, err);
}
