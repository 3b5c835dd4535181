/* confine.h: the inner half's parts that every confined process of pinfold takes: no rights to gain, none to use. */
#ifndef PINFOLD_LINUX_CONFINE_H
#define PINFOLD_LINUX_CONFINE_H

/* Empty all capability sets (effective, permitted, inheritable, ambient, bounding) and lock securebits. The bounding set
 * and the securebits can only be changed by one who has CAP_SETPCAP; without it they stay, and no_new_privs makes them
 * harmless. -1 with errno set. */
int confine_capabilities(void) __attribute__((warn_unused_result));

/* Are they all empty? Read back. */
int confine_capabilities_empty(int bounding_too) __attribute__((warn_unused_result));

int confine_no_new_privs(void) __attribute__((warn_unused_result));

/* Soft and hard limit of core files to 0. */
int confine_core(void) __attribute__((warn_unused_result));

#endif
