/* Unit tests of linux/landlock_rights: each right of Landlock, by the kernel's own bit: since which ABI it is handled,
 * and what may have it. Told right by right, where the code tells it class by class. And of linux/landlock, in
 * children: what a plan doesn't show, and what the relay must not do, this kernel refuses. */
#include "linux/landlock.h"
#include "child.h"
#include "linux/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { ABI_NEWEST = 11 };

/* r: read-only trees. w: writable ones. p: /proc. d: devices. u: /dev/random and /dev/urandom. s: granted sockets. */
static const char classes[] = {[RIGHTS_NONE] = '-',   [RIGHTS_READ] = 'r',   [RIGHTS_WRITE] = 'w', [RIGHTS_PROC] = 'p',
                               [RIGHTS_DEVICE] = 'd', [RIGHTS_RANDOM] = 'u', [RIGHTS_SOCKET] = 's'};

static const struct {
    const char *name;
    int since;
    bool of_files; /* or of folders alone */
    const char *classes;
} rights[] = {{"execute", 1, true, "rw"},           {"write a file", 1, true, "wpd"},
              {"read a file", 1, true, "rwpdu"},    {"list a folder", 1, false, "rwpd"},
              {"remove a folder", 1, false, "w"},   {"remove a file", 1, false, "w"},
              {"make a char dev", 1, false, ""},    {"make a folder", 1, false, "w"},
              {"make a file", 1, false, "w"},       {"make a socket", 1, false, "w"},
              {"make a FIFO", 1, false, "w"},       {"make a block dev", 1, false, ""},
              {"make a symlink", 1, false, "w"},    {"link or rename between folders", 2, false, "w"},
              {"truncate", 3, true, "wpd"},         {"ioctl of a device", 5, true, "d"},
              {"connect to a socket", 9, true, "s"}};

static void each_right_is_handled_since_its_abi(void **state) {
    (void)state;
    for (int abi = 0; abi <= ABI_NEWEST; abi++) {
        uint64_t all = 0;
        for (size_t bit = 0; bit < sizeof rights / sizeof rights[0]; bit++)
            all |= abi >= rights[bit].since ? UINT64_C(1) << bit : 0;
        assert_int_equal(landlock_known(abi), all);
    }
}

static void each_right_is_had_by_what_needs_it(void **state) {
    (void)state;
    for (size_t class = 0; class < sizeof classes; class ++)
        for (size_t bit = 0; bit < sizeof rights / sizeof rights[0]; bit++)
            for (int folder = 0; folder <= 1; folder++) {
                struct mount mount = {.rights = (enum rights) class, .folder = folder};
                bool has = strchr(rights[bit].classes, classes[class]) && (folder || rights[bit].of_files);
                for (int abi = 0; abi <= ABI_NEWEST; abi++)
                    if ((landlock_rights(&mount, abi) >> bit & 1) != (has && abi >= rights[bit].since))
                        fail_msg("%s, class %c, ABI %d", rights[bit].name, classes[class], abi);
                assert_int_equal(landlock_rights(&mount, ABI_NEWEST) >> sizeof rights / sizeof rights[0], 0);
            }
}

static void abstract_sockets_and_signals_are_scoped_since_abi_6(void **state) {
    (void)state;
    for (int abi = 0; abi <= ABI_NEWEST; abi++)
        assert_int_equal(landlock_scopes(abi), abi >= 6 ? 3 : 0);
}

/* Neither the parent nor a socket of its can be reached, from ABI 6 on. */
static int scoped(int abi) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = sizeof name;
    int inner = socket(AF_UNIX, SOCK_DGRAM, 0), outer = 60; /* a bound one of the parent's */
    CHECK(inner >= 0);
    if (abi < 6)
        return 0;
    CHECK(kill(getppid(), 0) && errno == EPERM);
    CHECK(!getsockname(outer, (struct sockaddr *)&name, &size));
    CHECK(connect(inner, (struct sockaddr *)&name, size) && errno == EPERM);
    return 0;
}

static int close_all(void) {
    int abi = sys_landlock_abi();
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int tcp = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(tcp >= 0 && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK(!landlock_close(abi));
    CHECK(open("/", O_RDONLY | O_DIRECTORY) < 0 && errno == EACCES);
    if (abi >= 4) {
        CHECK(connect(tcp, (struct sockaddr *)&address, sizeof address) && errno == EACCES);
        address.sin_port = 0;
        CHECK(bind(tcp, (struct sockaddr *)&address, sizeof address) && errno == EACCES);
    }
    return scoped(abi);
}

static const char executed[] = "executed";

static int apply_a_plan(void) {
    static char self[PATH_MAX]; /* static, so that nothing but itself is needed to execute it */
    static struct mount mounts[] = {{.target = "/usr/share", .rights = RIGHTS_READ, .folder = true},
                                    {.target = self, .rights = RIGHTS_PROC}};
    struct probe probe = {.landlock_abi = sys_landlock_abi()};
    struct plan plan = {.probe = &probe, .mounts = {.at = mounts, .count = 2}};
    char *const words[] = {(char *)executed, NULL};
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    (void)unlink("/tmp/pinfold-unit-landlock"); /* left where Landlock let it be made */
    CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK(!landlock_apply(&plan));
    CHECK(open("/", O_RDONLY | O_DIRECTORY) >= 0 && open("/etc", O_RDONLY | O_DIRECTORY) >= 0);
    CHECK(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
    CHECK(open("/dev/null", O_WRONLY) < 0 && errno == EACCES);
    CHECK(mknod("/tmp/pinfold-unit-landlock", S_IFREG | 0600, 0) && errno == EACCES);
    CHECK(open(self, O_RDONLY) >= 0 && execv(self, words) && errno == EACCES);
    return scoped(probe.landlock_abi);
}

static void confined(int (*check)(void)) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (sys_landlock_abi() < 1)
        skip();
    assert_int_equal(dup2(fd, 60), 60);
    assert_int_equal(bind(60, (struct sockaddr *)&name, sizeof name.sun_family), 0); /* a free abstract name */
    assert_int_equal(in_child(check), 0);
    close(60), close(fd);
}

static void the_relay_reaches_nothing(void **state) {
    (void)state;
    confined(close_all);
}

static void a_plan_shows_its_mounts_alone(void **state) {
    (void)state;
    confined(apply_a_plan);
}

int main(int count, char **words) {
    if (count == 1 && strcmp(words[0], executed) == 0)
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_right_is_handled_since_its_abi),
        cmocka_unit_test(each_right_is_had_by_what_needs_it),
        cmocka_unit_test(abstract_sockets_and_signals_are_scoped_since_abi_6),
        cmocka_unit_test(the_relay_reaches_nothing),
        cmocka_unit_test(a_plan_shows_its_mounts_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
