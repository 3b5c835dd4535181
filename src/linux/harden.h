/* harden.h: what pinfold does for itself before anything else. */
#ifndef PINFOLD_LINUX_HARDEN_H
#define PINFOLD_LINUX_HARDEN_H

#include "base/error.h"

/* Not dumpable, no core files, no variables that make a program load code, descriptors 0 to 2 open (a closed one
 * becomes /dev/null, so that no file of ours can take its number), everything else closed on exec. 126 when it can't
 * be. */
int harden(struct error *err) __attribute__((nonnull, warn_unused_result));

#endif
