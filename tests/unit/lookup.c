/* Unit tests of linux/lookup: canonical paths are opened, and no symlink is ever followed; with openat2 and, behind a
 * filter that hides it, without. */
#include "linux/lookup.h"
#include "folder.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int set_up(void **state) {
    if (folder_make(state))
        return -1;
    folder_dir("a");
    folder_dir("a/b");
    folder_file("a/b/f");
    folder_link("link", "a");
    folder_link("a/out", "/etc");
    folder_link("a/b/up", "..");
    return 0;
}

static int error_of(int folder, const char *path) {
    errno = 0;
    int fd = lookup_open(folder, path);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* The path opens to the same object as lstat sees, as an O_PATH descriptor that closes on exec. */
static int opens(const char *path) {
    struct stat seen, opened;
    int fd = lookup_open(AT_FDCWD, path);
    int bad = fd < 0 || lstat(path, &seen) || fstat(fd, &opened) || seen.st_ino != opened.st_ino ||
              seen.st_dev != opened.st_dev || !(fcntl(fd, F_GETFL) & O_PATH) || fcntl(fd, F_GETFD) != FD_CLOEXEC;
    if (fd >= 0)
        close(fd);
    return !bad;
}

/* All checks, for both ways of looking up; 0 or the line that failed. */
static int check_all(void) {
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return __LINE__;                                                                                           \
    } while (0)
    char deep[64];
    CHECK(opens("/"));
    CHECK(opens(folder_path));
    CHECK(opens(folder_in("a/b")));
    CHECK(opens(folder_in("a/b/f")));
    CHECK(error_of(AT_FDCWD, folder_in("none")) == ENOENT);
    CHECK(error_of(AT_FDCWD, folder_in("a/b/f/x")) == ENOTDIR);
    CHECK(error_of(AT_FDCWD, folder_in("link")) == ELOOP);
    static const char *const through[] = {"link/b", "a/out/passwd", "a/b/up/b", "link/"};
    for (size_t i = 0; i < 4; i++) {
        int error = error_of(AT_FDCWD, folder_in(through[i]));
        CHECK(error == ELOOP || error == ENOTDIR);
    }
    CHECK(error_of(AT_FDCWD, "/proc/self/root") != 0); /* magic links neither */
    CHECK(error_of(AT_FDCWD, "/proc/self/cwd") != 0);
    static char name[NAME_MAX + 2];
    memset(name, 'n', NAME_MAX + 1);
    CHECK(error_of(AT_FDCWD, folder_in(name)) == ENAMETOOLONG);
    /* below a folder: absolute paths start there, and nothing leads out */
    int root = open(folder_in("a"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(root >= 0);
    CHECK(error_of(root, "/b/f") == 0);
    CHECK(error_of(root, "b") == 0);
    CHECK(error_of(root, "/") == 0);
    CHECK(error_of(root, "") == 0);
    CHECK(error_of(root, "/etc") == ENOENT);
    CHECK(error_of(root, "..") != 0);
    CHECK(error_of(root, "b/../../link") != 0);
    int error = error_of(root, "out/passwd");
    CHECK(error == ELOOP || error == ENOTDIR || error == EXDEV);
    snprintf(deep, sizeof deep, "/proc/self/fd/%d", root);
    CHECK(error_of(AT_FDCWD, deep) != 0);
    close(root);
    /* the same object as before, or none */
    struct stat status;
    CHECK(!lstat(folder_in("a/b/f"), &status));
    int fd = lookup_open_same(folder_in("a/b/f"), status.st_dev, status.st_ino);
    CHECK(fd >= 0);
    close(fd);
    CHECK(lookup_open_same(folder_in("a/b/f"), status.st_dev, status.st_ino + 1) < 0 && errno == ESTALE);
    CHECK(lookup_open_same(folder_in("a/b/f"), status.st_dev + 1, status.st_ino) < 0 && errno == ESTALE);
    fd = lookup_open_same(folder_in("a/b/f"), 0, 0);
    CHECK(fd >= 0);
    close(fd);
    return 0;
}

static void links_are_never_followed(void **state) {
    (void)state;
    assert_int_equal(check_all(), 0);
}

static int hide_openat2(void) {
    struct sock_filter code[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    struct sock_fprog program = {4, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void neither_without_openat2(void **state) {
    (void)state;
    int pipes[2], line = -1, status;
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (!pid) {
        line = hide_openat2() ? -2 : check_all();
        _exit(write(pipes[1], &line, sizeof line) == sizeof line ? 0 : 1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &line, sizeof line), sizeof line);
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(line, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_never_followed),
        cmocka_unit_test(neither_without_openat2),
    };
    return cmocka_run_group_tests(tests, set_up, folder_remove);
}
