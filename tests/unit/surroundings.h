/* surroundings.h: facts of hosts that we don't own, for the tests of doctor's pure code. */
#ifndef PINFOLD_TESTS_SURROUNDINGS_H
#define PINFOLD_TESTS_SURROUNDINGS_H

#include "plan/facts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ALL_CAPABILITIES = 0x3fffffff, DOCKER_CAPABILITIES = 0x280425fb };

/* A Debian host of an ordinary user: nothing around pinfold. */
static inline struct facts facts_plain(void) {
    struct facts facts = {.uid = 1000,
                          .system = "Debian GNU/Linux 12 (bookworm)",
                          .version = "Linux version 6.1.0-18-amd64",
                          .bounding = ALL_CAPABILITIES,
                          .userns_clone = -1,
                          .userns_apparmor = -1,
                          .panic_on_oom = 0,
                          .oom_kills_asker = 0,
                          .swap_kib = 1048576,
                          .open_files = 1024,
                          .processes = -1};
    for (size_t i = 0; i < FACTS_LIMITS; i++)
        facts.most[i] = 31000;
    return facts;
}

static inline void facts_cover(struct arena *arena, struct facts *facts, const char *path) {
    const char **added = list_add(arena, &facts->covered);
    assert_non_null(added);
    *added = path;
}

/* What Docker starts by default. */
static inline struct facts facts_docker(struct arena *arena) {
    struct facts facts = facts_plain();
    facts.uid = 0;
    facts.foreign_namespaces = facts.docker_file = true;
    facts.seccomp = 2;
    facts.bounding = DOCKER_CAPABILITIES;
    facts.label = "docker-default (enforce)";
    facts_cover(arena, &facts, "/proc/interrupts");
    facts_cover(arena, &facts, "/proc/sys");
    return facts;
}

#endif
