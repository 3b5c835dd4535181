/* Unit tests of plan/facts: which kind of host facts make, in words. */
#include "surroundings.h"

static void judged(struct arena *arena, struct facts *facts, enum host_kind kind, const char *words) {
    assert_int_equal(facts_judge(arena, facts), 0);
    if (facts->kind != kind || strcmp(facts->words, words) != 0)
        fail_msg("%s (%s), where %s was expected", facts->words, facts_kind(facts->kind), words);
}

static void plain_hosts(void **state) {
    (void)state;
    struct arena arena = {0};
    struct facts facts = facts_plain();
    judged(&arena, &facts, HOST_PLAIN, "plain Debian GNU/Linux 12 (bookworm) host");
    assert_false(facts_contained(&facts));
    facts.docker_file = true; /* an image that was booted */
    judged(&arena, &facts, HOST_PLAIN, "plain Debian GNU/Linux 12 (bookworm) host, booted from a container's image");
    facts = facts_plain();
    facts.system = NULL;
    judged(&arena, &facts, HOST_PLAIN, "plain Linux host");
    facts.selinux = true;
    facts.ci = "Jenkins";
    judged(&arena, &facts, HOST_PLAIN, "plain Linux host, hardened by SELinux, in Jenkins");
    facts = facts_plain();
    facts.label = "unconfined";
    judged(&arena, &facts, HOST_PLAIN, "plain Debian GNU/Linux 12 (bookworm) host");
    facts.userns_apparmor = 1;
    judged(&arena, &facts, HOST_PLAIN, "plain Debian GNU/Linux 12 (bookworm) host, hardened by AppArmor");
    facts.seccomp = 2; /* one of the three marks makes no container */
    facts_cover(&arena, &facts, "/proc/sys");
    judged(&arena, &facts, HOST_PLAIN, "plain Debian GNU/Linux 12 (bookworm) host, hardened by AppArmor");
    arena_free(&arena);
}

static void kernels_that_name_themselves(void **state) {
    (void)state;
    static const struct {
        const char *version;
        enum host_kind kind;
        const char *words;
    } all[] = {
        {"Linux version 5.15.90.1-microsoft-standard-WSL2", HOST_WSL2, "WSL 2"},
        {"Linux version 4.4.0-19041-Microsoft", HOST_WSL1, "WSL 1"},
        {"Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016", HOST_GVISOR, "gVisor"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct facts facts = facts_plain();
        facts.version = all[i].version;
        judged(&arena, &facts, all[i].kind, all[i].words);
    }
    struct facts facts = facts_docker(&arena); /* Docker on WSL 2 is Docker */
    facts.version = all[0].version;
    judged(&arena, &facts, HOST_DOCKER, "Docker container with a Docker-like profile, hardened by AppArmor");
    arena_free(&arena);
}

static void containers(void **state) {
    (void)state;
    static const struct {
        const char *manager;
        enum host_kind kind;
        const char *words;
    } all[] = {
        {"docker", HOST_DOCKER, "Docker container"}, {"podman", HOST_PODMAN, "Podman container"},
        {"kube", HOST_KUBERNETES, "Kubernetes pod"}, {"lxc", HOST_LXC, "LXC container"},
        {"lxc-libvirt", HOST_LXC, "LXC container"},  {"systemd-nspawn", HOST_NSPAWN, "systemd-nspawn container"},
        {"oci", HOST_CONTAINER, "container"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct facts facts = facts_plain();
        facts.manager = all[i].manager;
        judged(&arena, &facts, all[i].kind, all[i].words);
        assert_true(facts_contained(&facts));
    }
    struct facts facts = facts_docker(&arena);
    facts.docker_file = false; /* no name, but what Docker does */
    facts.label = NULL;
    judged(&arena, &facts, HOST_CONTAINER, "container with a Docker-like profile");
    facts.foreign_namespaces = false; /* all three marks */
    judged(&arena, &facts, HOST_CONTAINER, "container with a Docker-like profile");
    facts = facts_plain();
    facts.manager = "podman";
    facts.rootless = facts.user_namespace = true;
    judged(&arena, &facts, HOST_PODMAN, "Podman container, rootless");
    facts = facts_plain();
    facts.user_namespace = true;
    judged(&arena, &facts, HOST_USER_NAMESPACE, "user namespace");
    facts.foreign_namespaces = false, facts.user_namespace = false, facts.chrooted = true;
    judged(&arena, &facts, HOST_CHROOT, "chroot");
    arena_free(&arena);
}

static void a_refusal_without_a_reason_is_a_chroot(void **state) {
    (void)state;
    struct arena arena = {0};
    struct facts facts = facts_plain();
    facts.kind = HOST_PLAIN;
    assert_int_equal(facts_refused(&arena, &facts, ENOSPC), 0);
    assert_false(facts.chrooted);
    facts.userns_clone = 0;
    assert_int_equal(facts_refused(&arena, &facts, EPERM), 0);
    assert_false(facts.chrooted);
    facts.userns_clone = 1;
    assert_int_equal(facts_refused(&arena, &facts, EPERM), 0);
    assert_int_equal(facts.kind, HOST_CHROOT);
    assert_true(facts.evidence.count == 1);
    facts = facts_plain();
    facts.seccomp = 2;
    assert_int_equal(facts_refused(&arena, &facts, EPERM), 0);
    assert_false(facts.chrooted);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_hosts),
        cmocka_unit_test(kernels_that_name_themselves),
        cmocka_unit_test(containers),
        cmocka_unit_test(a_refusal_without_a_reason_is_a_chroot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
