/* netns.h: the box's own network: a loopback and nothing else. */
#ifndef PINFOLD_LINUX_NETNS_H
#define PINFOLD_LINUX_NETNS_H

/* Leave the caller's network namespace for a new one with nothing in it. -1 with errno set. */
int netns_make(void) __attribute__((warn_unused_result));
/* Bring up lo in the caller's network namespace. -1 with errno set. */
int netns_loopback(void) __attribute__((warn_unused_result));

#endif
