/* output.h: the head and the tail of a stream of bytes. The head passes at once, the middle is counted and dropped. */
#ifndef PINFOLD_SUPERVISE_OUTPUT_H
#define PINFOLD_SUPERVISE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTPUT_MARKER = 64 }; /* room that the line about what was left out needs at most */

struct output {
    uint64_t head; /* bytes that still pass at once */
    uint64_t rest; /* bytes that came after the head */
    uint64_t next; /* output_rest: the next of these to give */
    bool told;     /* output_rest: the marker was given */
    size_t room;   /* of the tail */
    char *tail;    /* ring: byte n of the rest stands at n % room */
};

/* Bytes of tail that a limit needs: what half of the limit, rounded down, leaves. */
uint64_t output_tail_size(uint64_t limit);

/* `tail` is the caller's, output_tail_size(limit) bytes. `limit` is at least 1. */
void output_init(struct output *output, uint64_t limit, char *tail) __attribute__((nonnull));

/* Returns how many bytes of the front of `bytes` are to be passed on now. The others are kept, or counted. */
size_t output_take(struct output *output, const char *bytes, size_t size) __attribute__((nonnull, warn_unused_result));

uint64_t output_dropped(const struct output *output) __attribute__((nonnull));

/* After the last byte came in: the next bytes of "\n[pinfold: K bytes left out]\n" (only when some were) and the tail.
 * Returns their number, 0 when all was given. `room` is at least OUTPUT_MARKER. */
size_t output_rest(struct output *output, char *to, size_t room) __attribute__((nonnull, warn_unused_result));

#endif
