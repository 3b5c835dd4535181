/* receipt.h: the record of one run: what held, what was given up, how it ended.
 *
 * A FILE never holds half a receipt, and from before the start until the end it says "killed": each receipt is written
 * under another name in the same folder and renamed over it. What can't be replaced (a FIFO, a device, fd:N) gets one
 * receipt at the end, and end of file without one means killed. */
#ifndef PINFOLD_BOX_RECEIPT_H
#define PINFOLD_BOX_RECEIPT_H

#include "box/box.h"

#include <signal.h>

/* Where the receipt goes. Zero it, or open it, first; receipt_close gives the descriptors back. */
struct receipt {
    enum { RECEIPT_NONE, RECEIPT_FILE, RECEIPT_STREAM } kind;
    int fd;           /* RECEIPT_FILE: its folder; RECEIPT_STREAM: what is written to */
    const char *name; /* RECEIPT_FILE: in that folder */
    sigset_t mask;    /* the caller's: which signals end a wait for somebody to read it */
};

/* Open the place that box->policy.receipt names, FILE or fd:N, and let a FILE say that the run was killed. 125 when it
 * can't be written, or when the policy lets the command write there. */
int receipt_open(struct receipt *receipt, const struct box *box, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* The same question of the whole plan, which knows what each path meant: 125 when the box has a writable mount that
 * shows the place of the receipt. */
int receipt_guard(const struct receipt *receipt, const struct plan *plan, struct error *err)
    __attribute__((nonnull, warn_unused_result));

/* Write the receipt of a finished or refused run; nothing when none is wanted. `err` has the text of a refusal or
 * status 0. -1 with errno set: it could not be written whole; a FILE then says what it said before. */
int receipt_write(const struct receipt *receipt, const struct box *box, const struct error *err)
    __attribute__((nonnull, warn_unused_result));

void receipt_close(struct receipt *receipt) __attribute__((nonnull));

/* Let a FILE say that the run was killed, as long as nothing else is known. -1 with errno set. */
int receipt_begin(const struct receipt *receipt, const struct box *box) __attribute__((nonnull, warn_unused_result));

/* receipt_place.c: put a text there. -1 with errno set, and then a FILE is as it was. */
int receipt_put(const struct receipt *receipt, const char *text, size_t size)
    __attribute__((nonnull, warn_unused_result));

#endif
