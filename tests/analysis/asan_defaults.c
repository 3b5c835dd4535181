/* asan_defaults.c: what the sanitizers do in every program that tools/sanitize builds, whatever its environment is: a
 * box has none of the caller's. No leak check: what a child drops at _exit is no leak, and LeakSanitizer needs ptrace.
 */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void) {
    return "detect_leaks=0:handle_segv=0:exitcode=99";
}

const char *__ubsan_default_options(void) {
    return "halt_on_error=1:print_stacktrace=1:exitcode=99";
}
