/* Unit tests of policy/environment: an allow-list; what is not on it is dropped, by name. */
#include "policy/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct scene {
    struct arena arena;
    struct policy policy;
    struct environment environment;
    struct error err;
};

static int set_up(void **state) {
    static struct scene scene;
    scene = (struct scene){0};
    *state = &scene;
    return 0;
}

static int tear_down(void **state) {
    arena_free(&((struct scene *)*state)->arena);
    return 0;
}

static void ask(struct scene *scene, const char *variable) {
    struct variable *added = list_add(&scene->arena, &scene->policy.environment);
    assert_non_null(added);
    *added = (struct variable){variable, "--env"};
}

static void build(struct scene *scene, char *const *caller) {
    assert_int_equal(environment_build(&scene->arena, &scene->policy, caller, &scene->environment, &scene->err), 0);
    if (scene->environment.kept.count)
        assert_null(scene->environment.kept.at[scene->environment.kept.count]); /* ready for exec */
}

/* The value inside, or NULL; a name stands there at most once. */
static const char *inside(const struct scene *scene, const char *name) {
    const char *value = NULL;
    for (size_t i = 0; i < scene->environment.kept.count; i++) {
        const char *entry = scene->environment.kept.at[i];
        if (strncmp(entry, name, strlen(name)) == 0 && entry[strlen(name)] == '=') {
            assert_null(value);
            value = entry + strlen(name) + 1;
        }
    }
    return value;
}

static bool dropped(const struct scene *scene, const char *name) {
    for (size_t i = 0; i < scene->environment.dropped.count; i++)
        if (strcmp(scene->environment.dropped.at[i], name) == 0)
            return true;
    return false;
}

static bool allows(const char *name) {
    return environment_allows(name, strlen(name));
}

static void names_on_the_list(void **state) {
    (void)state;
    static const char *const yes[] = {"PATH", "HOME", "LANG", "LC_ALL", "LC_x", "TERM", "CI", "CC", "CARGO_HOME", "TZ"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(allows(yes[i]));
}

static void names_that_load_code_or_carry_secrets(void **state) {
    (void)state;
    static const char *const no[] = {"",
                                     "LC_",
                                     "LC",
                                     "PAT",
                                     "PATHX",
                                     "path",
                                     "LD_PRELOAD",
                                     "LD_LIBRARY_PATH",
                                     "LD_AUDIT",
                                     "BASH_ENV",
                                     "ENV",
                                     "PYTHONPATH",
                                     "PYTHONSTARTUP",
                                     "PYTHONHOME",
                                     "NODE_OPTIONS",
                                     "NODE_PATH",
                                     "PERL5OPT",
                                     "PERL5LIB",
                                     "RUBYOPT",
                                     "RUBYLIB",
                                     "JAVA_TOOL_OPTIONS",
                                     "_JAVA_OPTIONS",
                                     "JDK_JAVA_OPTIONS",
                                     "GCONV_PATH",
                                     "GLIBC_TUNABLES",
                                     "IFS",
                                     "PS4",
                                     "PROMPT_COMMAND",
                                     "SSH_AUTH_SOCK",
                                     "SSH_AGENT_PID",
                                     "GPG_AGENT_INFO",
                                     "DBUS_SESSION_BUS_ADDRESS",
                                     "XDG_RUNTIME_DIR",
                                     "DISPLAY",
                                     "WAYLAND_DISPLAY",
                                     "XAUTHORITY",
                                     "AWS_SECRET_ACCESS_KEY",
                                     "AWS_SESSION_TOKEN",
                                     "GITHUB_TOKEN",
                                     "GH_TOKEN",
                                     "NPM_TOKEN",
                                     "ANTHROPIC_API_KEY",
                                     "OPENAI_API_KEY",
                                     "CARGO_REGISTRY_TOKEN",
                                     "DOCKER_HOST",
                                     "KUBECONFIG",
                                     "HTTP_PROXY",
                                     "https_proxy",
                                     "GIT_SSH_COMMAND",
                                     "GIT_ASKPASS",
                                     "GIT_DIR",
                                     "TMUX",
                                     "STY",
                                     "VSCODE_IPC_HOOK_CLI",
                                     "PINFOLD_WITHOUT",
                                     "RUSTC_WRAPPER",
                                     "MAKE",
                                     "BASH_FUNC_ls%%",
                                     "SHELLOPTS",
                                     "LESSOPEN"};
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(allows(no[i]));
}

static void the_rest_is_dropped_by_name(void **state) {
    struct scene *scene = *state;
    char *caller[] = {(char *)"PATH=/bin", (char *)"SECRET=value", (char *)"LC_ALL=C", (char *)"EMPTY=", NULL};
    build(scene, caller);
    assert_string_equal(inside(scene, "PATH"), "/bin");
    assert_string_equal(inside(scene, "LC_ALL"), "C");
    assert_null(inside(scene, "SECRET"));
    assert_true(dropped(scene, "SECRET"));
    assert_true(dropped(scene, "EMPTY"));
    assert_int_equal(scene->environment.dropped.count, 2);
    for (size_t i = 0; i < scene->environment.dropped.count; i++)
        assert_null(strstr(scene->environment.dropped.at[i], "value"));
}

static void asked_variables_are_passed_or_set(void **state) {
    struct scene *scene = *state;
    char *caller[] = {(char *)"TOKEN=abc", (char *)"OTHER=x", (char *)"PATH=/bin", (char *)"TOKENS=no", NULL};
    ask(scene, "TOKEN");
    ask(scene, "NEW=1=2");
    ask(scene, "PATH=/opt/bin");
    ask(scene, "ABSENT");
    ask(scene, "BLANK=");
    build(scene, caller);
    assert_string_equal(inside(scene, "TOKEN"), "abc");
    assert_string_equal(inside(scene, "NEW"), "1=2");
    assert_string_equal(inside(scene, "PATH"), "/opt/bin");
    assert_string_equal(inside(scene, "BLANK"), "");
    assert_null(inside(scene, "ABSENT"));
    assert_null(inside(scene, "TOKENS"));
    assert_false(dropped(scene, "TOKEN"));
    assert_true(dropped(scene, "TOKENS"));
    assert_true(dropped(scene, "OTHER"));
}

static void odd_entries_of_the_caller(void **state) {
    struct scene *scene = *state;
    char *caller[] = {(char *)"PATH",   (char *)"=x",      (char *)"", (char *)"LANG=a",
                      (char *)"LANG=b", (char *)"X\xff=1", NULL};
    build(scene, caller);
    assert_null(inside(scene, "PATH"));
    assert_true(dropped(scene, "PATH"));
    assert_true(dropped(scene, "X\xff"));
    assert_non_null(inside(scene, "LANG"));
    assert_int_equal(scene->environment.kept.count, 1);
}

static void a_set_value_replaces_the_old_one(void **state) {
    struct scene *scene = *state;
    char *caller[] = {(char *)"HOME=/home/u", (char *)"PWD=/x", NULL};
    build(scene, caller);
    assert_int_equal(environment_set(&scene->arena, &scene->environment, "HOME", "/run/home"), 0);
    assert_int_equal(environment_set(&scene->arena, &scene->environment, "HOM", "short"), 0);
    assert_string_equal(inside(scene, "HOME"), "/run/home");
    assert_string_equal(inside(scene, "HOM"), "short");
    assert_string_equal(inside(scene, "PWD"), "/x");
    assert_null(scene->environment.kept.at[scene->environment.kept.count]);
}

static void many_variables(void **state) {
    struct scene *scene = *state;
    enum { MANY = 3000 };
    static char text[MANY][40];
    char *caller[MANY + 1];
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "%s%d=%d", i % 2 ? "LC_" : "X_", i, i);
        caller[i] = text[i];
    }
    caller[MANY] = NULL;
    build(scene, caller);
    assert_int_equal(scene->environment.kept.count, MANY / 2);
    assert_int_equal(scene->environment.dropped.count, MANY / 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names_on_the_list),
        TEST(names_that_load_code_or_carry_secrets),
        TEST(the_rest_is_dropped_by_name),
        TEST(asked_variables_are_passed_or_set),
        TEST(odd_entries_of_the_caller),
        TEST(a_set_value_replaces_the_old_one),
        TEST(many_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
