/* degrade: what its files share. Rules say which system calls fail or wait; see degrade.c for the whole. */
#ifndef DEGRADE_H
#define DEGRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RULES_MAX = 64, ANY_ARGUMENT = -1, ANY_CALL = -1 };

/* Which process of a launch makes a call. */
enum role {
    ROLE_ANY,
    ROLE_SUPERVISOR, /* the command that degrade executed */
    ROLE_RELAY,      /* whatever else is in its pid namespace */
    ROLE_INIT,       /* pid 1 of another pid namespace */
    ROLE_COMMAND,    /* whatever else is in that one */
    ROLE_COUNT
};

struct rule {
    int call;          /* number of the call, or ANY_CALL */
    enum role role;    /* only calls of this process match */
    int argument;      /* index of the argument that is looked at too, or ANY_ARGUMENT */
    bool any_bit;      /* the argument matches when it shares a bit with value, else when it equals value */
    uint32_t value;    /* compared with the low 32 bits of the argument */
    int error;         /* the errno the call fails with, or 0 when it is only delayed */
    unsigned delay_ms; /* how long the call waits before it goes on */
    bool kill;         /* the command's first process is killed, and the call goes on once it is dead */
    bool begins;       /* from this call on, rules that ask the supervisor have an effect */
    bool ends;         /* from this call on, they have none */
    unsigned nth;      /* only this call (1 is the first) is affected, or 0 for every one */
    unsigned seen;     /* how many calls have matched; counted only by the supervisor */
};

/* As a rule's error: success, and the call isn't made; a kernel that lies. `done` in text. No errno is that large. */
enum { DONE = 0x10000 };

struct rules {
    size_t count;
    bool idle;         /* a rule that ends has matched, or one that begins has not yet */
    char record[1024]; /* the file that every call is written to, or empty */
    struct rule list[RULES_MAX];
};

extern const char *const role_names[ROLE_COUNT];

/* The name of a call, or NULL where calls.def lacks it. */
const char *call_name(int number);

/* Read a comma-separated list of rules. Return 0, or -1 with a sentence in problem. */
int rules_parse(struct rules *rules, const char *text, char *problem, size_t problem_size);

/* Must the supervisor be asked about calls that match this rule? */
bool rule_needs_supervisor(const struct rule *rule);

/* Install the filter on this process. An execve whose second argument is exempt_argv passes. *listener becomes the
 * descriptor for the supervisor, or -1 where no rule needs one. Return 0, or -1 with errno. */
int filter_install(const struct rules *rules, const char *const *exempt_argv, int *listener);

/* What the supervisor has to do with: all are descriptors but `first`. */
struct supervised {
    int listener;
    int command; /* pidfd of the command's first process */
    int record;  /* where calls are written to, or -1 */
    pid_t first; /* the pid of the command's first process */
};

/* Answer notifications until no process under the filter is left. Never returns. */
_Noreturn void supervisor_run(struct rules *rules, const struct supervised *supervised);

#endif
