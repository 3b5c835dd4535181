/* options.c (pure but for getopt's own state): the command line of a subcommand. */
#include "base/nearest.h"
#include "base/path.h"
#include "cli.h"
#include "policy/values.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
#define OPTION(id, name, argument, subcommands, help) OPTION_##id,
#include "options.def"
#undef OPTION
    OPTION_COUNT
};

static const struct known {
    const char *name, *argument;
    int subcommands;
} known[] = {
#define OPTION(id, name, argument, subcommands, help) {name, argument, subcommands},
#include "options.def"
#undef OPTION
};

static int unknown(const char *word, enum subcommand subcommand, struct error *err) {
    const char *names[OPTION_COUNT];
    char shown[256], bare[64];
    size_t count = 0, size = strcspn(word, "=");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (known[i].subcommands & (int)subcommand)
            names[count++] = known[i].name;
    const char *start = word + strspn(word, "-");
    size -= size < (size_t)(start - word) ? size : (size_t)(start - word);
    if (size >= sizeof bare)
        size = sizeof bare - 1;
    memcpy(bare, start, size);
    bare[size] = '\0';
    const char *near = nearest(bare, names, count);
    return error_set(err, EXIT_USAGE, "unknown option %s%s%s%s pinfold %s --help", path_show(word, shown, sizeof shown),
                     near ? "; did you mean --" : "", near ? near : "", near ? "? See" : "; see",
                     subcommand_of(subcommand)->name);
}

static int bad_value(const char *name, const char *value, const char *wanted, struct error *err) {
    char shown[256];
    return error_set(err, EXIT_USAGE, "--%s %s: %s", name, path_show(value, shown, sizeof shown), wanted);
}

static int add_grant(struct arena *arena, struct policy *policy, enum access access, const char *option,
                     const char *path, struct error *err) {
    struct grant *grant = list_add(arena, &policy->grants);
    if (!*path)
        return error_set(err, EXIT_USAGE, "%s: the path is empty", option);
    if (!grant)
        return error_memory(err);
    *grant = (struct grant){.access = access, .path = path, .origin = option};
    return 0;
}

static int add_denial(struct arena *arena, struct policy *policy, const char *word, struct error *err) {
    struct denial *denial = list_add(arena, &policy->denials);
    if (!*word)
        return error_set(err, EXIT_USAGE, "--deny: the path is empty");
    if (!denial)
        return error_memory(err);
    *denial = (struct denial){word, "--deny"};
    return 0;
}

static int add_protect(struct arena *arena, struct policy *policy, const char *path, struct error *err) {
    struct protect *protect = list_add(arena, &policy->protects);
    if (!*path)
        return error_set(err, EXIT_USAGE, "--protect: the path is empty");
    if (!protect)
        return error_memory(err);
    *protect = (struct protect){path, "--protect"};
    return 0;
}

static int add_descriptor(struct arena *arena, struct policy *policy, const char *value, struct error *err) {
    if (strcmp(value, "none") == 0) {
        policy->no_descriptors = true;
        return 0;
    }
    size_t digits = strspn(value, "0123456789");
    if (!digits || value[digits] || digits > 6 || atoi(value) < 3)
        return bad_value("fd", value, "a descriptor number from 3 on, or none (0, 1 and 2 are always there)", err);
    int *number = list_add(arena, &policy->descriptors);
    if (!number)
        return error_memory(err);
    *number = atoi(value);
    return 0;
}

static int add_variable(struct arena *arena, struct policy *policy, const char *value, struct error *err) {
    struct variable *variable = list_add(arena, &policy->environment);
    const char *wanted = value_variable(value);
    if (wanted)
        return bad_value("env", value, wanted, err);
    if (!variable)
        return error_memory(err);
    *variable = (struct variable){value, "--env"};
    return 0;
}

static int add_waiver(struct policy *policy, const char *value, struct error *err) {
    int found;
    const char *near, *wanted = value_waiver(value, &found, &near);
    char text[128];
    if (near) {
        snprintf(text, sizeof text, "%s; did you mean %s?", wanted, near);
        wanted = text;
    }
    if (wanted)
        return bad_value("waive", value, wanted, err);
    policy->waived |= UINT32_C(1) << found;
    policy->waived_origin[found] = "--waive";
    return 0;
}

static int set_session(struct policy *policy, const char *value, struct error *err) {
    char near[SESSION_ID_MAX + 1], text[256];
    const char *wanted = value_session(value, near);
    snprintf(text, sizeof text, "%s; did you mean %s?", wanted ? wanted : "", near);
    policy->session = value;
    policy->session_origin = "--session";
    return wanted ? bad_value("session", value, *near ? text : wanted, err) : 0;
}

static int set(struct setting *setting, const char *origin, const char *value,
               const char *(*read)(const char *word, uint64_t *number), struct error *err) {
    const char *wanted = read(value, &setting->value);
    setting->origin = origin;
    return wanted ? bad_value(origin + 2, value, wanted, err) : 0;
}

static int take(struct arena *arena, struct options *options, int id, const char *value, struct error *err) {
    struct policy *policy = options->policy;
    switch (id) {
    case OPTION_WORKSPACE:
        policy->workspace = value;
        return *value ? 0 : bad_value("workspace", value, "the path is empty", err);
    case OPTION_READ:
        return add_grant(arena, policy, ACCESS_READ, "--read", value, err);
    case OPTION_WRITE:
        return add_grant(arena, policy, ACCESS_WRITE, "--write", value, err);
    case OPTION_CREATE:
        policy->create = (struct setting){1, "--create"};
        return 0;
    case OPTION_DENY:
        return add_denial(arena, policy, value, err);
    case OPTION_UNIX_SOCKET:
        return add_grant(arena, policy, ACCESS_SOCKET, "--unix-socket", value, err);
    case OPTION_GIT:
        return set(&policy->git, "--git", value, value_git, err);
    case OPTION_PROTECT:
        return add_protect(arena, policy, value, err);
    case OPTION_FD:
        return add_descriptor(arena, policy, value, err);
    case OPTION_ENV:
        return add_variable(arena, policy, value, err);
    case OPTION_WAIVE:
        return add_waiver(policy, value, err);
    case OPTION_MODE:
        return set(&policy->mode, "--mode", value, value_mode, err);
    case OPTION_TOOLCHAINS:
        return set(&policy->toolchains, "--toolchains", value, value_toolchains, err);
    case OPTION_PROFILE:
        policy->profile = value;
        policy->profile_origin = "--profile";
        return *value ? 0 : bad_value("profile", value, "the name is empty", err);
    case OPTION_POLICY:
        if (policy->policy) /* the later would undo what the earlier forbids */
            return bad_value("policy", value, "there is one already; put both into one file", err);
        policy->policy = value;
        return *value ? 0 : bad_value("policy", value, "the path is empty", err);
    case OPTION_SESSION:
        return set_session(policy, value, err);
    case OPTION_TIMEOUT:
        return set(&policy->timeout, "--timeout", value, value_timeout, err);
    case OPTION_GRACE:
        return set(&policy->grace, "--grace", value, value_grace, err);
    case OPTION_OUTPUT_LIMIT:
        return set(&policy->output_limit, "--output-limit", value, value_output_limit, err);
    case OPTION_RECEIPT:
        policy->receipt = value;
        return *value ? 0 : bad_value("receipt", value, "the path is empty", err);
    case OPTION_TIE:
        return tie_add(&options->tie, value, err);
    case OPTION_BACKEND:
        policy->backend = value;
        policy->backend_origin = "--backend";
        return 0;
    case OPTION_LIST:
        options->list = true;
        return 0;
    case OPTION_REMOVE:
        options->remove = true;
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    default:
        options->help = true;
        return 0;
    }
}

int options_parse(struct arena *arena, enum subcommand subcommand, int argc, char **argv, struct options *options,
                  struct error *err) {
    struct option table[OPTION_COUNT + 1] = {{0}};
    for (int i = 0; i < OPTION_COUNT; i++)
        table[i] = (struct option){known[i].name, known[i].argument ? required_argument : no_argument, NULL, 256 + i};
    opterr = 0;
    optind = 1;
    int failed = 0; /* the first mistake is told; what follows is still read, for the receipt */
    for (struct error later, *now = err;; now = failed ? &later : err) {
        int at = optind;
        int got = getopt_long(argc, argv, "+:", table, NULL);
        const char *word = at < argc ? argv[at] : "";
        if (got == -1)
            break;
        /* getopt takes abbreviations; a name that a later version adds would change what they mean */
        const struct known *option = got >= 256 ? &known[got - 256] : NULL;
        if (got == ':')
            failed |= error_set(now, EXIT_USAGE, "%s needs a value: %s", word,
                                optopt >= 256 ? known[optopt - 256].argument : "see --help");
        else if (!option || strlen(option->name) != strcspn(word + 2, "=") || !(option->subcommands & (int)subcommand))
            failed |= unknown(word, subcommand, now);
        else
            failed |= take(arena, options, got - 256, optarg ? optarg : "", now);
    }
    options->policy->command = argv + optind;
    return failed;
}
