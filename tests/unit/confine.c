/* Unit tests of linux/confine, each in a forked child: what is dropped is gone, read back, and can't be had again. */
#include "linux/confine.h"
#include "child.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* A line of /proc/self/status as a number. */
static unsigned long long status_of(const char *name) {
    char line[256];
    unsigned long long value = 99;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            value = strtoull(line + strlen(name) + 1, NULL, strncmp(name, "Cap", 3) == 0 ? 16 : 10);
    if (file)
        fclose(file);
    return value;
}

static int drop(void) {
    int powerful = status_of("CapEff") >> 8 & 1; /* CAP_SETPCAP */
    CHECK(!confine_capabilities());
    CHECK(!status_of("CapEff") && !status_of("CapPrm") && !status_of("CapInh") && !status_of("CapAmb"));
    CHECK(!confine_capabilities_empty());
    if (!powerful)
        return 0;
    CHECK(!status_of("CapBnd"));
    CHECK(!confine_capabilities_empty() && !confine_bounding_empty());
    int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
    CHECK(bits == (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                   SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED));
    CHECK(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == -1 && errno == EPERM);
    CHECK(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == -1 && errno == EPERM);
    CHECK(setuid(12345) && errno == EPERM);
    return 0;
}

static int drop_twice(void) {
    CHECK(!confine_capabilities());
    CHECK(!confine_capabilities());
    CHECK(!confine_capabilities_empty());
    return 0;
}

static int drop_as_user(void) {
    if (geteuid() == 0 && status_of("CapEff")) /* root in a box has none */
        CHECK(!setgid(1000) && !setuid(1000));
    return drop();
}

static int see_what_is_left(void) {
    if (!status_of("CapEff"))
        return 0;
    CHECK(confine_capabilities_empty() == -1 && errno == EPERM);
    return 0;
}

/* One capability in these sets alone is seen. */
static int see_one(unsigned permitted, unsigned inheritable) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{.permitted = permitted, .inheritable = inheritable}, {0}};
    if (!(status_of("CapPrm") & 1))
        return 0;
    CHECK(!syscall(SYS_capset, &header, data));
    CHECK(confine_capabilities_empty() == -1 && errno == EPERM);
    return 0;
}

static int see_permitted(void) {
    return see_one(1, 0);
}

static int see_inheritable(void) {
    return see_one(0, 1);
}

static int take_no_new_privs(void) {
    CHECK(!confine_no_new_privs());
    CHECK(status_of("NoNewPrivs") == 1);
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == -1);
    CHECK(!confine_no_new_privs());
    return 0;
}

static int take_core(void) {
    struct rlimit before, limit = {0, 0};
    CHECK(!getrlimit(RLIMIT_CORE, &before));
    CHECK(!confine_core());
    CHECK(!getrlimit(RLIMIT_CORE, &limit) && limit.rlim_cur == limit.rlim_max);
    CHECK(limit.rlim_max == (before.rlim_max ? 1 : 0)); /* a hard limit of 0 stays */
    CHECK(!confine_core());
    CHECK(limit.rlim_max == 0 || !confine_core_closed());
    return 0;
}

static void capabilities_are_gone_for_good(void **state) {
    (void)state;
    assert_int_equal(in_child(drop), 0);
    assert_int_equal(in_child(drop_as_user), 0);
}

static void dropping_twice_is_no_fault(void **state) {
    (void)state;
    assert_int_equal(in_child(drop_twice), 0);
}

static void capabilities_that_are_left_are_seen(void **state) {
    (void)state;
    assert_int_equal(in_child(see_what_is_left), 0);
    assert_int_equal(in_child(see_permitted), 0);
    assert_int_equal(in_child(see_inheritable), 0);
}

static void no_new_privs_stays(void **state) {
    (void)state;
    assert_int_equal(in_child(take_no_new_privs), 0);
}

static void core_files_are_off(void **state) {
    (void)state;
    assert_int_equal(in_child(take_core), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities_are_gone_for_good),
        cmocka_unit_test(dropping_twice_is_no_fault),
        cmocka_unit_test(capabilities_that_are_left_are_seen),
        cmocka_unit_test(no_new_privs_stays),
        cmocka_unit_test(core_files_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
