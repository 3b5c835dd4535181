/* Unit tests of plan/mend: the one thing to do, for each kind of host. */
#include "plan/mend.h"
#include "surroundings.h"

static void mends(const struct facts *facts, enum step step, int error, enum mend_kind kind, const char *text) {
    struct arena arena = {0};
    struct mend mend;
    assert_int_equal(mend_find(&arena, facts, step, error, "", &mend), 0);
    if (mend.kind != kind || strcmp(mend.text, text) != 0)
        fail_msg("%s: %s: \"%s\", where \"%s\" was expected", step_text[step].name, mend_kind_name(mend.kind),
                 mend.text, text);
    arena_free(&arena);
}

static void limits_of_namespaces(void **state) {
    (void)state;
    struct facts facts = facts_plain();
    for (size_t i = 0; i < FACTS_LIMITS; i++)
        facts.most[i] = 0;
    static const struct {
        enum step step;
        const char *text;
    } all[] = {{STEP_USER_NAMESPACE, "sysctl -w user.max_user_namespaces=15000"},
               {STEP_MOUNT_NAMESPACE, "sysctl -w user.max_mnt_namespaces=15000"},
               {STEP_PID_NAMESPACE, "sysctl -w user.max_pid_namespaces=15000"},
               {STEP_NET_NAMESPACE, "sysctl -w user.max_net_namespaces=15000"},
               {STEP_IPC_NAMESPACE, "sysctl -w user.max_ipc_namespaces=15000"},
               {STEP_UTS_NAMESPACE, "sysctl -w user.max_uts_namespaces=15000"},
               {STEP_CGROUP_NAMESPACE, "sysctl -w user.max_cgroup_namespaces=15000"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mends(&facts, all[i].step, ENOSPC, MEND_ROOT, all[i].text);
    facts.most[3] = 31000; /* used up: more than there are */
    mends(&facts, STEP_NET_NAMESPACE, ENOSPC, MEND_ROOT, "sysctl -w user.max_net_namespaces=62000");
    mends(&facts, STEP_NET_NAMESPACE, EINVAL, MEND_BOOT, "a kernel with CONFIG_NET_NS=y");
}

static void hosts_that_refuse_user_namespaces(void **state) {
    (void)state;
    struct facts facts = facts_plain();
    facts.userns_clone = 0;
    mends(&facts, STEP_USER_NAMESPACE, EPERM, MEND_ROOT, "sysctl -w kernel.unprivileged_userns_clone=1");
    facts.userns_clone = 1;
    facts.userns_apparmor = 1;
    static const enum step powerless[] = {STEP_USER_NAMESPACE, STEP_ID_MAPS, STEP_MOUNTS, STEP_LOOPBACK, STEP_HOSTNAME};
    for (size_t i = 0; i < sizeof powerless / sizeof powerless[0]; i++)
        mends(&facts, powerless[i], EPERM, MEND_ROOT, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
    facts = facts_plain();
    facts.label = "snap.code.code (enforce)";
    mends(&facts, STEP_MOUNTS, EACCES, MEND_ROOT, "aa-complain snap.code.code");
    facts = facts_plain();
    mends(&facts, STEP_USER_NAMESPACE, EINVAL, MEND_BOOT, "a kernel with CONFIG_USER_NS=y");
}

static void containers(void **state) {
    (void)state;
    struct arena arena = {0};
    struct facts facts = facts_docker(&arena);
    facts.kind = HOST_DOCKER;
    const char *all = "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
                      "systempaths=unconfined ...";
    mends(&facts, STEP_USER_NAMESPACE, EPERM, MEND_CONTAINER, all);
    mends(&facts, STEP_KEYRING, EPERM, MEND_CONTAINER, all);
    mends(&facts, STEP_PROC, EPERM, MEND_CONTAINER, all);
    mends(&facts, STEP_LANDLOCK, ENOSYS, MEND_CONTAINER, all);
    facts.label = NULL;
    facts.covered.count = 0;
    mends(&facts, STEP_MOUNTS, EPERM, MEND_CONTAINER, "docker run --security-opt seccomp=unconfined ...");
    facts.seccomp = 0;
    mends(&facts, STEP_PROC, EPERM, MEND_CONTAINER, "docker run --security-opt systempaths=unconfined ...");
    facts.seccomp = 2;
    facts.kind = HOST_PODMAN;
    mends(&facts, STEP_PROC, EPERM, MEND_CONTAINER,
          "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL ...");
    facts.selinux = true;
    mends(&facts, STEP_MOUNTS, EPERM, MEND_CONTAINER,
          "podman run --security-opt seccomp=unconfined --security-opt label=disable ...");
    facts.selinux = false;
    facts.kind = HOST_KUBERNETES;
    mends(
        &facts, STEP_PROC, EPERM, MEND_CONTAINER,
        "securityContext: {seccompProfile: {type: Unconfined}, procMount: Unmasked} of the container, with hostUsers: "
        "false in the pod");
    facts.kind = HOST_LXC;
    mends(&facts, STEP_MOUNTS, EPERM, MEND_CONTAINER, "lxc config set NAME security.nesting=true");
    facts.kind = HOST_GVISOR;
    mends(&facts, STEP_LANDLOCK, ENOSYS, MEND_CONTAINER, "docker run --runtime=runc ... (any runtime but gVisor's)");
    arena_free(&arena);
}

static void kernels(void **state) {
    (void)state;
    struct facts facts = facts_plain();
    facts.modules = "capability,yama,apparmor";
    mends(&facts, STEP_LANDLOCK, EOPNOTSUPP, MEND_BOOT, "boot with lsm=landlock,capability,yama,apparmor");
    mends(&facts, STEP_LANDLOCK, ENOSYS, MEND_BOOT,
          "a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK=y and `landlock` in lsm=");
    mends(&facts, STEP_SECCOMP, EINVAL, MEND_BOOT, "a kernel with CONFIG_SECCOMP_FILTER=y");
    mends(&facts, STEP_LIMITS, EPERM, MEND_ROOT, "sysctl -w kernel.core_pattern=core");
    mends(&facts, STEP_KEYRING, EDQUOT, MEND_ROOT, "sysctl -w kernel.keys.maxkeys=2000");
}

static void moments(void **state) {
    (void)state;
    struct facts facts = facts_plain();
    for (int step = 0; step < STEP_COUNT; step++) {
        mends(&facts, (enum step)step, EMFILE, MEND_SHELL, "ulimit -n 1024");
        mends(&facts, (enum step)step, EAGAIN, MEND_SHELL, "ulimit -u 4096");
    }
}

/* Whatever the host, each step that is missing has something that mends it. */
static void nothing_goes_without(void **state) {
    (void)state;
    static const int errors[] = {EPERM, EACCES, ENOSYS, EINVAL, ENOSPC, EOPNOTSUPP, EUSERS, E2BIG, EIO, EPROTO, ENOMEM};
    struct arena arena = {0};
    for (int kind = 0; kind < HOST_KINDS; kind++)
        for (int variant = 0; variant < 8; variant++)
            for (int step = 0; step < STEP_COUNT; step++)
                for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
                    struct facts facts = facts_plain();
                    struct mend mend = {0};
                    facts.kind = (enum host_kind)kind;
                    facts.seccomp = variant & 1 ? 2 : 0;
                    facts.label = variant & 2 ? "profile (enforce)" : NULL;
                    facts.uid = variant & 4 ? 0 : 1000;
                    assert_int_equal(mend_find(&arena, &facts, (enum step)step, errors[i], "/x", &mend), 0);
                    assert_true(mend.text && *mend.text);
                }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_namespaces),
        cmocka_unit_test(hosts_that_refuse_user_namespaces),
        cmocka_unit_test(containers),
        cmocka_unit_test(kernels),
        cmocka_unit_test(moments),
        cmocka_unit_test(nothing_goes_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
