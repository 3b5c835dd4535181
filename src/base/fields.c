/* fields.c (pure): see fields.h. */
#include "base/fields.h"

#include <stddef.h>
#include <string.h>

const char *fields_next(const char **at, const char *end) {
    const char *start = *at, *nul = start < end ? memchr(start, '\0', (size_t)(end - start)) : NULL;
    *at = nul ? nul + 1 : *at;
    return nul ? start : NULL;
}
