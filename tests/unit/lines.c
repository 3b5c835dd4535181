/* Unit tests of base/lines: every line whole, whatever the sizes of line, buffer and file. */
#include "base/lines.h"
#include "folder.h"

#include <sys/wait.h>

enum { ROOM = sizeof(((struct lines *)0)->buffer) - 1 }; /* the longest line with its newline */

static struct lines lines;

static void open_text(const char *text, size_t size) {
    int fd = open(folder_in("text"), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    close(fd);
    assert_int_equal(lines_open(&lines, folder_in("text")), 0);
}

static void end_is_reached(void) {
    assert_null(lines_next(&lines));
    assert_null(lines_next(&lines));
    assert_false(lines.failed);
    lines_close(&lines);
}

/* The file's lines are these, up to a NULL. */
static void holds(const char *text, const char *const *expected) {
    open_text(text, strlen(text));
    for (; *expected; expected++) {
        const char *line = lines_next(&lines);
        assert_non_null(line);
        assert_string_equal(line, *expected);
    }
    end_is_reached();
}
#define HOLDS(text, ...) holds(text, (const char *const[]){__VA_ARGS__, NULL})

static void ordinary_lines(void **state) {
    (void)state;
    HOLDS("one\ntwo\n\n three \n", "one", "two", "", " three ");
    HOLDS("\n\n", "", "");
}

static void an_empty_file_has_no_line(void **state) {
    (void)state;
    holds("", (const char *const[]){NULL});
}

static void the_last_line_needs_no_newline(void **state) {
    (void)state;
    HOLDS("one\ntwo", "one", "two");
    HOLDS("one", "one");
}

/* Text of `size` bytes of one letter; static, since it is large. */
static char *letters(char letter, size_t size) {
    static char text[2][4 * ROOM];
    static unsigned next;
    char *one = text[next++ % 2];
    memset(one, letter, size);
    one[size] = '\0';
    return one;
}

/* A first line of every size around that of the buffer, with and without a second one. */
static void lines_about_as_long_as_the_buffer(void **state) {
    (void)state;
    for (size_t size = ROOM - 3; size <= ROOM + 3; size++)
        for (int form = 0; form < 3; form++) { /* no newline; a newline; a second line */
            char *text = letters('a', size);
            strcat(text, form == 0 ? "" : form == 1 ? "\n" : "\nnext\n");
            open_text(text, strlen(text));
            if (size < ROOM) {
                const char *line = lines_next(&lines);
                assert_non_null(line);
                assert_int_equal(strlen(line), size);
                assert_int_equal(strspn(line, "a"), size);
            }
            if (form == 2)
                assert_string_equal(lines_next(&lines), "next");
            if (size != ROOM || form == 2) /* exactly ROOM: may be given or left out, but is never cut */
                end_is_reached();
            else
                lines_close(&lines);
        }
}

static void a_line_that_is_too_long_is_left_out_whole(void **state) {
    (void)state;
    static char text[8 * ROOM];
    for (size_t size = ROOM + 1; size < 3 * ROOM + 3; size += ROOM / 2 + 1) {
        snprintf(text, sizeof text, "before\n%s\nbetween\n%s\nafter", letters('a', size), letters('b', size));
        HOLDS(text, "before", "between", "after");
        snprintf(text, sizeof text, "before\n%s", letters('a', size));
        HOLDS(text, "before");
    }
}

/* Lines across every border of the buffer: each arrives whole and in order. */
static void many_lines_of_all_sizes(void **state) {
    (void)state;
    static char text[40 * ROOM];
    size_t used = 0, count = 0;
    for (; used < sizeof text - 2000; count++) {
        size_t size = count * 37 % 1500;
        memset(text + used, 'a' + (int)(count % 26), size);
        text[used + size] = '\n';
        used += size + 1;
    }
    open_text(text, used);
    for (size_t i = 0; i < count; i++) {
        char letter[] = {(char)('a' + (int)(i % 26)), '\0'};
        const char *line = lines_next(&lines);
        assert_non_null(line);
        assert_int_equal(strlen(line), i * 37 % 1500);
        assert_int_equal(strspn(line, letter), strlen(line));
    }
    end_is_reached();
}

static void a_pipe_that_gives_a_byte_at_a_time(void **state) {
    (void)state;
    static const char text[] = "one\ntwo\nthree";
    int ends[2];
    for (size_t step = 1; step < sizeof text - 1; step++) {
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (!child) {
            close(ends[0]);
            for (size_t at = 0; at < sizeof text - 1; at += step, usleep(200))
                if (write(ends[1], text + at, at + step < sizeof text ? step : sizeof text - 1 - at) < 0)
                    _exit(1);
            _exit(0);
        }
        close(ends[1]);
        lines = (struct lines){.fd = ends[0]};
        assert_string_equal(lines_next(&lines), "one");
        assert_string_equal(lines_next(&lines), "two");
        assert_string_equal(lines_next(&lines), "three");
        end_is_reached();
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
}

static void a_file_that_is_not_there(void **state) {
    (void)state;
    errno = 0;
    assert_int_equal(lines_open(&lines, folder_in("none")), -1);
    assert_int_equal(errno, ENOENT);
    lines_close(&lines); /* harmless */
}

static void a_read_that_fails_is_told(void **state) {
    (void)state;
    assert_int_equal(lines_open(&lines, folder_path), 0); /* a folder: EISDIR */
    assert_null(lines_next(&lines));
    assert_true(lines.failed);
    lines_close(&lines);
    assert_int_equal(lines.fd, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_lines),
        cmocka_unit_test(an_empty_file_has_no_line),
        cmocka_unit_test(the_last_line_needs_no_newline),
        cmocka_unit_test(lines_about_as_long_as_the_buffer),
        cmocka_unit_test(a_line_that_is_too_long_is_left_out_whole),
        cmocka_unit_test(many_lines_of_all_sizes),
        cmocka_unit_test(a_pipe_that_gives_a_byte_at_a_time),
        cmocka_unit_test(a_file_that_is_not_there),
        cmocka_unit_test(a_read_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
