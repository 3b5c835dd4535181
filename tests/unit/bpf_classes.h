/* bpf_classes.h: what a filter can tell apart. It goes along all paths of a program, and collects for each word of
 * struct seccomp_data what the program compares it with. Values between two neighbouring constants are the same to it,
 * so one of each class stands for all 2^32. */
#ifndef PINFOLD_TESTS_BPF_CLASSES_H
#define PINFOLD_TESTS_BPF_CLASSES_H

#include "bpf.h"

enum { BPF_WORDS = sizeof(struct seccomp_data) / 4, BPF_VALUES = 2048, BPF_NR = 0, BPF_ARCH = 1, BPF_ARGUMENTS = 4 };

/* One word: the values that stand for all, in order of their finding. */
struct bpf_word {
    bool loaded;
    uint32_t bits; /* tested with JSET; one test at most */
    size_t count;
    uint32_t values[BPF_VALUES];
};

struct bpf_classes {
    struct bpf_word words[BPF_WORDS];
    const uint32_t *number; /* only the paths of this call number, or all */
    const char *fault;      /* why the classes say nothing of this program */
};

static inline void bpf_value(struct bpf_classes *classes, size_t word, uint32_t value) {
    struct bpf_word *one = &classes->words[word];
    for (size_t i = 0; i < one->count; i++)
        if (one->values[i] == value)
            return;
    if (one->count == BPF_VALUES)
        classes->fault = "more constants than expected";
    else
        one->values[one->count++] = value;
}

/* A comparison: neighbours on both sides, and the same with all bits that the program masks away. */
static inline void bpf_compared(struct bpf_classes *classes, size_t word, uint32_t mask, const struct sock_filter *at) {
    struct bpf_word *one = &classes->words[word];
    bool ordered = BPF_OP(at->code) != BPF_JEQ, set = BPF_OP(at->code) == BPF_JSET;
    if (ordered && (mask != UINT32_MAX || (!set && word != BPF_NR)))
        classes->fault = "an order of something that is no call number, or of masked bits";
    if (set && (word < BPF_ARGUMENTS || (classes->number && one->bits && one->bits != at->k)))
        classes->fault = "two tests of bits of one word";
    for (int near = -1; near <= 1; near++) {
        bpf_value(classes, word, at->k + (uint32_t)near);
        bpf_value(classes, word, (at->k + (uint32_t)near) | ~mask);
    }
    one->bits |= set ? at->k : 0;
    for (unsigned bit = 0; set && bit < 32; bit++) {
        bpf_value(classes, word, UINT32_C(1) << bit);
        bpf_value(classes, word, ~(UINT32_C(1) << bit));
    }
}

/* From an instruction on, while A holds a word of which `mask` is left. */
static inline void bpf_walk(struct bpf_classes *classes, const struct sock_filter *at, size_t word, uint32_t mask) {
    for (; !classes->fault; at++) {
        switch (at->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            word = at->k / 4;
            mask = UINT32_MAX;
            if (word > BPF_ARCH && word < BPF_ARGUMENTS)
                classes->fault = "it looks at the instruction pointer";
            classes->words[word].loaded = true;
            bpf_value(classes, word, 0);
            bpf_value(classes, word, UINT32_MAX);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            mask &= at->k;
            continue;
        case BPF_RET | BPF_K:
            return;
        case BPF_JMP | BPF_JA:
            at += at->k;
            continue;
        default:
            break;
        }
        bpf_compared(classes, word, mask, at);
        bool known = word == BPF_NR && classes->number;
        bool equal = known && *classes->number == at->k, above = known && *classes->number > at->k;
        bool taken = BPF_OP(at->code) == BPF_JEQ ? equal : BPF_OP(at->code) == BPF_JGE ? equal || above : above;
        if (!known || taken)
            bpf_walk(classes, at + 1 + at->jt, word, mask);
        if (known && taken)
            return;
        at += at->jf;
    }
}

#endif
