/* Unit tests of plan/roots: every refusal is 125, names the path, and says what to type instead. */
#include "plan/roots.h"
#include "host.h"

/* The policy is refused, and the message has all of these words. */
static void refused(struct host *host, const char *const *words) {
    host->err = (struct error){0};
    assert_int_equal(roots_check(&host->policy, &host->probe, &host->err), -1);
    assert_int_equal(host->err.status, EXIT_USAGE);
    for (; *words; words++)
        if (!strstr(host->err.text, *words))
            fail_msg("\"%s\" is not in: %s", *words, host->err.text);
}
#define REFUSED(host, ...) refused((host), (const char *const[]){__VA_ARGS__, NULL})

static void accepted(struct host *host) {
    if (roots_check(&host->policy, &host->probe, &host->err))
        fail_msg("%s", host->err.text);
}

/* A host whose workspace is this folder, named by --workspace. */
static struct host in_workspace(const char *path) {
    struct host host;
    host_user(&host);
    host.policy.workspace = path;
    host.probe.workspace = host_folder(path);
    return host;
}

static struct host granting(enum access access, struct place place) {
    struct host host;
    host_user(&host);
    host_grant(&host, access, place);
    return host;
}

static void ordinary_workspaces(void **state) {
    (void)state;
    static const char *const good[] = {"/home/u/src", "/home/u/a/b", "/tmp/x", "/srv/checkout",
                                       "/usrlocal",   "/home/other", "/rootfs"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct host host = in_workspace(good[i]);
        accepted(&host);
        host_free(&host);
    }
}

static void workspace_that_is_the_root(void **state) {
    (void)state;
    struct host host = in_workspace("/");
    REFUSED(&host, "--workspace", "every file of the host", "--workspace /");
    host.policy.workspace = NULL;
    REFUSED(&host, "the current folder as workspace", "--workspace /");
    host_free(&host);
}

static void workspace_that_is_or_holds_a_home(void **state) {
    (void)state;
    static const char *const bad[] = {"/home/u", "/home"};
    for (size_t i = 0; i < 2; i++) {
        struct host host = in_workspace(bad[i]);
        REFUSED(&host, bad[i], "the home folder /home/u", "--workspace /home/u/project");
        host_free(&host);
    }
    /* the remedy is typed as it was asked for */
    struct host granted = granting(ACCESS_WRITE, host_folder("/home/u"));
    REFUSED(&granted, "--write /home/u is the home folder", "such as --write /home/u/project");
    granted.policy.grants.at[0].origin = "/p.json:1:11: write";
    REFUSED(&granted, "/p.json:1:11: write /home/u is the home folder", "such as /home/u/project");
    host_free(&granted);
    /* $HOME may lie; the account's home counts as well */
    struct host host = in_workspace("/home/real");
    host.probe.account_home = host_folder("/home/real");
    REFUSED(&host, "/home/real", "home folder", "--workspace /home/real/project");
    host.probe.account_home = (struct place){0};
    host.probe.home = host_absent("/home/real/not/there");
    REFUSED(&host, "/home/real", "home folder");
    /* a terminal's control sequence in its name stays a name: U+009B begins one */
    host.probe.home = host_absent("/home/real/\xc2\x9b"
                                  "2J");
    REFUSED(&host, "/home/real", "home folder /home/real/\\xc2");
    host_free(&host);
}

static void a_home_that_is_the_root_refuses_no_folder(void **state) {
    (void)state;
    struct host host = in_workspace("/srv/x");
    host.probe.home = host.probe.account_home = host_folder("/");
    accepted(&host);
    host_free(&host);
}

static void workspace_that_holds_pinfold(void **state) {
    (void)state;
    struct host host = in_workspace("/srv/tools");
    host.probe.executable = host_place("/srv/tools/bin/pinfold", S_IFREG | 0755);
    REFUSED(&host, "/srv/tools", "pinfold itself", "/srv/tools/bin/pinfold", "/usr/local/bin");
    host_free(&host);
    host = granting(ACCESS_WRITE, host_folder("/srv/tools"));
    host.probe.executable = host_place("/srv/tools/pinfold", S_IFREG | 0755);
    REFUSED(&host, "--write", "/srv/tools", "pinfold itself");
    host_free(&host);
    host = granting(ACCESS_READ, host_folder("/srv/tools"));
    host.probe.executable = host_place("/srv/tools/pinfold", S_IFREG | 0755);
    accepted(&host);
    host_free(&host);
}

static void kernel_and_system_folders_are_not_writable(void **state) {
    (void)state;
    static const char *const kernel[] = {"/proc", "/proc/sys", "/dev", "/dev/shm", "/sys", "/sys/fs/cgroup"};
    static const char *const system[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt", "/nix", "/gnu"};
    for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++) {
        struct host host = in_workspace(kernel[i]);
        REFUSED(&host, "--workspace", kernel[i], "kernel", "name an ordinary folder");
        host_free(&host);
        host = granting(ACCESS_WRITE, host_folder(kernel[i]));
        REFUSED(&host, "--write", kernel[i], "name an ordinary folder");
        host_free(&host);
    }
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++) {
        struct host host = in_workspace(system[i]);
        host.probe.executable = host_place("/home/u/bin/pinfold", S_IFREG | 0755);
        REFUSED(&host, "--workspace", system[i], "name a folder that is not part of the system");
        host_free(&host);
    }
}

static void workspace_that_is_not_there(void **state) {
    (void)state;
    struct host host = in_workspace("/gone");
    host.probe.workspace = host_absent("/gone");
    REFUSED(&host, "--workspace /gone", strerror(ENOENT), "name a path that exists");
    host.probe.workspace.error = EACCES;
    REFUSED(&host, "--workspace /gone", strerror(EACCES), "name a path that you may reach");
    host.policy.workspace = NULL;
    host.probe.workspace = (struct place){.error = ENOENT};
    REFUSED(&host, "the current folder can't be used as workspace", strerror(ENOENT), "--workspace DIR");
    host_free(&host);
}

static void workspace_that_is_a_file(void **state) {
    (void)state;
    struct host host = in_workspace("/srv/file");
    host.probe.workspace = host_place("/srv/file", S_IFREG | 0644);
    REFUSED(&host, "--workspace /srv/file", "not a folder", "name the folder that holds it");
    host_free(&host);
}

static void grants_that_are_not_there(void **state) {
    (void)state;
    for (int access = ACCESS_READ; access <= ACCESS_SOCKET; access++) {
        struct host host = granting((enum access)access, host_absent("/srv/none"));
        REFUSED(&host, host.policy.grants.at[0].origin, "/srv/none", strerror(ENOENT), "name a path that exists");
        host_free(&host);
    }
}

/* The folder in which a missing one would be made. */
static struct host making(struct making *above) {
    struct host host = granting(ACCESS_WRITE, host_folder("/srv/x/new"));
    host.policy.grants.at[0].create = true;
    host.probe.grants.at[0].making = above;
    return host;
}

static void folders_to_be_made(void **state) {
    (void)state;
    struct making own = {"/srv/x", 1, 2, 1000}, roots = {"/srv", 1, 2, 0}, other = {"/srv/x", 1, 2, 1001};
    struct host host = making(&own);
    accepted(&host);
    host.probe.grants.at[0].making = &roots;
    accepted(&host);
    host.probe.grants.at[0].making = &other;
    REFUSED(&host, "--write /srv/x/new", "would be made in /srv/x, which belongs to uid 1001", "make it first");
    host.probe.grants.at[0].making = &own;
    host.probe.grants.at[0].link = "/srv/link";
    REFUSED(&host, "leads through the symlink /srv/link");
    host_free(&host);
    host = making(&own);
    host.probe.home = host_absent("/srv/x");
    REFUSED(&host, "/srv/x/new would be made in the home folder /srv/x", "make that first");
    host_free(&host);
    host = making(&own);
    host.probe.grants.at[0].path = "/usr/new";
    REFUSED(&host, "--write /usr/new", "name a folder that is not part of the system");
    host_free(&host);
    for (uint64_t mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
        host = making(&own);
        host.policy.mode = (struct setting){mode, "--mode"};
        accepted(&host);
        host.probe.workspace = host_folder("/srv/x");
        if (mode == MODE_DIRECT)
            accepted(&host);
        else
            REFUSED(&host, "/srv/x/new isn't there", mode_name((enum mode)mode), "make it first: mkdir -p /srv/x/new");
        host_free(&host);
    }
}

static void devices(void **state) {
    (void)state;
    static const char *const own[] = {"/dev/null", "/dev/tty", "/dev/ptmx", "/dev/urandom"};
    for (size_t i = 0; i < 4; i++)
        for (int access = ACCESS_READ; access <= ACCESS_WRITE; access++) {
            struct host host = granting((enum access)access, host_place(own[i], S_IFCHR | 0666));
            accepted(&host);
            host.probe.grants.at[0].path = "/srv/null";
            REFUSED(&host, "/srv/null", "devices and FIFOs can't be granted");
            host_free(&host);
        }
    struct host host = granting(ACCESS_WRITE, host_place("/dev/kvm", S_IFCHR | 0666));
    REFUSED(&host, "--write /dev/kvm", "devices and FIFOs can't be granted");
    host.probe.grants.at[0] = host_absent("/dev/nvidia0");
    REFUSED(&host, "name a path that exists");
    assert_null(strstr(host.err.text, "--create"));
    host_free(&host);
}

static void configuration_that_nobody_named(void **state) {
    (void)state;
    struct host host = in_workspace("/srv/x/.claude");
    accepted(&host);
    host.policy.workspace = NULL;
    REFUSED(&host, "the current folder as workspace: /srv/x/.claude", "--workspace /srv/x/.claude");
    host.probe.workspace.path = "/srv/x/.claude/worktrees/a";
    accepted(&host);
    host.probe.workspace.path = "/srv/x/claude";
    accepted(&host);
    host_free(&host);
}

static void how_to_have_a_folder_made(void **state) {
    (void)state;
    struct host host = granting(ACCESS_WRITE, host_absent("/srv/none"));
    REFUSED(&host, "--write /srv/none", "or add --create");
    host.policy.grants.at[0].origin = "/p.json:1:11: write";
    REFUSED(&host, "or add \"create\": true");
    host.policy.grants.at[0].create = true; /* and it can't be */
    REFUSED(&host, "without \"..\"");
    host_free(&host);
}

static void a_home_that_no_shell_put_in(void **state) {
    (void)state;
    struct host host = granting(ACCESS_READ, host_absent("~/venv"));
    host.policy.grants.at[0].path = "~/venv";
    REFUSED(&host, "--read ~/venv", "the shell puts it in where it is not quoted");
    host_free(&host);
}

static void reading_everything(void **state) {
    (void)state;
    struct host host = granting(ACCESS_READ, host_folder("/"));
    REFUSED(&host, "--read /", "every file of the host", "name the folders");
    host_free(&host);
    static const char *const own[] = {"/proc", "/proc/1", "/dev", "/dev/sda"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        host = granting(ACCESS_READ, host_folder(own[i]));
        REFUSED(&host, "--read", own[i], "of its own", "name an ordinary folder");
        host_free(&host);
    }
}

static void sockets_and_files_have_their_own_options(void **state) {
    (void)state;
    struct host host = granting(ACCESS_SOCKET, host_place("/run/file", S_IFREG | 0644));
    REFUSED(&host, "--unix-socket", "/run/file", "not a unix socket", "--read", "--write");
    host_free(&host);
    host = granting(ACCESS_READ, host_place("/run/x.sock", S_IFSOCK | 0666));
    REFUSED(&host, "/run/x.sock", "is a unix socket", "--unix-socket /run/x.sock");
    host_free(&host);
    host = granting(ACCESS_WRITE, host_place("/run/x.sock", S_IFSOCK | 0666));
    REFUSED(&host, "--unix-socket /run/x.sock");
    host_free(&host);
    host = granting(ACCESS_SOCKET, host_place("/run/x.sock", S_IFSOCK | 0666));
    accepted(&host);
    host_free(&host);
}

static void devices_and_fifos_are_no_grants(void **state) {
    (void)state;
    static const mode_t modes[] = {S_IFIFO, S_IFCHR, S_IFBLK};
    for (size_t i = 0; i < 3; i++)
        for (int access = ACCESS_READ; access <= ACCESS_WRITE; access++) {
            struct host host = granting((enum access)access, host_place("/srv/node", modes[i] | 0666));
            REFUSED(&host, "/srv/node", "neither a folder nor a file");
            host_free(&host);
        }
}

static void the_second_grant_is_checked_too(void **state) {
    (void)state;
    struct host host = granting(ACCESS_READ, host_folder("/srv/good"));
    host_grant(&host, ACCESS_WRITE, host_folder("/home"));
    REFUSED(&host, "--write /home", "home folder");
    host_free(&host);
}

static void messages_are_safe_to_print(void **state) {
    (void)state;
    struct host host = granting(ACCESS_READ, host_absent("/srv/\x1b[2J"));
    REFUSED(&host, "\\x1b[2J");
    assert_null(strchr(host.err.text, '\x1b'));
    host_free(&host);
    host = in_workspace("/home\n");
    host.probe.home = host.probe.account_home = host_folder("/home\n/u");
    REFUSED(&host, "home folder");
    assert_null(strchr(host.err.text, '\n'));
    host_free(&host);
}

static void an_empty_probe_is_refused(void **state) {
    (void)state;
    struct host host = {0};
    assert_int_equal(roots_check(&host.policy, &host.probe, &host.err), -1);
    host_free(&host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_workspaces),
        cmocka_unit_test(workspace_that_is_the_root),
        cmocka_unit_test(workspace_that_is_or_holds_a_home),
        cmocka_unit_test(a_home_that_is_the_root_refuses_no_folder),
        cmocka_unit_test(workspace_that_holds_pinfold),
        cmocka_unit_test(kernel_and_system_folders_are_not_writable),
        cmocka_unit_test(workspace_that_is_not_there),
        cmocka_unit_test(workspace_that_is_a_file),
        cmocka_unit_test(grants_that_are_not_there),
        cmocka_unit_test(folders_to_be_made),
        cmocka_unit_test(devices),
        cmocka_unit_test(configuration_that_nobody_named),
        cmocka_unit_test(how_to_have_a_folder_made),
        cmocka_unit_test(a_home_that_no_shell_put_in),
        cmocka_unit_test(reading_everything),
        cmocka_unit_test(sockets_and_files_have_their_own_options),
        cmocka_unit_test(devices_and_fifos_are_no_grants),
        cmocka_unit_test(the_second_grant_is_checked_too),
        cmocka_unit_test(messages_are_safe_to_print),
        cmocka_unit_test(an_empty_probe_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
