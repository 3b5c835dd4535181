/* title.h: what ps shows of this process. A box can read the command line of its pid 1, which is a copy of pinfold's.
 */
#ifndef PINFOLD_LINUX_TITLE_H
#define PINFOLD_LINUX_TITLE_H

/* Once, at the start of main: where the arguments are. */
void title_remember(int argc, char **argv);

/* Be called pinfold, also when executed by way of a descriptor, which gives a process that number for a name. */
void title_name(void);

/* Overwrite the arguments with `title`. What pointed into them is gone. */
void title_set(const char *title);

#endif
