/* nearest.c (pure): see nearest.h. */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 40 };

static size_t least(size_t a, size_t b, size_t c) {
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

static size_t distance(const char *a, const char *b) {
    size_t rows[3][WORD_MAX + 1], n = strlen(a), m = strlen(b);
    if (n > WORD_MAX || m > WORD_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        rows[1][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *before = rows[(i + 2) % 3], *above = rows[i % 3], *row = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[(n + 1) % 3][m];
}

const char *nearest(const char *word, const char *const *words, size_t count) {
    const char *best = NULL;
    size_t least_so_far = strlen(word) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(word, words[i]);
        size_t size = strlen(word);
        if (size >= 3 && strncmp(words[i], word, size) == 0)
            far = far ? 1 : 0; /* an abbreviation */
        if (far < least_so_far) {
            least_so_far = far;
            best = words[i];
        }
    }
    return best;
}
