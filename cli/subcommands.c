/* subcommands.c (pure): the texts of subcommands.def. */
#include "base/nearest.h"
#include "cli.h"

#include <string.h>

const struct subcommand_text subcommand_text[SUBCOMMAND_COUNT] = {
#define SUBCOMMAND(id, name, function, usage, summary, about) {id, name, usage, summary, about},
#include "subcommands.def"
#undef SUBCOMMAND
};

const struct subcommand_text *subcommand_of(enum subcommand subcommand) {
    size_t i = 0;
    while (i + 1 < SUBCOMMAND_COUNT && subcommand_text[i].subcommand != subcommand)
        i++;
    return &subcommand_text[i];
}

const char *subcommand_nearest(const char *word) {
    const char *words[SUBCOMMAND_COUNT + 2] = {"--help", "--version"};
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        words[i + 2] = subcommand_text[i].name;
    return nearest(word, words, SUBCOMMAND_COUNT + 2);
}
