/* Unit tests of supervise/relay: how streams end, what is given back, and what a limit leaves. */
#include "relay_lab.h"

#include <stdio.h>

/* Wait until what `fd` was told to wait for, an error or a hang-up is there. */
static short wait_for(int fd, short events) {
    struct pollfd at = {.fd = fd, .events = events};
    assert_int_equal(poll(&at, 1, 10000), 1);
    return at.revents;
}

static void host_reader_leaves(enum relay_kind kind, enum lab_mode mode, size_t size) {
    int box[2], host[2];
    struct lab lab;
    lab_pipe(box);
    lab_host_pair(kind, host);
    struct relay_stream streams[] = {lab_out(kind, box[0], host[1])};
    lab_start(&lab, streams, 1, mode, -1);
    int idle = dup(box[1]);
    pid_t command = lab_feed(box[1], size, 50000);
    if (size)
        lab_expect(host[0], 100000, 0);
    close(host[0]);
    assert_true(wait_for(idle, 0) & POLLERR);
    lab_fed(command, size ? EPIPE : 0);
    lab_end(&lab);
    close(idle);
}

static void command_sees_that_the_callers_reader_left(void **state) {
    (void)state;
    for (size_t size = 0; size <= 8 * MIB; size += 8 * MIB) {
        host_reader_leaves(RELAY_PIPE, LAB_PLAIN, size);
        host_reader_leaves(RELAY_PIPE, LAB_BLOCKING, size);
        host_reader_leaves(RELAY_SOCKET, LAB_PLAIN, size);
    }
}

static void caller_sees_that_the_command_closed_its_input(void **state) {
    (void)state;
    for (enum lab_mode mode = LAB_PLAIN; mode <= LAB_BLOCKING; mode++) {
        int box[2], host[2];
        struct lab lab;
        lab_pipe(box);
        lab_pipe(host);
        struct relay_stream streams[] = {lab_in(RELAY_PIPE, host[0], box[1])};
        lab_start(&lab, streams, 1, mode, -1);
        close(box[0]);
        assert_true(wait_for(host[1], 0) & POLLERR);
        lab_end(&lab);
        close(host[1]);
    }
}

static void full_disk_closes_the_commands_output(void **state) {
    (void)state;
    int box[2], host = open("/dev/full", O_WRONLY);
    struct lab lab;
    lab_pipe(box);
    struct relay_stream streams[] = {lab_out(RELAY_FILE, box[0], host)};
    lab_start(&lab, streams, 1, LAB_PLAIN, -1);
    lab_fed(lab_feed(box[1], MIB, 50000), EPIPE);
    lab_end(&lab);
}

/* A pipe, or a FIFO with a name: re-opened without writers, that one never polls as hung up. */
static void host_fifo(bool named, int ends[2]) {
    char path[] = "/tmp/relay-fifo-XXXXXX", name[64];
    if (named) {
        assert_non_null(mkdtemp(path));
        snprintf(name, sizeof name, "%s/fifo", path);
        assert_int_equal(mkfifo(name, 0600), 0);
        int first = open(name, O_RDWR);
        ends[0] = open(name, O_RDONLY);
        ends[1] = open(name, O_WRONLY);
        assert_true(first >= 0 && ends[0] >= 0 && ends[1] >= 0);
        close(first);
        unlink(name);
        rmdir(path);
    } else {
        lab_pipe(ends);
    }
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, MIB) > 0);
}

static void input_that_ended_before(size_t size, bool named, enum lab_mode mode) {
    int box[2], host[2];
    struct lab lab;
    lab_pipe(box);
    assert_true(fcntl(box[1], F_SETPIPE_SZ, MIB) > 0);
    host_fifo(named, host);
    lab_fed(lab_feed(host[1], size, LAB_PIECE_MAX), 0);
    struct relay_stream streams[] = {lab_in(RELAY_PIPE, host[0], box[1])};
    lab_start(&lab, streams, 1, mode, -1);
    lab_end(&lab);
    lab_expect(box[0], size, 0);
    lab_expect_end(box[0]);
    close(box[0]);
}

static void end_of_file_that_was_there_before_reaches_the_command(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 65536, MIB - 1, MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (enum lab_mode mode = LAB_PLAIN; mode <= LAB_BLOCKING; mode++) {
            input_that_ended_before(sizes[i], false, mode);
            input_that_ended_before(sizes[i], true, mode);
        }
}

/* A command that reads `taken` of `size` bytes, from `start` on; the caller finds the next byte at its descriptor. */
static void give_back(size_t size, size_t start, size_t taken, bool count_after_end) {
    int box[2], host = lab_file();
    struct lab lab;
    lab_pipe(box);
    lab_fed(lab_feed(dup(host), size, LAB_PIECE_MAX), 0);
    assert_int_equal(lseek(host, (off_t)start, SEEK_SET), start);
    int mine = dup(host);
    struct relay_stream streams[] = {lab_in(RELAY_FILE, host, box[1])};
    if (count_after_end)
        streams[0].unread = dup(box[0]);
    lab_start(&lab, streams, 1, LAB_PLAIN, -1);
    lab_expect(box[0], taken, start);
    if (start + taken == size && count_after_end)
        lab_expect_end(box[0]);
    if (count_after_end)
        lab_finish(&lab);
    else
        close(box[0]); /* nobody reads: the relay ends by itself */
    lab_end(&lab);
    if (count_after_end)
        close(box[0]);
    assert_int_equal(lseek(mine, 0, SEEK_CUR), start + taken);
    close(mine);
}

static void unread_input_is_given_back(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 1000, 4096, 65535, 65536, 65537, 131071, 131072, 131073, MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t takes[] = {0, 1, 17, 4096, 65536, 65537, 131072, sizes[i] / 2, sizes[i]};
        for (size_t j = 0; j < sizeof takes / sizeof *takes; j++) {
            for (size_t start = 0; start < 200; start += 133)
                if (start + takes[j] <= sizes[i])
                    give_back(sizes[i], start, takes[j], true);
            if (takes[j] + 140000 < sizes[i])
                give_back(sizes[i], 0, takes[j], false);
        }
    }
}

static void all_output_is_written_before_the_end(enum relay_kind kind) {
    int box[2], host[2];
    struct lab lab;
    lab_pipe(box);
    lab_host_pair(kind, host);
    struct relay_stream streams[] = {lab_out(kind, box[0], host[1])};
    lab_start(&lab, streams, 1, LAB_PLAIN, -1);
    /* The caller does not read yet; its pipe, the buffer and the box's pipe are full. */
    assert_int_equal(fcntl(box[1], F_SETFL, O_NONBLOCK), 0);
    static char bytes[1000];
    size_t size = 0;
    while (wait_for(box[1], POLLOUT) && size < 120000) {
        lab_pattern(bytes, sizeof bytes, size);
        ssize_t wrote = write(box[1], bytes, sizeof bytes);
        size += wrote > 0 ? (size_t)wrote : 0;
    }
    lab_finish(&lab);
    struct pollfd report = {.fd = lab.link, .events = POLLIN};
    if (kind == RELAY_PIPE)
        assert_int_equal(poll(&report, 1, 50), 0);
    lab_expect(host[0], size, 0);
    lab_end(&lab); /* although a write end is still held, here */
    assert_int_equal(lab.report.stream[0].seen, size);
    close(host[0]);
    close(box[1]);
}

static void the_end_waits_for_a_slow_reader(void **state) {
    (void)state;
    all_output_is_written_before_the_end(RELAY_PIPE);
    all_output_is_written_before_the_end(RELAY_SOCKET);
}

static void a_writer_outside_the_box_does_not_keep_the_relay(void **state) {
    (void)state;
    int box[2], host = open("/dev/null", O_WRONLY);
    struct lab lab;
    lab_pipe(box);
    struct relay_stream streams[] = {lab_out(RELAY_FILE, box[0], host)};
    lab_start(&lab, streams, 1, LAB_PLAIN, -1);
    pid_t writer = lab_feed(box[1], (size_t)1 << 40, 50000);
    lab_finish(&lab);
    lab_end(&lab);
    lab_fed(writer, EPIPE);
}

static void a_held_terminal_is_read_to_its_end(void **state) {
    (void)state;
    for (size_t size = 0; size < 4000; size += 1300) {
        int host[2], box[2];
        struct lab lab;
        lab_pty(host);
        lab_pty(box);
        int held = dup(box[1]);
        struct relay_stream streams[] = {lab_in(RELAY_TTY, host[1], box[0]), lab_out(RELAY_TTY, box[0], host[1])};
        lab_start(&lab, streams, 2, LAB_PLAIN, -1);
        lab_fed(lab_feed(box[1], size, 500), 0);
        lab_finish(&lab);
        lab_end(&lab);
        lab_expect(host[0], size, 0);
        close(host[0]);
        close(held);
    }
}

static void the_relay_goes_with_its_supervisor(void **state) {
    (void)state;
    int out[2], host_out[2];
    struct lab lab;
    lab_pipe(out);
    lab_pipe(host_out);
    struct relay_stream streams[] = {lab_out(RELAY_PIPE, out[0], host_out[1])};
    lab_start(&lab, streams, 1, LAB_PLAIN, -1);
    assert_int_equal(shutdown(lab.link, SHUT_RDWR), 0);
    assert_int_equal(lab_wait(&lab), EPIPE);
    close(out[1]);
    close(host_out[0]);
}

static void no_streams_is_over_at_once(void **state) {
    (void)state;
    struct lab lab;
    struct relay_stream none = {0};
    lab_start(&lab, &none, 0, LAB_PLAIN, -1);
    lab_end(&lab);
    struct relay_stream many[RELAY_STREAMS + 1] = {0};
    errno = 0;
    assert_null(relay_open(many, RELAY_STREAMS + 1));
    assert_int_equal(errno, EINVAL);
}

static void expect_limited(int fd, size_t size, size_t limit) {
    size_t head = limit / 2, tail = limit - head;
    if (size <= limit) {
        lab_expect(fd, size, 0);
    } else {
        char wanted[64], got[64];
        int length = snprintf(wanted, sizeof wanted, "\n[pinfold: %zu bytes left out]\n", size - limit);
        lab_expect(fd, head, 0);
        for (int i = 0; i < length; i++)
            assert_int_equal(read(fd, got + i, 1), 1);
        assert_memory_equal(got, wanted, (size_t)length);
        lab_expect(fd, tail, size - tail);
    }
    lab_expect_end(fd);
}

static void a_limit_leaves_head_and_tail(void **state) {
    (void)state;
    static const size_t limits[] = {1, 2, 3, 4096, 65536, 131072, 131073, 500001};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t limit = limits[i];
        const size_t sizes[] = {0, limit / 2, limit - 1, limit, limit + 1, 3 * limit / 2, 2 * limit, 7 * limit + 5};
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            int box[2], host[2];
            struct lab lab;
            lab_pipe(box);
            lab_host_pair(j % 2 ? RELAY_PIPE : RELAY_SOCKET, host);
            struct relay_stream streams[] = {lab_out(j % 2 ? RELAY_PIPE : RELAY_SOCKET, box[0], host[1])};
            streams[0].limit = limit;
            lab_start(&lab, streams, 1, LAB_PLAIN, -1);
            pid_t command = lab_feed(box[1], sizes[j], 10000);
            expect_limited(host[0], sizes[j], limit);
            lab_fed(command, 0);
            lab_end(&lab);
            assert_int_equal(lab.report.stream[0].seen, sizes[j]);
            assert_int_equal(lab.report.stream[0].dropped, sizes[j] > limit ? sizes[j] - limit : 0);
            close(host[0]);
        }
    }
}

int main(void) {
    alarm(240);
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_sees_that_the_callers_reader_left),
        cmocka_unit_test(caller_sees_that_the_command_closed_its_input),
        cmocka_unit_test(full_disk_closes_the_commands_output),
        cmocka_unit_test(end_of_file_that_was_there_before_reaches_the_command),
        cmocka_unit_test(unread_input_is_given_back),
        cmocka_unit_test(the_end_waits_for_a_slow_reader),
        cmocka_unit_test(a_writer_outside_the_box_does_not_keep_the_relay),
        cmocka_unit_test(a_held_terminal_is_read_to_its_end),
        cmocka_unit_test(the_relay_goes_with_its_supervisor),
        cmocka_unit_test(no_streams_is_over_at_once),
        cmocka_unit_test(a_limit_leaves_head_and_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
