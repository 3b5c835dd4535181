/* title.c (touching: the process's own argument area). See title.h. */
#include "linux/title.h"

#include <string.h>
#include <sys/prctl.h>

static struct {
    char *start;
    size_t size;
} area;

void title_remember(int argc, char **argv) {
    if (argc > 0) {
        area.start = argv[0];
        area.size = (size_t)(argv[argc - 1] - argv[0]) + strlen(argv[argc - 1]) + 1;
    }
}

void title_name(void) {
    prctl(PR_SET_NAME, "pinfold", 0, 0, 0);
}

void title_set(const char *title) {
    size_t size = strlen(title);
    prctl(PR_SET_NAME, title, 0, 0, 0);
    if (!area.size)
        return;
    memset(area.start, 0, area.size);
    memcpy(area.start, title, size < area.size ? size : area.size - 1);
}
