/* settled.c: fuzzes what reads the texts that a command may have left: a git configuration, a rebase's list, and the
 * record of a run. What is harmless is so no more with a line that git would run after it. */
#include "settle/harmless.h"
#include "settle/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void must(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static bool is_shown(const char *why) {
    for (; *why; why++)
        if (*why < ' ' || *why > '~')
            return false;
    return true;
}

/* Of a copy that ends where it ends, so that AddressSanitizer sees what reads on. */
static char *with(const unsigned char *data, size_t size, const char *end, struct text *text) {
    char *copy = malloc(size + strlen(end) + 1);
    must(copy, "no memory");
    memcpy(copy, data, size);
    memcpy(copy + size, end, strlen(end));
    *text = (struct text){copy, size + strlen(end)};
    return copy;
}

static void check_texts(const unsigned char *data, size_t size) {
    static const struct text none = {"", 0};
    char why[HARMLESS_WHY];
    struct text text, more, list, longer;
    char *copies[] = {with(data, size, "", &text), with(data, size, "\n[core]\n\tfsmonitor = x\n", &more),
                      with(data, size, "", &list), with(data, size, "\nexec x", &longer)};
    bool good = harmless_config(&text, &none, (int)(size % 4), why);
    must(good == !*why && is_shown(why), "a verdict without its reason");
    must(!good || !harmless_config(&more, &none, 0, why), "core.fsmonitor is harmless");
    must(!good || harmless_config(&text, &text, (int)(size % 4), why), "harmful, since it was there");
    must(!harmless_todo(&longer, why) && is_shown(why), "exec is harmless");
    (void)harmless_todo(&list, why);
    for (size_t i = 0; i < 4; i++)
        free(copies[i]);
}

static void check_record(const unsigned char *data, size_t size) {
    struct arena arena = {0};
    struct run run, again;
    size_t written;
    if (!run_read(&arena, (const char *)data, size, &run)) {
        const char *text = run_write(&arena, &run, &written);
        must(text && !run_read(&arena, text, written, &again), "a record that can't be read again");
        must(again.files.count == run.files.count && again.roots.count == run.roots.count, "another record");
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    check_texts(data, size);
    check_record(data, size);
    return 0;
}
