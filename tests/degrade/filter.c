/* degrade's seccomp filter: struct rules to a BPF program, and its installation. Touching: seccomp.
 *
 * The rules are looked at in order and the first that matches decides: a plain error is given by the filter itself,
 * everything else asks the supervisor. Calls of another architecture pass: they are not what is degraded. */
#include "degrade.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "degrade knows x86_64 and aarch64 only"
#endif

enum { PROGRAM_START = 10, RULE_LENGTH = 5, PROGRAM_MAX = PROGRAM_START + RULES_MAX * RULE_LENGTH + 1 };

struct program {
    unsigned short length;
    struct sock_filter code[PROGRAM_MAX];
};

static void program_add(struct program *program, struct sock_filter instruction) {
    program->code[program->length++] = instruction;
}

static struct sock_filter load(size_t offset) {
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

/* Jump `else_skip` instructions ahead when the test fails. */
static struct sock_filter unless(uint16_t test, uint32_t value, uint8_t else_skip) {
    return (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, else_skip);
}

static struct sock_filter answer(uint32_t value) {
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value);
}

/* Little endian, as both architectures are. */
static size_t argument_low(int index) {
    return offsetof(struct seccomp_data, args) + (size_t)index * sizeof(uint64_t);
}

static void program_start(struct program *program, const char *const *exempt_argv) {
    uint64_t exempt = (uintptr_t)exempt_argv;
    program_add(program, load(offsetof(struct seccomp_data, arch)));
    program_add(program, unless(BPF_JEQ, ARCHITECTURE, 6));
    program_add(program, load(offsetof(struct seccomp_data, nr)));
    program_add(program, unless(BPF_JEQ, SYS_execve, 5));
    program_add(program, load(argument_low(1)));
    program_add(program, unless(BPF_JEQ, (uint32_t)exempt, 3));
    program_add(program, load(argument_low(1) + sizeof(uint32_t)));
    program_add(program, unless(BPF_JEQ, (uint32_t)(exempt >> 32), 1));
    program_add(program, answer(SECCOMP_RET_ALLOW));
}

static void program_rule(struct program *program, const struct rule *rule) {
    bool narrow = rule->argument != ANY_ARGUMENT;
    if (rule->call != ANY_CALL) {
        program_add(program, load(offsetof(struct seccomp_data, nr)));
        program_add(program, unless(BPF_JEQ, (uint32_t)rule->call, narrow ? 3 : 1));
    }
    if (narrow) {
        program_add(program, load(argument_low(rule->argument)));
        program_add(program, unless(rule->any_bit ? BPF_JSET : BPF_JEQ, rule->value, 1));
    }
    bool ask = rule_needs_supervisor(rule);
    program_add(program, answer(ask ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | (uint32_t)rule->error % DONE));
}

static int seccomp_install(unsigned flags, const struct sock_fprog *program) {
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}

int filter_install(const struct rules *rules, const char *const *exempt_argv, int *listener) {
    struct program program = {0};
    bool ask = false;
    program_start(&program, exempt_argv);
    for (size_t i = 0; i < rules->count; i++) {
        program_rule(&program, &rules->list[i]);
        ask = ask || rule_needs_supervisor(&rules->list[i]);
    }
    program_add(&program, answer(SECCOMP_RET_ALLOW));
    struct sock_fprog whole = {program.length, program.code};
    /* Killable: a signal that is only handled must not restart the call, which would count it twice. */
    unsigned flags = ask ? SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0;
    int result = seccomp_install(flags, &whole);
    if (result < 0 && errno == EACCES) {
        /* Without CAP_SYS_ADMIN the kernel wants no_new_privs. */
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
            return -1;
        result = seccomp_install(flags, &whole);
    }
    if (result < 0)
        return -1;
    *listener = ask ? result : -1;
    return 0;
}
