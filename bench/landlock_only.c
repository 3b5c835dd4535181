/* landlock_only.c: a command behind Landlock and nothing else: landlock_only RIGHTS:PATH... -- COMMAND. What a box's
 * file calls are compared with, since that much every launcher with Landlock pays. */
#include "linux/confine.h"
#include "linux/landlock.h"
#include "rules.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct plan plan = {0};
    char **command = rules_take(argv + (argc > 0), &plan);
    if (!confine_no_new_privs() && !landlock_apply(&plan))
        execvp(command[0], command);
    perror("landlock_only");
    return 1;
}
