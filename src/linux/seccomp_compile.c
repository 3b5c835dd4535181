/* seccomp_compile.c (pure): from a table to BPF.
 *
 * The kernel runs a new filter once for every call number when it is installed, so its length on the path of one call
 * is what counts: the numbers are cut into ranges of one action each, and a binary search finds the range. */
#include "linux/seccomp_emit.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>

#if defined __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000u /* x32 */
#elif defined __aarch64__
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "pinfold's filter is not known for this architecture"
#endif

struct range {
    int first; /* up to the next range's first */
    enum seccomp_action action;
};

static void emit_ranges(struct seccomp_program *p, const struct range *ranges, size_t count,
                        const struct seccomp_ids *ids) {
    if (count == 1) {
        seccomp_emit_action(p, ranges[0].action, ids);
        return;
    }
    size_t middle = count / 2;
    unsigned short test = p->count;
    seccomp_emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 0, (uint32_t)ranges[middle].first);
    emit_ranges(p, ranges, middle, ids);
    size_t distance = (size_t)(p->count - test - 1);
    if (p->too_long)
        return;
    if (distance <= UINT8_MAX) {
        p->code[test].jt = (unsigned char)distance;
    } else { /* a conditional jump doesn't reach that far */
        p->count = test;
        seccomp_emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)ranges[middle].first);
        seccomp_emit(p, BPF_JMP | BPF_JA, 0, 0, (uint32_t)distance);
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
        if ((!ids->single && rule.action >= ACTION_SETUID) ||
            (!ids->root && rule.action >= ACTION_ROOT_OPEN && rule.action < ACTION_SETUID))
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
    seccomp_load(program, offsetof(struct seccomp_data, arch));
    seccomp_emit(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE_ARCH);
    seccomp_give(program, SECCOMP_RET_KILL_PROCESS);
    seccomp_load(program, offsetof(struct seccomp_data, nr));
    /* a tracer skips a call by making its number -1: what the kernel then does is nothing */
    if (table->others == ACTION_ALLOW)
        seccomp_when_equal(program, 0xffffffff, SECCOMP_RET_ALLOW);
#ifdef FOREIGN_BIT
    seccomp_emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, FOREIGN_BIT);
    seccomp_give(program, SECCOMP_RET_KILL_PROCESS);
#endif
    emit_ranges(program, ranges, used, ids);
    return program->too_long ? -1 : 0;
}
