/* layers.h: a switch for each layer, in the tests' binary only (pinfold-layers): PINFOLD_WITHOUT=name,name leaves
 * layers out, so that tests can see the other layers hold. In pinfold itself it is a constant. */
#ifndef PINFOLD_LINUX_LAYERS_H
#define PINFOLD_LINUX_LAYERS_H

#include "plan/guarantee.h"

#include <stdbool.h>

#ifdef PINFOLD_LAYERS_SWITCH
bool layer_on(enum step step);
#else
static inline bool layer_on(enum step step) {
    (void)step;
    return true;
}
#endif

#endif
