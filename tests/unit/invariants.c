/* What must be true of every plan, over the product of what hosts may lack: no, one, two and three missing steps, and
 * 100,000 random sets of them (the seed is printed when one fails), for a user and for root, for each class of Landlock
 * ABI, each mode and every set of waivers that matters. */
#include "mount_rules.h"

enum { RANDOM_SETS = 100000, ABI_LAST = 11 };
static const int abi_classes[] = {1, 2, 3,       5,
                                  6, 9, ABI_LAST}; /* those that plans could tell apart; 0 is a missing step */
enum { CLASSES = sizeof abi_classes / sizeof abi_classes[0] };

typedef uint64_t step_set;
_Static_assert(STEP_COUNT <= 64, "a set of steps is 64 bits");
static step_set bit(int step) {
    return UINT64_C(1) << step;
}

/* The host that is looked at, for the message of a test that fails. */
static struct {
    bool on, root;
    step_set missing;
    uint32_t waived;
    unsigned seed;
} last;

static int tell_last(void **state) {
    (void)state;
    if (!last.on)
        return 0;
    printf("# failed for %s, waived %#x, seed %u, without", last.root ? "root" : "a user", last.waived, last.seed);
    for (int step = 0; step < STEP_COUNT; step++)
        if (last.missing & bit(step))
            printf(" %s", step_text[step].name);
    printf("\n");
    return 0;
}

/* One host for many plans: only what is missing, the ABI, the waivers and the mode change. */
static struct host *make_host(bool root) {
    static struct host host;
    (root ? host_root : host_user)(&host);
    host_grant(&host, ACCESS_READ, host_folder("/home/u/lib"));
    host_grant(&host, ACCESS_WRITE, host_folder("/srv/out"));
    HOST_ADD(&host, &host.probe.sockets, "/srv/out/agent.sock");
    return &host;
}

static void lack(struct host *host, step_set missing) {
    for (int step = 0; step < STEP_COUNT; step++)
        host->probe.missing[step] = missing & bit(step) ? EPERM : 0;
    host->probe.landlock_abi = missing & bit(STEP_LANDLOCK) ? 0
                               : host->probe.landlock_abi   ? host->probe.landlock_abi
                                                            : 6;
}

/* Plans are thrown away with what they took: the host itself lies in an arena of its own. */
static void compile(struct host *host, step_set missing) {
    static struct arena plans;
    struct arena own = host->arena;
    arena_again(&plans);
    host->arena = plans;
    last.missing = missing;
    last.root = host->probe.outer_root;
    last.waived = host->policy.waived;
    lack(host, missing);
    host_must_compile(host);
    plans = host->arena;
    host->arena = own;
}

/* The steps that a guarantee needs, from the table; those that this run has no need of left out. */
static step_set steps_for(const struct host *host, int guarantee) {
    step_set steps = 0;
    for (int step = 0; step < STEP_COUNT; step++)
        if (host->plan.needed[step] && step_text[step].gives & (G_BOX | UINT32_C(1) << guarantee))
            steps |= bit(step);
    if (!host->plan.taken[STEP_NET_NAMESPACE])
        steps &= ~bit(STEP_LOOPBACK);
    return steps;
}

static void check_steps(const struct host *host) {
    const struct plan *plan = &host->plan;
    step_set taken = 0;
    for (int step = 0; step < STEP_COUNT; step++) {
        taken |= plan->taken[step] ? bit(step) : 0;
        bool nowhere = step == STEP_LOOPBACK && !plan->taken[STEP_NET_NAMESPACE]; /* the host's own isn't ours */
        assert_int_equal(plan->taken[step], plan->needed[step] && !host->probe.missing[step] && !nowhere);
    }
    assert_int_equal(plan->provided & ~G_ALL, 0);
    for (int guarantee = 0; guarantee < GUARANTEE_COUNT; guarantee++)
        if (plan->provided & UINT32_C(1) << guarantee)
            assert_int_equal(steps_for(host, guarantee) & ~taken, 0);
}

/* Is the step named with its remedy, or, if it is no cause, not named? */
static void check_cause(const struct error *err, int step, bool is_cause) {
    char words[256];
    snprintf(words, sizeof words, "can't %s (", step_text[step].what);
    assert_int_equal(strstr(err->text, words) != NULL, is_cause);
    if (is_cause)
        assert_non_null(strstr(err->text, step_text[step].mend));
}

/* Does the refusal say what is lacking, why, and what helps: for a box that can't be the cause alone, else each missing
 * step, and each waiver? */
static void check_refusal(const struct host *host, const struct error *err, uint32_t lacking) {
    bool box = false, more = strstr(err->text, " more; or give it up by name: ") != NULL;
    for (int step = 0; step < STEP_COUNT; step++)
        box |= host->plan.needed[step] && host->probe.missing[step] && step_text[step].gives & G_BOX;
    assert_int_equal(err->status, EXIT_REFUSED);
    assert_ptr_equal(strstr(err->text, "refused, nothing was started: can't "), err->text);
    assert_non_null(strstr(err->text, "; remedy: "));
    assert_true(strlen(err->text) < sizeof err->text - 1);
    assert_int_equal(box, strstr(err->text, "so the box can't be promised") != NULL);
    assert_int_equal(!box, strstr(err->text, "--waive") != NULL);
    int cause = plan_cause(&host->plan);
    assert_true(cause >= 0);
    for (int step = 0; step < STEP_COUNT && !more; step++) {
        bool causes = host->plan.needed[step] && host->probe.missing[step] && step_text[step].gives & lacking;
        check_cause(err, step, box ? step == cause : causes);
    }
    for (int i = 0; i < GUARANTEE_COUNT && !box; i++) {
        char waiver[64];
        snprintf(waiver, sizeof waiver, "--waive %s", guarantee_text[i].name);
        bool offered = strstr(err->text, waiver) != NULL, lacks = lacking & UINT32_C(1) << i;
        assert_int_equal(offered, lacks);
    }
}

/* The plan with these waivers: it passes exactly when nothing else is lacking. */
static void check_waivers(struct host *host, uint32_t waived) {
    uint32_t given = waived & ~G_NEVER_WAIVED, lacking = G_ALL & ~host->plan.provided & ~given;
    struct error err = {0};
    last.waived = host->policy.waived = waived;
    int result = plan_check(&host->plan, &err);
    assert_int_equal(result, lacking ? -1 : 0);
    assert_int_equal(plan_cause(&host->plan) < 0, !lacking);
    assert_string_equal(plan_confined(&host->plan), waived ? "waived" : "full");
    if (lacking)
        check_refusal(host, &err, lacking);
    host->policy.waived = 0;
}

/* No waiver, each alone, all but each, all that may be waived, and even those that may not. */
static void check_all_waivers(struct host *host) {
    check_waivers(host, 0);
    check_waivers(host, G_ALL);
    check_waivers(host, G_ALL & ~G_NEVER_WAIVED);
    for (int i = 0; i < GUARANTEE_COUNT; i++) {
        check_waivers(host, UINT32_C(1) << i);
        check_waivers(host, G_ALL & ~(UINT32_C(1) << i));
    }
    for (int i = 0; i < GUARANTEE_COUNT; i++)
        for (int j = 0; j < i; j++)
            check_waivers(host, UINT32_C(1) << i | UINT32_C(1) << j);
}

/* The guarantees of a host that lacks these steps, all rules checked. */
static uint32_t provided_without(struct host *host, step_set missing) {
    compile(host, missing);
    check_steps(host);
    check_waivers(host, 0);
    check_waivers(host, G_ALL & ~G_NEVER_WAIVED);
    return host->plan.provided;
}

static uint32_t singles[STEP_COUNT], pairs[STEP_COUNT][STEP_COUNT];

static void check_triples(struct host *host, int a, int b) {
    for (int c = 0; c < b; c++) {
        uint32_t provided = provided_without(host, bit(a) | bit(b) | bit(c));
        assert_int_equal(provided & ~(pairs[a][b] & pairs[a][c] & pairs[b][c]), 0);
    }
}

/* Each set of up to three missing steps; what lacks less never promises less. */
static void small_sets(void **state) {
    (void)state;
    last.on = true;
    for (int root = 0; root <= 1; root++) {
        struct host *host = make_host(root);
        assert_int_equal(provided_without(host, 0), G_ALL);
        for (int a = 0; a < STEP_COUNT; a++)
            singles[a] = provided_without(host, bit(a));
        for (int a = 0; a < STEP_COUNT; a++)
            for (int b = 0; b < a; b++) {
                pairs[a][b] = pairs[b][a] = provided_without(host, bit(a) | bit(b));
                assert_int_equal(pairs[a][b] & ~(singles[a] & singles[b]), 0);
            }
        for (int a = 0; a < STEP_COUNT; a++)
            for (int b = 0; b < a; b++)
                check_triples(host, a, b);
        host_free(host);
    }
    last.on = false;
}

static uint64_t draw(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Random sets, of hosts that lack much and hosts that lack little; each also with one of its missing steps there. */
static void random_sets(void **state) {
    (void)state;
    struct host *hosts[2];
    static struct host copy;
    copy = *make_host(false);
    hosts[0] = &copy;
    hosts[1] = make_host(true);
    last.on = true;
    for (last.seed = 1; last.seed <= RANDOM_SETS / 2; last.seed++) {
        uint64_t random = last.seed * UINT64_C(0x9e3779b97f4a7c15);
        struct host *host = hosts[draw(&random) % 2];
        step_set missing = draw(&random) & (bit(STEP_COUNT) - 1);
        for (unsigned thin = last.seed % 5; thin > 0; thin--)
            missing &= draw(&random);
        host->probe.landlock_abi = abi_classes[draw(&random) % CLASSES];
        host->policy.mode = (struct setting){draw(&random) % (MODE_READONLY + 1), "--mode"};
        uint32_t provided = provided_without(host, missing), waived = draw(&random) & G_ALL;
        check_waivers(host, waived);
        int step = (int)(draw(&random) % STEP_COUNT);
        uint32_t more = provided_without(host, missing & ~bit(step));
        assert_int_equal(provided & ~more, 0);
    }
    last.on = false;
    last.seed = 0;
    host_free(hosts[0]);
    host_free(hosts[1]);
}

/* Every set of waivers that matters, for each single and no missing step: the verdict is as the sets say, and the plan
 * itself is the same as without waivers: none switches a layer off, but that of what is done after the run. */
static void waivers_switch_nothing_off(void **state) {
    (void)state;
    last.on = true;
    for (int root = 0; root <= 1; root++) {
        struct host *host = make_host(root);
        for (int step = -1; step < STEP_COUNT; step++) {
            step_set missing = step < 0 ? 0 : bit(step);
            compile(host, missing);
            check_all_waivers(host);
            struct plan before = host->plan;
            host->policy.waived = G_ALL;
            compile(host, missing);
            host->policy.waived = 0;
            before.taken[STEP_SETTLE] = false;
            before.provided &= ~G(FS_SETTLE);
            assert_memory_equal(before.taken, host->plan.taken, sizeof before.taken);
            assert_int_equal(before.provided, host->plan.provided);
            assert_int_equal(before.mounts.count, host->plan.mounts.count);
        }
        host_free(host);
    }
    last.on = false;
}

/* The mounts of each ABI, mode and single missing step, in whole. */
static void mounts_keep_the_rules(void **state) {
    (void)state;
    for (int variant = 0; variant < 2 * (MODE_READONLY + 1); variant++)
        for (int abi = 1; abi <= ABI_LAST; abi++)
            for (int step = -1; step < STEP_COUNT; step++) {
                struct host *host = make_host(variant % 2);
                host->policy.mode = (struct setting){(uint64_t)variant / 2, "--mode"};
                if (step >= 0)
                    host->probe.missing[step] = EPERM;
                host->probe.landlock_abi = step == STEP_LANDLOCK ? 0 : abi;
                host_must_compile(host);
                check_mounts(host);
                host_free(host);
            }
}

/* A mode changes what becomes of the workspace, and never takes a guarantee away where its steps can be taken. */
static void modes_promise_the_same(void **state) {
    (void)state;
    for (int root = 0; root <= 1; root++)
        for (int mode = MODE_DIRECT; mode <= MODE_READONLY; mode++) {
            struct host *host = make_host(root);
            host->policy.mode = (struct setting){(uint64_t)mode, "--mode"};
            for (int step = -1; step < STEP_COUNT; step++) {
                uint32_t provided = provided_without(host, step < 0 ? 0 : bit(step));
                uint32_t lost = step < 0 ? 0 : step_text[step].gives & G_BOX ? G_ALL : step_text[step].gives;
                assert_int_equal(provided, host->plan.needed[step < 0 ? 0 : step] ? G_ALL & ~lost : G_ALL);
            }
            host_free(host);
        }
}

/* Rights only grow with the ABI in what is handled, and what is given never leaves what is known. */
static void landlock_grows_with_its_abi(void **state) {
    (void)state;
    assert_int_equal(landlock_known(0), 0);
    for (int abi = 1; abi <= ABI_LAST + 3; abi++) {
        assert_int_equal(landlock_known(abi - 1) & ~landlock_known(abi), 0);
        assert_int_equal(landlock_scopes(abi - 1) & ~landlock_scopes(abi), 0);
        for (int rights = RIGHTS_NONE; rights <= RIGHTS_SOCKET; rights++)
            for (int folder = 0; folder <= 1; folder++) {
                const struct mount mount = {.rights = (enum rights)rights, .folder = folder};
                assert_int_equal(landlock_rights(&mount, abi) & ~landlock_known(abi), 0);
                assert_int_equal(landlock_rights(&mount, abi - 1) & ~landlock_rights(&mount, abi), 0);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(small_sets, tell_last),
        cmocka_unit_test_teardown(random_sets, tell_last),
        cmocka_unit_test_teardown(waivers_switch_nothing_off, tell_last),
        cmocka_unit_test(mounts_keep_the_rules),
        cmocka_unit_test(modes_promise_the_same),
        cmocka_unit_test(landlock_grows_with_its_abi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
