/* golden.h: a host and a policy that a person wrote down, and what shall be planned there. See README.md here. */
#ifndef PINFOLD_TESTS_GOLDEN_H
#define PINFOLD_TESTS_GOLDEN_H

#include "linux/compile.h"

typedef LIST(char *) line_list;

struct golden {
    struct arena arena;
    struct policy policy;
    struct probe probe;
    LIST(char *) caller; /* the caller's environment; the last one is NULL */
    line_list expected;  /* lines of the plan as they stand in the file, words one space apart */
};

/* Read FILE, and the parts that it uses. 0, or -1 with FILE:LINE in *err. */
int golden_read(struct golden *golden, const char *file, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Compile, and say in lines what came of it. 0, or -1 when out of memory. */
int golden_print(struct golden *golden, line_list *lines) __attribute__((nonnull, warn_unused_result));

/* Print what differs, the lines of the file with -, those of the plan with +. Returns how many do. */
size_t golden_compare(const line_list *expected, const line_list *got) __attribute__((nonnull));

#endif
