/* title.h: what ps shows of this process. A box can read the command line of its pid 1, which is a copy of pinfold's.
 */
#ifndef PINFOLD_LINUX_TITLE_H
#define PINFOLD_LINUX_TITLE_H

/* Once, at the start of main: where the arguments are. */
void title_remember(int argc, char **argv);

/* Overwrite the arguments with `title`. What pointed into them is gone. */
void title_set(const char *title);

#endif
