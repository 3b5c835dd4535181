/* nearest.h: which known word did somebody mean? */
#ifndef PINFOLD_BASE_NEAREST_H
#define PINFOLD_BASE_NEAREST_H

#include <stddef.h>

/* The one of `count` words that is nearest to `word` by insertions, deletions, replacements and swaps; NULL when none
 * is near enough to be a likely slip. */
const char *nearest(const char *word, const char *const *words, size_t count) __attribute__((nonnull));

#endif
