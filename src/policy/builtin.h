/* builtin.h: the policies that pinfold has built in, as text: policies/NAME.json, made into C by tools/embed. */
#ifndef PINFOLD_POLICY_BUILTIN_H
#define PINFOLD_POLICY_BUILTIN_H

#include <stddef.h>

struct builtin_policy {
    const char *name, *text; /* the name of a profile; JSON with comments, and a NUL after it */
    size_t size;             /* bytes of text, without the NUL */
};

/* The last one has NULL as name. */
extern const struct builtin_policy builtin_policies[];

#endif
