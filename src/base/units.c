/* units.c (pure): see units.h. */
#include "base/units.h"

#include <stddef.h>
#include <string.h>

static int number_with_unit(const char *text, const char *const units[], const uint64_t factors[], uint64_t limit,
                            uint64_t *result) {
    uint64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (number > limit / 10)
            return -1;
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (at == text)
        return -1;
    for (size_t i = 0; units[i]; i++)
        if (strcmp(at, units[i]) == 0) {
            if (number > limit / factors[i])
                return -1;
            *result = number * factors[i];
            return 0;
        }
    return -1;
}

int units_size(const char *text, uint64_t *bytes) {
    static const char *const units[] = {"", "K", "M", "G", NULL};
    static const uint64_t factors[] = {1, 1 << 10, 1 << 20, 1 << 30};
    return number_with_unit(text, units, factors, UINT64_MAX / 2, bytes);
}

int units_duration(const char *text, uint64_t *milliseconds) {
    static const char *const units[] = {"", "ms", "s", "m", "h", NULL};
    static const uint64_t factors[] = {1000, 1, 1000, 60000, 3600000};
    return number_with_unit(text, units, factors, 366ULL * 24 * 3600000, milliseconds);
}
