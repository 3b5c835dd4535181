/* units.h: sizes (K, M, G: 1024) and durations (ms, s, m, h) as written on the command line. */
#ifndef PINFOLD_BASE_UNITS_H
#define PINFOLD_BASE_UNITS_H

#include <stdint.h>

/* "64K" to bytes, "1.5s" is refused: whole numbers only. 0, or -1 when `text` is not one or is too large. */
int units_size(const char *text, uint64_t *bytes) __attribute__((nonnull, warn_unused_result));

/* "250ms", "30s", "5m", "2h" to milliseconds; a bare number means seconds. At most 366 days. */
int units_duration(const char *text, uint64_t *milliseconds) __attribute__((nonnull, warn_unused_result));

#endif
