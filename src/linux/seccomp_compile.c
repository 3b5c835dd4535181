/* seccomp_compile.c (pure): from a table to BPF.
 *
 * The kernel runs a new filter once for every call number when it is installed, so its length on the path of one call
 * is what counts: the numbers are cut into ranges of one action each, and a binary search finds the range.
 * Int arguments are compared by their low 32 bits, as the kernel reads them. */
#include "linux/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#if defined __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000u /* x32 */
#elif defined __aarch64__
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "pinfold's filter is not known for this architecture"
#endif

static void emit(struct seccomp_program *p, unsigned short code, unsigned char yes, unsigned char no, uint32_t value) {
    if (p->count == sizeof p->code / sizeof p->code[0]) {
        p->too_long = true;
        return;
    }
    p->code[p->count++] = (struct sock_filter){code, yes, no, value};
}

static void load(struct seccomp_program *p, size_t offset) {
    emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* The low word of argument i; both architectures are little-endian. */
static void load_argument(struct seccomp_program *p, unsigned i) {
    load(p, offsetof(struct seccomp_data, args) + i * sizeof(uint64_t));
}

static void give(struct seccomp_program *p, uint32_t result) {
    emit(p, BPF_RET | BPF_K, 0, 0, result);
}

static void give_errno(struct seccomp_program *p, int number) {
    give(p, SECCOMP_RET_ERRNO | (uint32_t)number);
}

/* if (A == value) return result */
static void when_equal(struct seccomp_program *p, uint32_t value, uint32_t result) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    give(p, result);
}

/* if (A & bits) return result */
static void when_set(struct seccomp_program *p, uint32_t bits, uint32_t result) {
    emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    give(p, result);
}

/* if (A != value) skip what follows, up to skip_end */
static unsigned short skip_unless(struct seccomp_program *p, uint32_t value) {
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, value);
    return (unsigned short)(p->count - 1);
}

static void skip_end(struct seccomp_program *p, unsigned short at) {
    p->code[at].jf = (unsigned char)(p->count - at - 1);
}

static const uint32_t ERRNO_EPERM = SECCOMP_RET_ERRNO | EPERM;

/* Families, types and protocols that a program needs on its own loopback, and AF_UNIX; the rest as a kernel without
 * them would answer. Protocol 0 is the type's own. Never MPTCP, SCTP, raw, packet, vsock, alg. */
static void emit_socket(struct seccomp_program *p) {
    enum { TYPE_BITS = 0xf, TCP = 6, UDP = 17, ROUTE = 0 };
    load_argument(p, 0);
    when_equal(p, AF_UNIX, SECCOMP_RET_ALLOW);
    unsigned short netlink = skip_unless(p, AF_NETLINK);
    load_argument(p, 2);
    when_equal(p, ROUTE, SECCOMP_RET_ALLOW);
    give_errno(p, EPROTONOSUPPORT);
    skip_end(p, netlink);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, AF_INET);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_INET6);
    give_errno(p, EAFNOSUPPORT);
    load_argument(p, 1);
    emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, TYPE_BITS);
    unsigned short stream = skip_unless(p, SOCK_STREAM);
    load_argument(p, 2);
    when_equal(p, 0, SECCOMP_RET_ALLOW);
    when_equal(p, TCP, SECCOMP_RET_ALLOW);
    give_errno(p, EPROTONOSUPPORT);
    skip_end(p, stream);
    unsigned short datagram = skip_unless(p, SOCK_DGRAM);
    load_argument(p, 2);
    when_equal(p, 0, SECCOMP_RET_ALLOW);
    when_equal(p, UDP, SECCOMP_RET_ALLOW);
    give_errno(p, EPROTONOSUPPORT);
    skip_end(p, datagram);
    when_equal(p, SOCK_RAW, ERRNO_EPERM);
    give_errno(p, ESOCKTNOSUPPORT);
}

static void emit_ioctl(struct seccomp_program *p) {
    static const uint32_t closed[] = {0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x541d /* TIOCCONS */,
                                      0x5423 /* TIOCSETD */};
    load_argument(p, 1);
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++)
        when_equal(p, closed[i], ERRNO_EPERM);
    give(p, SECCOMP_RET_ALLOW);
}

static void emit_relay_ioctl(struct seccomp_program *p) {
    static const uint32_t open[] = {0x541b /* FIONREAD */, 0x5413 /* TIOCGWINSZ */, 0x5414 /* TIOCSWINSZ */};
    load_argument(p, 1);
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        when_equal(p, open[i], SECCOMP_RET_ALLOW);
    give(p, SECCOMP_RET_KILL_PROCESS);
}

/* NEWTIME (0x80) lies in clone's signal byte and means itself only in unshare. */
enum { CLONE_NEW_ANY = 0x7e020000 /* cgroup uts ipc user pid net, mount */, CLONE_NEW_TIME = 0x80 };

static void emit_clone(struct seccomp_program *p, uint32_t bits) {
    load_argument(p, 0);
    when_set(p, bits, ERRNO_EPERM);
    give(p, SECCOMP_RET_ALLOW);
}

static void emit_personality(struct seccomp_program *p) {
    load_argument(p, 0);
    when_equal(p, 0xffffffff, SECCOMP_RET_ALLOW); /* a query */
    when_set(p, 0x0400000 /* READ_IMPLIES_EXEC */, ERRNO_EPERM);
    give(p, SECCOMP_RET_ALLOW);
}

/* The argument must be the mapped id or -1, else EPERM. */
static void check_id(struct seccomp_program *p, unsigned argument, uint32_t id) {
    load_argument(p, argument);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, id);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0xffffffff);
    give(p, ERRNO_EPERM);
}

/* Arguments first to last are ids. */
static void emit_ids(struct seccomp_program *p, unsigned first, unsigned last, uint32_t id) {
    for (unsigned i = first; i <= last; i++)
        check_id(p, i, id);
    give(p, SECCOMP_RET_ALLOW);
}

static void emit_owners(struct seccomp_program *p, unsigned first, const struct seccomp_ids *ids) {
    check_id(p, first, ids->uid);
    check_id(p, first + 1, ids->gid);
    give(p, SECCOMP_RET_ALLOW);
}

/* The core limit stays. Who only sets it is told that it worked, since no core will be written, which is what everybody
 * wants who sets it; who asks for the old value as well gets EPERM, because nobody would fill that in. */
static void emit_core(struct seccomp_program *p, unsigned resource, bool prlimit) {
    const size_t high = sizeof(uint32_t);
    load_argument(p, resource);
    unsigned short core = skip_unless(p, RLIMIT_CORE);
    if (prlimit) {
        /* no new value: a question */
        load_argument(p, 2);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0);
        load(p, offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t) + high);
        when_equal(p, 0, SECCOMP_RET_ALLOW);
        load_argument(p, 3);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        give(p, ERRNO_EPERM);
        load(p, offsetof(struct seccomp_data, args) + 3 * sizeof(uint64_t) + high);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        give(p, ERRNO_EPERM);
    }
    give_errno(p, 0);
    skip_end(p, core);
    give(p, SECCOMP_RET_ALLOW);
}

static void emit_mode(struct seccomp_program *p, unsigned argument, const struct seccomp_ids *ids) {
    load_argument(p, argument);
    when_set(p, S_ISUID | (ids->root ? S_ISGID : 0), ERRNO_EPERM);
    give(p, SECCOMP_RET_ALLOW);
}

static void emit_action(struct seccomp_program *p, enum seccomp_action action, const struct seccomp_ids *ids) {
    switch (action) {
    case ACTION_ALLOW:
        give(p, SECCOMP_RET_ALLOW);
        break;
    case ACTION_KILL:
        give(p, SECCOMP_RET_KILL_PROCESS);
        break;
    case ACTION_EPERM:
        give(p, ERRNO_EPERM);
        break;
    case ACTION_ENOSYS:
        give_errno(p, ENOSYS);
        break;
    case ACTION_SOCKET:
        emit_socket(p);
        break;
    case ACTION_SOCKETPAIR:
        load_argument(p, 0);
        when_equal(p, AF_UNIX, SECCOMP_RET_ALLOW);
        give_errno(p, EAFNOSUPPORT);
        break;
    case ACTION_CLONE:
        emit_clone(p, CLONE_NEW_ANY);
        break;
    case ACTION_UNSHARE:
        emit_clone(p, CLONE_NEW_ANY | CLONE_NEW_TIME);
        break;
    case ACTION_IOCTL:
        emit_ioctl(p);
        break;
    case ACTION_RELAY_IOCTL:
        emit_relay_ioctl(p);
        break;
    case ACTION_PERSONALITY:
        emit_personality(p);
        break;
    case ACTION_SETRLIMIT:
        emit_core(p, 0, false);
        break;
    case ACTION_PRLIMIT:
        emit_core(p, 1, true);
        break;
    case ACTION_CHMOD:
        emit_mode(p, 1, ids);
        break;
    case ACTION_FCHMODAT:
        emit_mode(p, 2, ids);
        break;
    case ACTION_SETUID:
        emit_ids(p, 0, 0, ids->uid);
        break;
    case ACTION_SETREUID:
        emit_ids(p, 0, 1, ids->uid);
        break;
    case ACTION_SETRESUID:
        emit_ids(p, 0, 2, ids->uid);
        break;
    case ACTION_SETGID:
        emit_ids(p, 0, 0, ids->gid);
        break;
    case ACTION_SETREGID:
        emit_ids(p, 0, 1, ids->gid);
        break;
    case ACTION_SETRESGID:
        emit_ids(p, 0, 2, ids->gid);
        break;
    case ACTION_CHOWN:
        emit_owners(p, 1, ids);
        break;
    case ACTION_FCHOWNAT:
        emit_owners(p, 2, ids);
        break;
    default:
        give(p, SECCOMP_RET_KILL_PROCESS);
        break;
    }
}

struct range {
    int first; /* up to the next range's first */
    enum seccomp_action action;
};

static void emit_ranges(struct seccomp_program *p, const struct range *ranges, size_t count,
                        const struct seccomp_ids *ids) {
    if (count == 1) {
        emit_action(p, ranges[0].action, ids);
        return;
    }
    size_t middle = count / 2;
    unsigned short test = p->count;
    emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 0, (uint32_t)ranges[middle].first);
    emit_ranges(p, ranges, middle, ids);
    size_t distance = (size_t)(p->count - test - 1);
    if (p->too_long)
        return;
    if (distance <= UINT8_MAX) {
        p->code[test].jt = (unsigned char)distance;
    } else { /* a conditional jump doesn't reach that far */
        p->count = test;
        emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)ranges[middle].first);
        emit(p, BPF_JMP | BPF_JA, 0, 0, (uint32_t)distance);
        emit_ranges(p, ranges, middle, ids);
    }
    emit_ranges(p, ranges + middle, count - middle, ids);
}

static int rule_order(const void *a, const void *b) {
    const struct seccomp_rule *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

int seccomp_compile(const struct seccomp_table *table, const struct seccomp_ids *ids, struct seccomp_program *program) {
    enum { RULES = 160 };
    struct seccomp_rule rules[RULES];
    struct range ranges[2 * RULES + 1];
    size_t count = 0, used = 0;
    if (table->count > RULES)
        return -1;
    for (size_t i = 0; i < table->count; i++) {
        struct seccomp_rule rule = table->rules[i];
        if (rule.number > table->highest)
            return -1;
        if (!ids->single && rule.action >= ACTION_SETUID)
            rule.action = ACTION_ALLOW;
        if (rule.number >= 0)
            rules[count++] = rule;
    }
    qsort(rules, count, sizeof rules[0], rule_order);
    int next = 0; /* the first number that no range covers yet */
    for (size_t i = 0; i < count; i++) {
        if (rules[i].number < next)
            return -1; /* two rules for one call */
        if (rules[i].number > next && !(used && ranges[used - 1].action == table->others))
            ranges[used++] = (struct range){next, table->others};
        bool plain = rules[i].action < ACTION_SOCKET;
        if (!(plain && used && ranges[used - 1].action == rules[i].action))
            ranges[used++] = (struct range){rules[i].number, rules[i].action};
        next = rules[i].number + 1;
    }
    if (next <= table->highest && !(used && ranges[used - 1].action == table->others))
        ranges[used++] = (struct range){next, table->others};
    ranges[used++] = (struct range){table->highest + 1, table->above};

    program->count = 0;
    program->too_long = false;
    load(program, offsetof(struct seccomp_data, arch));
    emit(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE_ARCH);
    give(program, SECCOMP_RET_KILL_PROCESS);
    load(program, offsetof(struct seccomp_data, nr));
    /* a tracer skips a call by making its number -1: what the kernel then does is nothing */
    if (table->others == ACTION_ALLOW)
        when_equal(program, 0xffffffff, SECCOMP_RET_ALLOW);
#ifdef FOREIGN_BIT
    emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, FOREIGN_BIT);
    give(program, SECCOMP_RET_KILL_PROCESS);
#endif
    emit_ranges(program, ranges, used, ids);
    return program->too_long ? -1 : 0;
}
