/* arena_values.c (pure): texts and lists in an arena. The fuzzers use it with an arena of their own. See arena.h. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t size) {
    char *copy = arena_alloc(arena, size + 1);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_copy(struct arena *arena, const char *text) {
    return arena_copy_bytes(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : arena_alloc(arena, (size_t)size + 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

int list_reserve(struct arena *arena, void **at, size_t *room, size_t count, size_t item) {
    if (count < *room)
        return 0;
    size_t larger = *room ? *room * 2 : 8;
    void *moved = arena_alloc(arena, larger * item);
    if (!moved)
        return -1;
    if (count)
        memcpy(moved, *at, count * item);
    *at = moved;
    *room = larger;
    return 0;
}

int text_add(struct arena *arena, text_list *list, const char *text) {
    const char **added = list_add(arena, list);
    if (!added)
        return -1;
    *added = text;
    return 0;
}
