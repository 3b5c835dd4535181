/* netns.c (touching: unshare, one ioctl). See netns.h. */
#include "linux/netns.h"

#include "base/fd.h"

#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int netns_make(void) {
    return unshare(CLONE_NEWNET);
}

int netns_loopback(void) {
    struct ifreq request = {.ifr_flags = IFF_UP | IFF_RUNNING};
    strcpy(request.ifr_name, "lo");
    autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &request);
}
