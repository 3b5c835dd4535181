/* git_config.h: the variables of a git configuration file. Pure. */
#ifndef PINFOLD_LINUX_GIT_CONFIG_H
#define PINFOLD_LINUX_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct git_config {
    const char *at, *end;
    char section[64], key[64]; /* in small letters, cut off when longer; without the subsection */
    char value[4096];          /* without quotes and comments, cut off when longer */
    bool broken;               /* git would take the rest for broken */
};

/* The text need not end with a NUL. */
void git_config_begin(struct git_config *config, const char *text, size_t size) __attribute__((nonnull));

/* The next variable that has a value. false: there is none, or git would take the rest for broken. */
bool git_config_next(struct git_config *config) __attribute__((nonnull));

#endif
