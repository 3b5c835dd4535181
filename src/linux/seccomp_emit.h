/* seccomp_emit.h: the assembler behind the filter's compiler. Nothing else needs it. */
#ifndef PINFOLD_LINUX_SECCOMP_EMIT_H
#define PINFOLD_LINUX_SECCOMP_EMIT_H

#include "linux/seccomp.h"

/* Append one instruction; a program that grows too long is marked so. */
void seccomp_emit(struct seccomp_program *p, unsigned short code, unsigned char yes, unsigned char no, uint32_t value);

void seccomp_load(struct seccomp_program *p, size_t offset);                         /* A = word of seccomp_data */
void seccomp_give(struct seccomp_program *p, uint32_t result);                       /* return result */
void seccomp_when_equal(struct seccomp_program *p, uint32_t value, uint32_t result); /* if (A == value) return */

/* The block of an action; every path in it ends with a return. */
void seccomp_emit_action(struct seccomp_program *p, enum seccomp_action action, const struct seccomp_ids *ids);

#endif
