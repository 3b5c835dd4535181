/* path.h: questions about absolute paths as strings. Paths are opaque bytes; nothing here looks at the file system. */
#ifndef PINFOLD_BASE_PATH_H
#define PINFOLD_BASE_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Is `path` the folder `root` or something below it? Both absolute, without a trailing slash (but for "/"). */
bool path_is_under(const char *path, const char *root) __attribute__((nonnull));

/* strcmp for paths in which '/' sorts before every other byte: a folder comes before all that is below it. */
int path_compare(const char *a, const char *b) __attribute__((nonnull));

/* Is it absolute and free of "." and ".." components, double and trailing slashes? */
bool path_is_canonical(const char *path) __attribute__((nonnull));

/* The next part of a path, from *rest on, which is moved behind it. 1; 0: there is none; -1: it is longer than a name
 * may be (NAME_MAX). */
int path_part(const char **rest, char name[NAME_MAX + 1]) __attribute__((nonnull));

/* Text that is safe to print: control bytes and invalid UTF-8 are shown as \xNN. Writes at most `room` bytes. */
const char *path_show(const char *path, char *out, size_t room) __attribute__((nonnull));

/* Number of bytes of the UTF-8 sequence at `text`, or 0 when it is not a valid one. */
size_t utf8_length(const char *text) __attribute__((nonnull));
bool utf8_valid(const char *text) __attribute__((nonnull));

#endif
