/* describe.h: plans and receipts as JSON and as text. */
#ifndef PINFOLD_PLAN_DESCRIBE_H
#define PINFOLD_PLAN_DESCRIBE_H

#include "plan/plan.h"

#include <jansson.h>
#include <stdio.h>

enum { RECEIPT_VERSION = 1 };

/* A path or argument as JSON: a string, or {"hex": "..."} when it is not valid UTF-8. */
json_t *describe_bytes(const char *bytes) __attribute__((nonnull));

/* A value to which all that belongs to it was added, or else tried (`failed`): then it is freed, and NULL. */
json_t *describe_finish(json_t *value, int failed);

/* json_dumps, whose text lacks a key when memory for that one runs out. To be freed; NULL when out of memory. */
char *describe_dump(const json_t *json, size_t flags) __attribute__((nonnull, malloc));

/* The parts that explain and receipt have in common; NULL when out of memory. */
json_t *describe_plan(const struct plan *plan) __attribute__((nonnull));

/* Add to what describe_plan told: policy_digest and plan_digest, both SHA-256 in hexadecimal. pinfold-receipt(5) says
 * over what. -1 when out of memory. */
int describe_digests(const struct plan *plan, json_t *told) __attribute__((nonnull, warn_unused_result));

/* {"fs-read": {"state": "held", "layers": [...], "proof": "tried", "promise": "..."}, ...}. `ran`: the launch proved
 * it. */
json_t *describe_guarantees(const struct plan *plan, bool ran) __attribute__((nonnull));

/* The plan in words, for people. 0, or -1 when it could not be written. */
int describe_text(const struct plan *plan, FILE *out) __attribute__((nonnull));

#endif
