/* dying.h: boxes whose end has begun. A pinfold that is killed lets its files go first; its box is killed a moment
 * later, and what runs in it ends when it is scheduled: until then it can still write. */
#ifndef PINFOLD_LINUX_DYING_H
#define PINFOLD_LINUX_DYING_H

#include <sys/types.h>

/* Wait until `pinfold`, if there is a process of that number that is ending, and every first process of a pid namespace
 * below this one that is to end, are gone with all that is in it. -1 with errno: ETIMEDOUT after some seconds, or what
 * is there can't be seen. */
int dying_wait(pid_t pinfold) __attribute__((warn_unused_result));

#endif
