/* seccomp_install.c (touching: seccomp). */
#include "linux/seccomp.h"
#include "linux/sys.h"

int seccomp_install(const struct seccomp_program *program) {
    struct sock_fprog kernel = {.len = program->count, .filter = (struct sock_filter *)program->code};
    return sys_seccomp_filter(&kernel);
}
