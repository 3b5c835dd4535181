/* Unit tests of linux/landlock_rights: each right of Landlock, by the kernel's own bit: since which ABI it is handled,
 * and what may have it. Told right by right, where the code tells it class by class. */
#include "linux/landlock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_right_is_handled_since_its_abi),
        cmocka_unit_test(each_right_is_had_by_what_needs_it),
        cmocka_unit_test(abstract_sockets_and_signals_are_scoped_since_abi_6),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
