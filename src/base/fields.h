/* fields.h: texts one after the other, each with its NUL: they may hold all that a path may. */
#ifndef PINFOLD_BASE_FIELDS_H
#define PINFOLD_BASE_FIELDS_H

/* The next, from *at on, which is moved behind it; NULL: there is none, or it was broken off. */
const char *fields_next(const char **at, const char *end) __attribute__((nonnull));

#endif
