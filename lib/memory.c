/* memory.c (touching: memfd): what travels between the library and pinfold without a name. */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *bytes, size_t size) {
    while (size) {
        ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return -1;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

int pinfold_memory_make(const void *bytes, size_t size, struct pinfold_error *err) {
    int fd = pinfold_above(memfd_create("pinfold", MFD_CLOEXEC | (bytes ? MFD_ALLOW_SEALING : 0)));
    if (fd >= 0 && bytes &&
        (write_all(fd, bytes, size) || lseek(fd, 0, SEEK_SET) ||
         fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)))
        pinfold_shut(&fd);
    return fd >= 0 ? fd : pinfold_fail_system(err, "make an anonymous file", errno);
}

char *pinfold_memory_read(int fd, size_t *size) {
    struct stat status;
    if (fstat(fd, &status))
        return NULL;
    size_t room = (size_t)status.st_size, count = 0;
    char *text = malloc(room + 1);
    while (text && count < room) {
        ssize_t got = pread(fd, text + count, room - count, (off_t)count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            int saved = got ? errno : EIO;
            free(text);
            errno = saved;
            return NULL;
        }
        count += (size_t)got;
    }
    if (text)
        text[count] = '\0';
    if (size)
        *size = count;
    return text;
}
