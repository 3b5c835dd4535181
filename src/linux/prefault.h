/* prefault.h: a start without page faults. */
#ifndef PINFOLD_LINUX_PREFAULT_H
#define PINFOLD_LINUX_PREFAULT_H

/* Map the pages that a launch touches, in three calls instead of some fifty faults (12 microseconds each on a virtual
 * machine without hardware paging, below 1 on others). Only a hint: an older kernel (before 5.14) faults them in. */
void prefault(void);

/* The same for what a process writes to after a fork, in either of the two. */
void prefault_copies(void);

#endif
