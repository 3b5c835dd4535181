/* degrade's rules: text to struct rules. Pure: no call to the system.
 *
 * RULE = [ROLE/]NAME[@ARGUMENT:VALUE][#K]=ACTION, where NAME is a call's name or number, or a special name below; ROLE/
 * narrows the rule to one process of a launch, and @ARGUMENT:VALUE to calls whose argument (0 to 5) has that value; #K
 * affects only the K-th match; ACTION is an errno's name or number, delay:MILLISECONDS, or kill (SIGKILL to the
 * command's first process before the call goes on). The rule `until-execve` limits those that delay, kill, count or
 * name a role to the time before the first execve of what the command itself starts, `from-execve` to the time after
 * it. The rule `record:FILE` (absolute, made anew) writes down every call that no other rule decides: ROLE, NAME and
 * the six arguments (hexadecimal, their low 32 bits). Anything else is an error: a rule that is quietly left out would
 * let a test pass that proves nothing. */
#include "degrade.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { CLONE_NEW_ANY = 0x7e020080, CALL_NUMBER_MAX = 0xffff, ERROR_NUMBER_MAX = 4095, DELAY_MAX_MS = 600000 };

struct name {
    const char *name;
    int number;
};

static const struct name calls[] = {
#define CALL(name) {#name, SYS_##name},
#define NEW_CALL(name, number) {#name, number},
#include "calls.def"
};

static const struct name errors[] = {
#define ERROR(name) {#name, name},
#include "errnos.def"
};

/* Names for a call together with what its first argument must be. CLONE_NEW_ANY is every CLONE_NEW* flag; to clone, the
 * bit of CLONE_NEWTIME is part of the signal number. */
static const struct special {
    const char *name;
    struct rule rule;
} specials[] = {
    {"clonens", {.call = SYS_clone, .argument = 0, .any_bit = true, .value = CLONE_NEW_ANY & ~0x80U}},
    {"unsharens", {.call = SYS_unshare, .argument = 0, .any_bit = true, .value = CLONE_NEW_ANY}},
    {"seccomp-filter", {.call = SYS_seccomp, .argument = 0, .value = 1}}, /* SECCOMP_SET_MODE_FILTER */
    {"seccomp-filter", {.call = SYS_prctl, .argument = 0, .value = 22}},  /* PR_SET_SECCOMP */
};

const char *const role_names[ROLE_COUNT] = {"any", "supervisor", "relay", "init", "command"};

const char *call_name(int number) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return calls[i].name;
    return NULL;
}

struct problem {
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static int fail(struct problem problem, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(problem.text, problem.size, format, list);
    va_end(list);
    return -1;
}

/* A whole word as a number, decimal or 0x…: no sign, no space, nothing after it. */
static bool number_parse(const char *text, unsigned long max, unsigned long *value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end = NULL;
    errno = 0;
    *value = strtoul(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && *end == '\0' && *value <= max;
}

static bool name_find(const struct name *table, size_t count, unsigned long max, const char *text, int *number) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, text) == 0) {
            *number = table[i].number;
            return true;
        }
    }
    unsigned long value = 0;
    if (!number_parse(text, max, &value))
        return false;
    *number = (int)value;
    return true;
}

static int action_parse(struct rule *rule, const char *text, struct problem problem) {
    static const char delay[] = "delay:";
    unsigned long value = 0;
    if (strcmp(text, "kill") == 0) {
        rule->kill = true;
        return 0;
    }
    if (strncmp(text, delay, strlen(delay)) == 0) {
        if (!number_parse(text + strlen(delay), DELAY_MAX_MS, &value) || value == 0)
            return fail(problem, "not a delay of 1 to %d milliseconds: %s", DELAY_MAX_MS, text);
        rule->delay_ms = (unsigned)value;
        return 0;
    }
    if (strcmp(text, "done") == 0) {
        rule->error = DONE;
        return 0;
    }
    if (!name_find(errors, sizeof errors / sizeof *errors, ERROR_NUMBER_MAX, text, &rule->error) || rule->error == 0)
        return fail(problem, "unknown error: %s", text);
    return 0;
}

/* @ARGUMENT:VALUE */
static int condition_parse(struct rule *rule, char *text, struct problem problem) {
    char *value_text = strchr(text, ':');
    unsigned long argument = 0;
    unsigned long value = 0;
    if (value_text != NULL)
        *value_text++ = '\0';
    if (value_text == NULL || !number_parse(text, 5, &argument) || !number_parse(value_text, UINT32_MAX, &value))
        return fail(problem, "not ARGUMENT:VALUE with an argument of 0 to 5 and a number of 32 bits: %s", text);
    rule->argument = (int)argument;
    rule->value = (uint32_t)value;
    return 0;
}

static int rule_add(struct rules *rules, const struct rule *rule, struct problem problem) {
    if (rules->count == RULES_MAX)
        return fail(problem, "more than %d rules", RULES_MAX);
    rules->list[rules->count++] = *rule;
    return 0;
}

/* Rules without an action; whether it was one, or -1. */
static int plain_parse(struct rules *rules, const char *text, struct problem problem) {
    static const char record[] = "record:";
    struct rule rule = {.call = SYS_execve, .argument = ANY_ARGUMENT};
    rule.begins = strcmp(text, "from-execve") == 0;
    rule.ends = strcmp(text, "until-execve") == 0;
    if (strncmp(text, record, strlen(record)) == 0) {
        const char *file = text + strlen(record);
        if (*file != '/' || strlen(file) >= sizeof rules->record)
            return fail(problem, "not the absolute path of a file: %s", file);
        strcpy(rules->record, file);
        rule.call = ANY_CALL;
    } else if (!rule.begins && !rule.ends) {
        return 0;
    }
    rules->idle = rules->idle || rule.begins;
    return rule_add(rules, &rule, problem) != 0 ? -1 : 1;
}

/* ROLE/: what comes after it, or NULL. */
static char *role_parse(struct rule *rule, char *text, struct problem problem) {
    char *name = strchr(text, '/');
    if (name == NULL)
        return text;
    *name++ = '\0';
    for (int role = ROLE_ANY + 1; role < ROLE_COUNT; role++)
        if (strcmp(role_names[role], text) == 0)
            rule->role = (enum role)role;
    if (rule->role == ROLE_ANY)
        (void)fail(problem, "unknown role: %s", text);
    return rule->role == ROLE_ANY ? NULL : name;
}

/* Add each rule that a special name stands for; how many there were, or -1. */
static int specials_add(struct rules *rules, const char *name, const struct rule *action, struct problem problem) {
    int found = 0;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(specials[i].name, name) != 0)
            continue;
        struct rule rule = specials[i].rule;
        rule.role = action->role;
        rule.error = action->error;
        rule.delay_ms = action->delay_ms;
        rule.kill = action->kill;
        rule.nth = action->nth;
        if (action->argument != ANY_ARGUMENT)
            return fail(problem, "%s looks at an argument already", name);
        if (rule_add(rules, &rule, problem) != 0)
            return -1;
        found++;
    }
    if (found > 1 && action->nth != 0)
        return fail(problem, "%s stands for several calls, which are not counted together", name);
    return found;
}

static int rule_parse(struct rules *rules, char *text, struct problem problem) {
    struct rule rule = {.argument = ANY_ARGUMENT};
    int plain = plain_parse(rules, text, problem);
    if (plain != 0)
        return plain < 0 ? -1 : 0;
    char *action = strchr(text, '=');
    if (action == NULL)
        return fail(problem, "not NAME=ERRNO, NAME=delay:MILLISECONDS or NAME=kill: %s", text);
    *action++ = '\0';
    text = role_parse(&rule, text, problem);
    if (text == NULL)
        return -1;
    if (action_parse(&rule, action, problem) != 0)
        return -1;
    char *nth = strchr(text, '#');
    if (nth != NULL) {
        unsigned long value = 0;
        *nth++ = '\0';
        if (!number_parse(nth, UINT32_MAX, &value) || value == 0)
            return fail(problem, "not the number of a call, 1 or more: %s", nth);
        rule.nth = (unsigned)value;
    }
    char *condition = strchr(text, '@');
    if (condition != NULL) {
        *condition++ = '\0';
        if (condition_parse(&rule, condition, problem) != 0)
            return -1;
    }
    int found = specials_add(rules, text, &rule, problem);
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (!name_find(calls, sizeof calls / sizeof *calls, CALL_NUMBER_MAX, text, &rule.call))
        return fail(problem, "unknown call: %s", text);
    return rule_add(rules, &rule, problem);
}

int rules_parse(struct rules *rules, const char *text, char *problem, size_t problem_size) {
    struct problem out = {problem, problem_size};
    char copy[4096];
    *rules = (struct rules){0};
    if (strlen(text) >= sizeof copy)
        return fail(out, "the list of rules is longer than %zu bytes", sizeof copy - 1);
    strcpy(copy, text);
    for (char *rule = copy; rule != NULL;) {
        char *next = strchr(rule, ',');
        if (next != NULL)
            *next++ = '\0';
        if (rule_parse(rules, rule, out) != 0)
            return -1;
        rule = next;
    }
    return 0;
}

bool rule_needs_supervisor(const struct rule *rule) {
    return rule->error == 0 || rule->nth != 0 || rule->role != ROLE_ANY;
}
