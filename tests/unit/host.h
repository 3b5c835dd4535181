/* host.h: hosts that we don't own, as filled probes, for the tests of pure code: what would be planned there? */
#ifndef PINFOLD_TESTS_HOST_H
#define PINFOLD_TESTS_HOST_H

#include "linux/compile.h"

#include "arena_again.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

struct host {
    struct arena arena;
    struct policy policy;
    struct probe probe;
    struct plan plan;
    struct error err;
};

static char *const host_caller[] = {(char *)"PATH=/usr/bin:/bin", (char *)"HOME=/home/u", (char *)"SECRET=1",
                                    (char *)"TMPDIR=/somewhere", NULL};

static inline struct place host_place(const char *path, mode_t mode) {
    static ino_t next = 100;
    return (struct place){.path = path, .mode = mode, .dev = 7, .ino = next++};
}

static inline struct place host_folder(const char *path) {
    return host_place(path, S_IFDIR | 0755);
}

static inline struct place host_absent(const char *path) {
    return (struct place){.path = path, .error = ENOENT};
}

#define HOST_ADD(host, list, value)                                                                                    \
    do {                                                                                                               \
        size_t index_ = (list)->count;                                                                                 \
        assert_non_null(list_add(&(host)->arena, (list)));                                                             \
        (list)->at[index_] = (value);                                                                                  \
    } while (0)

static inline void host_grant(struct host *host, enum access access, struct place place) {
    static const char *const options[] = {
        [ACCESS_READ] = "--read", [ACCESS_WRITE] = "--write", [ACCESS_SOCKET] = "--unix-socket"};
    struct grant grant = {.access = access, .path = place.path, .origin = options[access]};
    HOST_ADD(host, &host->policy.grants, grant);
    HOST_ADD(host, &host->probe.grants, place);
}

static inline void host_descriptor(struct host *host, int number, enum descriptor_kind kind, bool readable,
                                   bool writable) {
    struct descriptor descriptor = {.number = number,
                                    .kind = kind,
                                    .readable = readable,
                                    .writable = writable,
                                    .dev = 3,
                                    .ino = (ino_t)(1000 + number)};
    HOST_ADD(host, &host->probe.descriptors, descriptor);
}

/* Something in a writable root that must not change. */
static inline void host_protect(struct host *host, const char *path, mode_t mode) {
    struct protected held = {host_place(path, mode), PROTECTED_CONFIGURATION, "a test"};
    HOST_ADD(host, &host->probe.protection.held, held);
}

static struct arena host_spare; /* of the last host that was freed, for the next one */

/* An ordinary user of a merged-usr host with everything, who works in /home/u/src. */
static inline void host_user(struct host *host) {
    *host = (struct host){.arena = host_spare};
    host_spare = (struct arena){0};
    snprintf(host->probe.release, sizeof host->probe.release, "6.12.0");
    host->probe.landlock_abi = 6;
    host->probe.uid = host->probe.gid = 1000;
    host->probe.executable = host_place("/usr/local/bin/pinfold", S_IFREG | 0755);
    host->probe.workspace = host->probe.current = host_folder("/home/u/src");
    host->probe.home = host->probe.account_home = host_folder("/home/u");
    HOST_ADD(host, &host->probe.system, host_folder("/usr"));
    HOST_ADD(host, &host->probe.system, host_folder("/etc"));
    HOST_ADD(host, &host->probe.system, host_folder("/sys/devices/system/cpu"));
    HOST_ADD(host, &host->probe.links, ((struct link){"/bin", "usr/bin"}));
    HOST_ADD(host, &host->probe.links, ((struct link){"/lib", "usr/lib"}));
    HOST_ADD(host, &host->probe.links, ((struct link){"/var/run", "/run"}));
    host_protect(host, "/home/u/src/.git", S_IFDIR | 0755);
    host_protect(host, "/home/u/src/tools/hooks/check", S_IFREG | 0755);
    host_descriptor(host, 0, DESCRIPTOR_NULL, true, true);
    host_descriptor(host, 1, DESCRIPTOR_PIPE, false, true);
    host_descriptor(host, 2, DESCRIPTOR_PIPE, false, true);
}

/* A root caller; id-mapped mounts work. */
static inline void host_root(struct host *host) {
    host_user(host);
    host->probe.uid = host->probe.gid = 0;
    host->probe.outer_root = true;
    host->probe.home = host->probe.account_home = host_folder("/root");
    host->probe.workspace = host->probe.current = host_folder("/root/src");
    host->probe.protection.held.count = 0;
    host_protect(host, "/root/src/.git", S_IFDIR | 0755);
    HOST_ADD(host, &host->probe.private_places, host_place("/etc/shadow", S_IFREG | 0640));
    HOST_ADD(host, &host->probe.private_places, host_place("/etc/ssl/private", S_IFDIR | 0710));
}

/* A root caller on a file system without id-mapped mounts. */
static inline void host_root_kept(struct host *host) {
    host_root(host);
    host->probe.missing[STEP_IDMAPPED_MOUNTS] = EINVAL;
}

static inline int host_compile(struct host *host) {
    host->err = (struct error){0};
    return compile_native(&host->arena, &host->policy, &host->probe, host_caller, &host->plan, &host->err);
}

static inline void host_free(struct host *host) {
    arena_free(&host_spare);
    host_spare = host->arena;
    arena_again(&host_spare);
}

/* Compiles, and fails the test with the message when it doesn't. */
static inline void host_must_compile(struct host *host) {
    if (host_compile(host))
        fail_msg("%s", host->err.text);
}

/* A test of one host that begins as host_user's: `*state` is it, and it is freed. */
static inline int host_setup(void **state) {
    static struct host host;
    host_user(&host);
    *state = &host;
    return 0;
}

static inline int host_teardown(void **state) {
    host_free(*state);
    return 0;
}
#define HOST_TEST(name) cmocka_unit_test_setup_teardown(name, host_setup, host_teardown)

static inline const struct mount *host_mount(const struct host *host, const char *target) {
    for (size_t i = 0; i < host->plan.mounts.count; i++)
        if (strcmp(host->plan.mounts.at[i].target, target) == 0)
            return &host->plan.mounts.at[i];
    return NULL;
}

/* What a function writes to a stream, as text that the caller frees: begin, let it write to words->out, end. */
struct words {
    char *text;
    size_t size;
    FILE *out;
};

static inline void words_begin(struct words *words) {
    words->out = open_memstream(&words->text, &words->size);
    assert_non_null(words->out);
}

static inline char *words_end(struct words *words) {
    assert_int_equal(fclose(words->out), 0);
    return words->text;
}

#endif
