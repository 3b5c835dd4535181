/* Unit tests of settle/listings: what was kept is known again, and only while the folder has the same time; a file that
 * is damaged in any byte tells nothing. */
#include "settle/listings.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/digest.h"

enum { FOLDERS = 200 };

static char state[64], file[PATH_MAX];
static const char root[] = "/"; /* is always there */

static int make(void **unused) {
    (void)unused;
    char hex[65];
    umask(022);
    strcpy(state, "/var/tmp/pinfold-listings-XXXXXX");
    digest_sha256(root, strlen(root), hex);
    if (!mkdtemp(state))
        return -1;
    snprintf(file, sizeof file, "%s/listings/%s", state, hex);
    return 0;
}

static int gone(const char *path, const struct stat *status, int type, struct FTW *ftw) {
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

static int clean(void **unused) {
    (void)unused;
    return nftw(state, gone, 8, FTW_DEPTH | FTW_PHYS);
}

static struct stat folder(unsigned number) {
    struct stat status = {.st_dev = 7, .st_ino = 1000 + number * 64U, .st_mode = S_IFDIR | 0755};
    status.st_ctim = (struct timespec){1700000000 + number, 1 + number};
    return status;
}

/* As a scan makes them: the first half has a folder in it. */
static void keep(void) {
    struct listings listings;
    listings_read(&listings, state, root);
    for (unsigned i = 0; i < FOLDERS; i++) {
        struct stat status = folder(i);
        listings_note(&listings, &status, "\0sub", i < FOLDERS / 2 ? 4 : 0);
    }
    listings_write(&listings);
    listings_free(&listings);
}

static const char *find(const struct stat *status, size_t *size) {
    static char names[64];
    struct listings listings;
    listings_read(&listings, state, root);
    const char *found = listings_find(&listings, status, size);
    if (found)
        memcpy(names, found, *size);
    listings_free(&listings);
    return found ? names : NULL;
}

static void round_trip(void **unused) {
    (void)unused;
    size_t size;
    struct stat status = folder(0);
    assert_null(find(&status, &size));
    keep();
    for (unsigned i = 0; i < FOLDERS; i++) {
        status = folder(i);
        const char *names = find(&status, &size);
        assert_non_null(names);
        assert_true(i < FOLDERS / 2 ? size == 4 && !memcmp(names, "\0sub", 4) : size == 0);
    }
}

static void another_folder(void **unused) {
    (void)unused;
    size_t size;
    keep();
    for (int part = 0; part < 4; part++) {
        struct stat status = folder(3);
        status.st_dev += part == 0;
        status.st_ino += part == 1;
        status.st_ctim.tv_sec += part == 2;
        status.st_ctim.tv_nsec += part == 3;
        assert_null(find(&status, &size));
    }
}

/* What may still change within the same time, or on a file system of whole seconds, is not kept. */
static void too_new(void **unused) {
    (void)unused;
    struct listings listings;
    struct timespec now;
    size_t size;
    clock_gettime(CLOCK_REALTIME, &now);
    listings_read(&listings, state, "/usr");
    for (unsigned i = 0; i < FOLDERS; i++) {
        struct stat status = folder(i);
        status.st_ctim = (struct timespec){now.tv_sec - 1 + 10 * (i & 1), 1};
        if (i & 2)
            status.st_ctim = (struct timespec){1700000000, 0};
        listings_note(&listings, &status, NULL, 0);
    }
    assert_int_equal(listings.found.size, 0);
    listings_write(&listings);
    listings_free(&listings);
    listings_read(&listings, state, "/usr");
    assert_int_equal(listings.count, 0);
    struct stat status = folder(2);
    assert_null(listings_find(&listings, &status, &size));
    listings_free(&listings);
}

/* Only where that is worth it, and what is gone goes. */
static void tidies(void **unused) {
    (void)unused;
    struct listings listings;
    struct stat status = folder(1);
    keep();
    listings_read(&listings, state, "/tmp");
    listings_note(&listings, &status, NULL, 0);
    listings_write(&listings);
    listings_free(&listings);
    listings_read(&listings, state, "/tmp");
    assert_int_equal(listings.count, 0);
    listings_free(&listings);
    for (int i = 0; i < 2; i++) {
        listings_read(&listings, state, i ? "/tmp" : "/never/was");
        for (unsigned k = 0; k < FOLDERS; k++) {
            status = folder(k);
            listings_note(&listings, &status, NULL, 0);
        }
        listings_write(&listings);
        listings_free(&listings);
    }
    listings_read(&listings, state, "/never/was");
    assert_int_equal(listings.count, 0);
    listings_free(&listings);
    assert_int_equal(access(file, F_OK), 0);
}

static void overwrite(long at, const void *bytes, size_t size) {
    FILE *stream = fopen(file, "r+");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void damaged(void **unused) {
    (void)unused;
    size_t size, cases = 0;
    struct stat status = folder(0), of;
    keep();
    assert_int_equal(stat(file, &of), 0);
    FILE *stream = fopen(file, "r");
    char *good = malloc((size_t)of.st_size);
    assert_true(stream && good && fread(good, 1, (size_t)of.st_size, stream) == (size_t)of.st_size);
    assert_int_equal(fclose(stream), 0);
    for (long at = 0; at < of.st_size; at += at < 64 ? 1 : 61, cases++) {
        char other = (char)(good[at] ^ (1 << (at % 8)));
        overwrite(at, &other, 1);
        assert_null(find(&status, &size));
        overwrite(at, good + at, 1);
    }
    assert_non_null(find(&status, &size));
    for (off_t length = 0; length < of.st_size; length += 97, cases++) {
        assert_int_equal(truncate(file, length), 0);
        assert_null(find(&status, &size));
        assert_int_equal(truncate(file, of.st_size), 0); /* zeros, as after a crash */
        assert_null(find(&status, &size));
        overwrite(0, good, (size_t)of.st_size);
    }
    free(good);
    printf("# %zu cases\n", cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(round_trip, make, clean),
                                       cmocka_unit_test_setup_teardown(another_folder, make, clean),
                                       cmocka_unit_test_setup_teardown(too_new, make, clean),
                                       cmocka_unit_test_setup_teardown(tidies, make, clean),
                                       cmocka_unit_test_setup_teardown(damaged, make, clean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
