/* output.c (pure): keeps the head and the tail of a stream in a fixed room. */
#include "supervise/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t smaller(uint64_t a, uint64_t b) {
    return (size_t)(a < b ? a : b);
}

uint64_t output_tail_size(uint64_t limit) {
    return limit - limit / 2;
}

void output_init(struct output *output, uint64_t limit, char *tail) {
    *output = (struct output){.head = limit / 2, .room = (size_t)output_tail_size(limit), .tail = tail};
}

size_t output_take(struct output *output, const char *bytes, size_t size) {
    size_t passed = smaller(output->head, size);
    output->head -= passed;
    bytes += passed;
    size_t left = size - passed;
    if (left > output->room) { /* its front would be overwritten below */
        output->rest += left - output->room;
        bytes += left - output->room;
        left = output->room;
    }
    while (left) {
        size_t at = (size_t)(output->rest % output->room);
        size_t part = smaller(left, output->room - at);
        memcpy(output->tail + at, bytes, part);
        output->rest += part;
        bytes += part;
        left -= part;
    }
    return passed;
}

uint64_t output_dropped(const struct output *output) {
    return output->rest > output->room ? output->rest - output->room : 0;
}

size_t output_rest(struct output *output, char *to, size_t room) {
    size_t given = 0;
    if (!output->told) {
        output->told = true;
        output->next = output_dropped(output);
        if (output->next)
            given = (size_t)snprintf(to, room, "\n[pinfold: %" PRIu64 " bytes left out]\n", output->next);
    }
    while (given < room && output->next < output->rest) {
        size_t at = (size_t)(output->next % output->room);
        size_t part = smaller(smaller(room - given, output->room - at), output->rest - output->next);
        memcpy(to + given, output->tail + at, part);
        output->next += part;
        given += part;
    }
    return given;
}
