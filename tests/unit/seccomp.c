/* Unit tests of linux/seccomp_compile: both filters, run by an interpreter over every number, every architecture and
 * every class of arguments (bpf_classes.h), and compared with what was written down by hand (seccomp_expect.h). */
#include "linux/seccomp.h"
#include "bpf_classes.h"
#include "seccomp_expect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { HIGHEST = 469 /* file_setattr: what is above is closed */ };
static const uint32_t X86_64 = 0xc000003e, I386 = 0x40000003, ARM64 = 0xc00000b7;
static const uint32_t allow = 0x7fff0000, kill = 0x80000000;

#if defined __x86_64__
#define NATIVE X86_64
#define NUMBER(row) ((row)->x86_64)
enum { FOREIGN_FROM = 0x40000000 }; /* x32 */
#else
#define NATIVE ARM64
#define NUMBER(row) ((row)->arm64)
#endif

/* Who the box is for, and which table. */
struct scene {
    const struct expected *rows;
    size_t count;
    bool relay, single, root;
    uint32_t uid, gid;
    struct seccomp_program program;
    size_t longest, cases;
};

static uint32_t refuse(int number) {
    return 0x00050000U | (uint32_t)number;
}

/* socket(2), in words: AF_UNIX all; AF_NETLINK only protocol ROUTE; AF_INET and AF_INET6 streams with 0 or TCP,
 * datagrams with 0 or UDP, raw EPERM; flags above the type's four bits don't matter. */
static uint32_t answer_socket(uint32_t family, uint32_t type, uint32_t protocol) {
    if (family == 1)
        return allow;
    if (family == 16)
        return protocol == 0 ? allow : refuse(EPROTONOSUPPORT);
    if (family != 2 && family != 10)
        return refuse(EAFNOSUPPORT);
    switch (type & 15) {
    case 1:
        return protocol == 0 || protocol == 6 ? allow : refuse(EPROTONOSUPPORT);
    case 2:
        return protocol == 0 || protocol == 17 ? allow : refuse(EPROTONOSUPPORT);
    case 3:
        return refuse(EPERM);
    default:
        return refuse(ESOCKTNOSUPPORT);
    }
}

/* Every CLONE_NEW* but NEWTIME, which is part of the exit signal in clone. */
static uint32_t answer_flags(bool unshare, uint32_t flags) {
    static const uint32_t namespaces[] = {0x00020000, 0x02000000, 0x04000000, 0x08000000,
                                          0x10000000, 0x20000000, 0x40000000};
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++)
        if (flags & namespaces[i])
            return refuse(EPERM);
    return unshare && flags & 0x80 ? refuse(EPERM) : allow;
}

static uint32_t answer_ioctl(bool relay, uint32_t command) {
    if (relay)
        return command == 0x541b || command == 0x5413 || command == 0x5414 ? allow : kill;
    return command == 0x5412 || command == 0x541c || command == 0x541d || command == 0x5423 || command == 0xc0506617 ||
                   command == 0xc0406618 || command == 0xc0406619
               ? refuse(EPERM)
               : allow;
}

static uint32_t answer_ids(const struct scene *scene, const struct expected *row, const __u64 *arguments) {
    for (unsigned i = row->first; scene->single && i <= row->last; i++) {
        bool group = row->answer == BY_OWNER ? i == row->last : row->group;
        uint32_t id = (uint32_t)arguments[i];
        if (id != (group ? scene->gid : scene->uid) && id != UINT32_MAX)
            return refuse(EPERM);
    }
    return allow;
}

static const struct expected *row_of(const struct scene *scene, uint32_t number) {
    for (size_t i = 0; i < scene->count; i++)
        if (NUMBER(&scene->rows[i]) >= 0 && (uint32_t)NUMBER(&scene->rows[i]) == number)
            return &scene->rows[i];
    return NULL;
}

static uint32_t expect(const struct scene *scene, const struct expected *row, const struct seccomp_data *data) {
    const __u64 *a = data->args;
    if (data->arch != NATIVE)
        return kill;
#ifdef __x86_64__
    if ((uint32_t)data->nr == UINT32_MAX && !scene->relay)
        return allow; /* a tracer skips a call with it, and the kernel does nothing for it */
    if ((uint32_t)data->nr >= FOREIGN_FROM)
        return kill;
#endif
    if (!row)
        return scene->relay ? kill : (uint32_t)data->nr > HIGHEST ? refuse(ENOSYS) : allow;
    switch (row->answer) {
    case OPEN:
        return allow;
    case NO_PERM:
        return refuse(EPERM);
    case NO_CALL:
        return refuse(ENOSYS);
    case BY_FLAGS:
        return answer_flags(strcmp(row->name, "unshare") == 0, (uint32_t)a[0]);
    case BY_SOCKET:
        return answer_socket((uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2]);
    case BY_PAIR:
        return (uint32_t)a[0] == 1 ? allow : refuse(EAFNOSUPPORT);
    case BY_IOCTL:
        return answer_ioctl(scene->relay, (uint32_t)a[1]);
    case BY_PERSONALITY:
        return (uint32_t)a[0] != UINT32_MAX && a[0] & 0x400000 ? refuse(EPERM) : allow;
    case BY_OPEN:
        return scene->root && a[row->first] & 020000100 && a[row->last] & 06000 ? refuse(EPERM) : allow;
    case BY_MAKE:
        return scene->root && a[row->first] & 06000 ? refuse(EPERM) : allow;
    case ROOT_NO_CALL:
        return scene->root ? refuse(ENOSYS) : allow;
    case BY_RLIMIT:
        return (uint32_t)a[0] == 4 ? refuse(0) : allow;
    case BY_PRLIMIT:
        if (!a[2] || ((uint32_t)a[1] != 4 && (uint32_t)a[0] != 1))
            return allow;
        return (uint32_t)a[0] == 1 || a[3] ? refuse(EPERM) : refuse(0);
    case BY_RENAME:
        return a[4] & 4 ? refuse(EINVAL) : allow;
    case BY_FCNTL:
        return (uint32_t)a[1] == 1036 ? refuse(EINVAL) : allow;
    case BY_MODE:
        return (uint32_t)a[row->first] & (scene->root ? 06000 : 04000) ? refuse(EPERM) : allow;
    case BY_IDS:
    case BY_OWNER:
        return answer_ids(scene, row, a);
    default:
        return kill;
    }
}

static void compare(struct scene *scene, const struct expected *row, const struct seccomp_data *data) {
    size_t steps;
    uint32_t wanted = expect(scene, row, data), got = bpf_run(scene->program.code, data, &steps);
    scene->cases++;
    if (steps > scene->longest)
        scene->longest = steps;
    if (got != wanted)
        fail_msg("%s number %d (%s) arch %x arguments %llx %llx %llx %llx: wanted %x, got %x",
                 scene->relay ? "relay" : "command", data->nr, row ? row->name : "not listed", data->arch,
                 (unsigned long long)data->args[0], (unsigned long long)data->args[1],
                 (unsigned long long)data->args[2], (unsigned long long)data->args[3], wanted, got);
}

static void compile(struct scene *scene) {
    scene->rows = scene->relay ? expected_relay : expected_command;
    scene->count = scene->relay ? sizeof expected_relay / sizeof expected_relay[0]
                                : sizeof expected_command / sizeof expected_command[0];
    const struct seccomp_ids ids = {scene->single, scene->root, scene->uid, scene->gid};
    assert_int_equal(seccomp_compile(scene->relay ? &seccomp_relay : &seccomp_command, &ids, &scene->program), 0);
    const char *fault = bpf_fault(scene->program.code, scene->program.count);
    if (fault)
        fail_msg("%s", fault);
}

/* Arguments: patterns over all six. */
static void check_patterns(struct scene *scene, uint32_t number, uint32_t arch) {
    static const uint64_t patterns[] = {
        0, 1, UINT64_MAX, UINT32_MAX, UINT64_C(0xffffffff00000000), UINT64_C(0x8000000080000000)};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        struct seccomp_data data = {.nr = (int)number, .arch = arch, .instruction_pointer = patterns[i]};
        for (size_t j = 0; j < 6; j++)
            data.args[j] = patterns[i];
        compare(scene, row_of(scene, number), &data);
    }
}

static void classes_of(const struct scene *scene, const uint32_t *number, struct bpf_classes *classes) {
    *classes = (struct bpf_classes){.number = number};
    bpf_walk(classes, scene->program.code, BPF_NR, UINT32_MAX);
    if (classes->fault)
        fail_msg("%s", classes->fault);
}

/* Every combination of the classes of the words that one number's paths look at; the other words are all 0, or all 1.
 */
static void check_classes(struct scene *scene, uint32_t number) {
    static struct bpf_classes classes;
    classes_of(scene, &number, &classes);
    size_t all = 1;
    for (size_t w = BPF_ARGUMENTS; w < BPF_WORDS; w++)
        all *= classes.words[w].loaded ? classes.words[w].count : 1;
    assert_true(all < 10000000);
    for (size_t i = 0; i < 2 * all; i++) {
        uint32_t words[BPF_WORDS];
        size_t rest = i / 2;
        for (size_t w = BPF_ARGUMENTS; w < BPF_WORDS; w++) {
            const struct bpf_word *word = &classes.words[w];
            words[w] = word->loaded ? word->values[rest % word->count] : i % 2 ? UINT32_MAX : 0;
            rest /= word->loaded ? word->count : 1;
        }
        words[BPF_NR] = number;
        words[BPF_ARCH] = NATIVE;
        words[2] = words[3] = 0;
        struct seccomp_data data;
        memcpy(&data, words, sizeof data);
        compare(scene, row_of(scene, number), &data);
    }
}

/* All 2^32 numbers: each that the program or the table names, its neighbours, and so one of each class that either can
 * tell apart; and all small ones. Each with every architecture that the program can tell apart. */
static void check_numbers(struct scene *scene) {
    enum { SMALL = 1024 };
    static struct bpf_classes classes;
    classes_of(scene, NULL, &classes);
    for (size_t i = 0; i < scene->count; i++)
        for (int near = -1; near <= 1; near++)
            bpf_value(&classes, BPF_NR, (uint32_t)(NUMBER(&scene->rows[i]) + near));
    for (int near = 0; near <= 1; near++) {
        bpf_value(&classes, BPF_NR, HIGHEST + (uint32_t)near);
        bpf_value(&classes, BPF_NR, 0x3fffffff + (uint32_t)near);
        bpf_value(&classes, BPF_NR, 0x7fffffff + (uint32_t)near);
    }
    for (uint32_t number = 0; number < SMALL; number++)
        bpf_value(&classes, BPF_NR, number);
    const uint32_t foreign[] = {X86_64, I386, ARM64, NATIVE ^ 0x80000000, NATIVE ^ 0x40000000};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        bpf_value(&classes, BPF_ARCH, foreign[i]);
    assert_null(classes.fault);
    const struct bpf_word *numbers = &classes.words[BPF_NR], *archs = &classes.words[BPF_ARCH];
    for (size_t n = 0; n < numbers->count; n++) {
        for (size_t i = 0; i < archs->count; i++)
            check_patterns(scene, numbers->values[n], archs->values[i]);
        check_classes(scene, numbers->values[n]);
    }
}

/* Calls that are judged by arguments: every combination of values that the table knows, plain and with bits above the
 * low 32. */
static void check_arguments(struct scene *scene) {
    /* among them RLIMIT_CORE, O_CREAT, MPTCP and the ioctls of fscrypt's keys */
    static const uint32_t special[] = {
        04755,      02755,      0,          1,          2,         3,         4,         5,         0x40,
        0xc0506617, 0xc0406618, 0xc0406619, 6,          10,        15,        16,        17,        40,
        262,        132,        255,        1000,       1001,      1036,      65534,     0x80,      0x811,
        0x80801,    0x80802,    0x00020000, 0x400000,   0x400001,  0x2000000, 0x4000000, 0x8000000, 0x10000000,
        0x20000000, 0x40000000, 0x80000000, 0x5412,     0x5413,    0x5414,    0x541b,    0x541c,    0x541d,
        0x5423,     0x3d0f00,   0x7fffffff, 0xfffffffe, 0xffffffff};
    static const uint64_t above[] = {0, UINT64_C(0x100000000), UINT64_C(0xffffffff00000000)};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    for (size_t r = 0; r < scene->count; r++) {
        const struct expected *row = &scene->rows[r];
        if (NUMBER(row) < 0 || row->answer < BY_FLAGS)
            continue;
        for (size_t i = 0; i < (size_t)SPECIAL * SPECIAL * SPECIAL; i++)
            for (size_t high = 0; high < 3; high++) {
                struct seccomp_data data = {.nr = NUMBER(row), .arch = NATIVE};
                data.args[0] = special[i % SPECIAL] | above[high];
                data.args[1] = special[i / SPECIAL % SPECIAL] | above[high];
                data.args[2] = special[i / SPECIAL / SPECIAL] | above[high];
                data.args[3] = special[(i * 7 + high) % SPECIAL] | above[2 - high];
                data.args[4] = special[(i * 11 + high) % SPECIAL] | above[2 - high];
                compare(scene, row, &data);
            }
    }
}

static void check_scene(struct scene *scene, const char *name) {
    compile(scene);
    check_numbers(scene);
    check_arguments(scene);
    printf("# %s: %u instructions, longest path %zu, %zu cases\n", name, scene->program.count, scene->longest,
           scene->cases);
    assert_true(scene->longest <= 40); /* the kernel walks it once for each number at installation */
}

static void command_of_a_user(void **state) {
    (void)state;
    check_scene(&(struct scene){.single = true, .uid = 1000, .gid = 1001}, "command, one id");
}

static void command_of_nobody(void **state) {
    (void)state;
    check_scene(&(struct scene){.single = true, .uid = 65534, .gid = 65534}, "command, the overflow id");
}

static void command_of_root(void **state) {
    (void)state;
    check_scene(&(struct scene){.root = true}, "command, mapped ids");
}

static void relay(void **state) {
    (void)state;
    check_scene(&(struct scene){.relay = true}, "relay");
}

static void unsound_tables_are_refused(void **state) {
    (void)state;
    static struct seccomp_program program;
    static struct seccomp_rule many[161];
    const struct seccomp_ids nobody = {0};
    const struct seccomp_rule twice[] = {{5, ACTION_EPERM}, {5, ACTION_ALLOW}}, beyond[] = {{470, ACTION_EPERM}},
                              absent[] = {{-1, ACTION_EPERM}, {-1, ACTION_EPERM}};
    struct seccomp_table table = {.others = ACTION_KILL, .above = ACTION_KILL, .highest = 469};
    table.rules = twice, table.count = 2;
    assert_int_equal(seccomp_compile(&table, &nobody, &program), -1);
    table.rules = beyond, table.count = 1;
    assert_int_equal(seccomp_compile(&table, &nobody, &program), -1);
    table.rules = many, table.count = 161;
    assert_int_equal(seccomp_compile(&table, &nobody, &program), -1);
    table.rules = absent, table.count = 2;
    assert_int_equal(seccomp_compile(&table, &nobody, &program), 0);
    struct seccomp_data data = {.nr = 0, .arch = NATIVE};
    size_t steps;
    assert_int_equal(bpf_run(program.code, &data, &steps), kill);
    const struct seccomp_rule unknown[] = {{5, (enum seccomp_action)99}};
    const struct seccomp_ids somebody = {.single = true, .root = true};
    table = (struct seccomp_table){unknown, 1, ACTION_ALLOW, ACTION_ALLOW, 469};
    data.nr = 5;
    assert_int_equal(seccomp_compile(&table, &somebody, &program), 0);
    assert_int_equal(bpf_run(program.code, &data, &steps), kill);
}

/* Random tables: each number gets what its rule says, also at the edges of ranges. */
static void random_tables_give_what_they_say(void **state) {
    (void)state;
    static struct seccomp_program program;
    static const uint32_t results[] = {
        [ACTION_ALLOW] = 0x7fff0000, [ACTION_KILL] = 0x80000000, [ACTION_EPERM] = 0x50001, [ACTION_ENOSYS] = 0x50026};
    for (unsigned seed = 1; seed <= 300; seed++) {
        unsigned random = seed * 2654435761U;
        struct seccomp_rule rules[160];
        int wanted[512];
        size_t count = 0;
        enum seccomp_action others = (enum seccomp_action)(seed % 4), above = (enum seccomp_action)(seed / 4 % 4);
        for (int number = 0; number < 512; number++)
            wanted[number] = number > 469 ? (int)above : (int)others;
        for (int number = 0; number <= 469 && count < 160; number++) {
            random = random * 1103515245U + 12345U;
            if ((random >> 16) % (1 + seed % 9) == 0) {
                wanted[number] = (int)(random >> 20) % 4;
                rules[count++] = (struct seccomp_rule){number, (enum seccomp_action)wanted[number]};
            }
        }
        struct seccomp_table table = {rules, count, others, above, 469};
        const struct seccomp_ids nobody = {0};
        assert_int_equal(seccomp_compile(&table, &nobody, &program), 0);
        assert_null(bpf_fault(program.code, program.count));
        for (int number = 0; number < 512; number++) {
            struct seccomp_data data = {.nr = number, .arch = NATIVE};
            size_t steps;
            if (bpf_run(program.code, &data, &steps) != results[wanted[number]])
                fail_msg("seed %u, number %d", seed, number);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_of_a_user),
        cmocka_unit_test(command_of_nobody),
        cmocka_unit_test(command_of_root),
        cmocka_unit_test(relay),
        cmocka_unit_test(unsound_tables_are_refused),
        cmocka_unit_test(random_tables_give_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
