/* bpf.h: an interpreter for the part of classic BPF that seccomp allows, which also checks the program as the kernel
 * does (jumps forward and inside, loads aligned and inside struct seccomp_data, ends with a return). */
#ifndef PINFOLD_TESTS_BPF_H
#define PINFOLD_TESTS_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What the kernel would refuse at installation; NULL when nothing. */
static inline const char *bpf_fault(const struct sock_filter *code, size_t count) {
    if (!count || count > BPF_MAXINSNS)
        return "length";
    for (size_t i = 0; i < count; i++) {
        const struct sock_filter *one = &code[i];
        size_t left = count - i - 1;
        switch (one->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (one->k % 4 || one->k >= sizeof(struct seccomp_data))
                return "load outside struct seccomp_data";
            break;
        case BPF_JMP | BPF_JA:
            if (one->k >= left)
                return "jump outside";
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JGT | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K:
            if (one->jt >= left || one->jf >= left)
                return "branch outside";
            break;
        case BPF_ALU | BPF_AND | BPF_K:
        case BPF_RET | BPF_K:
            break;
        default:
            return "an instruction that this interpreter doesn't know";
        }
    }
    return code[count - 1].code == (BPF_RET | BPF_K) ? NULL : "doesn't end with a return";
}

/* Run a program without faults; *steps counts the instructions on the path. */
static inline uint32_t bpf_run(const struct sock_filter *code, const struct seccomp_data *data, size_t *steps) {
    uint32_t a = 0;
    *steps = 0;
    for (const struct sock_filter *at = code;; at++) {
        bool taken = false;
        ++*steps;
        switch (at->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&a, (const char *)data + at->k, sizeof a);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= at->k;
            continue;
        case BPF_RET | BPF_K:
            return at->k;
        case BPF_JMP | BPF_JA:
            at += at->k;
            continue;
        case BPF_JMP | BPF_JEQ | BPF_K:
            taken = a == at->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            taken = a >= at->k;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            taken = a > at->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            taken = (a & at->k) != 0;
            break;
        default:
            return SECCOMP_RET_KILL_PROCESS; /* bpf_fault refuses these */
        }
        at += taken ? at->jt : at->jf;
    }
}

#endif
