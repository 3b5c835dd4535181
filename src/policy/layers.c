/* layers.c (glue): the order of the layers. See layers.h. */
#include "policy/layers.h"

#include "policy/merge.h"

int layers_merge(struct arena *arena, const struct policy *flags, struct policy *merged, struct error *err) {
    policy_floor(merged);
    return policy_merge(arena, merged, flags, err);
}
