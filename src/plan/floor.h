/* floor.h: what no box shows, whatever root it lies in: files by which one becomes somebody, here or elsewhere. Pure
 * data. A line is a file or a folder with all below it, and stands for its name: also while nothing is there. */
#ifndef PINFOLD_PLAN_FLOOR_H
#define PINFOLD_PLAN_FLOOR_H

/* Absolute, below /etc. Only those that the box could read are of interest: the modes of the others hold them. */
extern const char *const floor_system[];

/* Below each home of the caller, the one that HOME names and the account's: names in a folder of it; "" is the home. */
struct floor_folder {
    const char *path;
    const char *const *names;
};
extern const struct floor_folder floor_home[];

#endif
