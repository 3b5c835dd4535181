/* Unit tests of supervise/relay: bytes arrive whole, whoever is slow, and nothing of the caller's is changed. */
#include "relay_lab.h"

#include <sys/signalfd.h>
#include <time.h>

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void copies_out(enum relay_kind kind, enum lab_mode mode, size_t size) {
    int box[2], host[2], copy = -1;
    struct lab lab;
    lab_pipe(box);
    if (kind == RELAY_FILE) {
        host[1] = lab_file();
        copy = dup(host[1]);
    } else {
        lab_host_pair(kind, host);
    }
    struct relay_stream streams[] = {lab_out(kind, box[0], host[1])};
    lab_start(&lab, streams, 1, mode, -1);
    pid_t command = lab_feed(box[1], size, 50000);
    if (kind == RELAY_FILE) {
        lab_end(&lab);
        assert_int_equal(lseek(copy, 0, SEEK_SET), 0);
        lab_expect(copy, size, 0);
        lab_expect_end(copy);
        close(copy);
    } else {
        lab_expect(host[0], size, 0);
        if (kind != RELAY_TTY)
            lab_expect_end(host[0]);
        close(host[0]);
        lab_end(&lab);
    }
    lab_fed(command, 0);
    assert_int_equal(lab.report.stream[0].seen, size);
    assert_int_equal(lab.report.stream[0].dropped, 0);
}

static void copies_in(enum relay_kind kind, enum lab_mode mode, size_t size) {
    int box[2], host[2] = {-1, -1};
    pid_t caller = 0;
    struct lab lab;
    lab_pipe(box);
    if (kind == RELAY_FILE) {
        host[0] = lab_file();
        caller = lab_feed(dup(host[0]), size, 50000);
        lab_fed(caller, 0);
        assert_int_equal(lseek(host[0], 0, SEEK_SET), 0);
    } else {
        lab_host_pair(kind, host);
    }
    struct relay_stream streams[] = {lab_in(kind, host[0], box[1])};
    lab_start(&lab, streams, 1, mode, -1);
    if (kind != RELAY_FILE)
        caller = lab_feed(host[1], size, 50000);
    lab_expect(box[0], size, 0);
    lab_expect_end(box[0]);
    close(box[0]);
    lab_end(&lab);
    if (kind != RELAY_FILE)
        lab_fed(caller, 0);
    assert_int_equal(lab.report.stream[0].seen, size);
}

static void every_kind_is_copied_whole_in_both_directions(void **state) {
    (void)state;
    copies_out(RELAY_PIPE, LAB_PLAIN, 64 * MIB);
    copies_out(RELAY_PIPE, LAB_BLOCKING, 64 * MIB);
    copies_out(RELAY_FILE, LAB_PLAIN, 64 * MIB);
    copies_out(RELAY_SOCKET, LAB_PLAIN, 64 * MIB);
    copies_out(RELAY_TTY, LAB_PLAIN, 4 * MIB);
    copies_out(RELAY_TTY, LAB_BLOCKING, 4 * MIB);
    copies_in(RELAY_PIPE, LAB_PLAIN, 64 * MIB);
    copies_in(RELAY_PIPE, LAB_BLOCKING, 64 * MIB);
    copies_in(RELAY_FILE, LAB_PLAIN, 64 * MIB);
    copies_in(RELAY_SOCKET, LAB_PLAIN, 64 * MIB);
}

static void memory_does_not_grow(void **state) {
    (void)state;
    long rss[2];
    for (int big = 0; big < 2; big++) {
        int box[2], host[2];
        struct lab lab;
        lab_pipe(box);
        lab_pipe(host);
        struct relay_stream streams[] = {lab_out(RELAY_PIPE, box[0], host[1])};
        streams[0].limit = 100000;
        lab_start(&lab, streams, 1, LAB_PLAIN, -1);
        pid_t command = lab_feed(box[1], big ? 128 * MIB : MIB, LAB_PIECE_MAX);
        lab_expect(host[0], 50000, 0);
        for (char bytes[4096]; read(host[0], bytes, sizeof bytes) > 0;)
            ;
        close(host[0]);
        lab_fed(command, 0);
        lab_end(&lab);
        assert_int_equal(lab.report.stream[0].dropped, (big ? 128 * MIB : MIB) - 100000);
        rss[big] = lab.usage.ru_maxrss;
    }
    assert_true(rss[1] - rss[0] < 1024);
}

/* Nobody reads stdout; stderr and stdin flow all the same. Then stdout is read and is whole. */
static void slow_stream_beside_others(enum relay_kind kind, enum lab_mode mode) {
    int out[2], err[2], in[2], host_out[2], host_err[2], host_in[2];
    struct lab lab;
    lab_pipe(out);
    lab_pipe(err);
    lab_pipe(in);
    lab_host_pair(kind, host_out);
    lab_pipe(host_err);
    lab_pipe(host_in);
    struct relay_stream streams[] = {lab_in(RELAY_PIPE, host_in[0], in[1]), lab_out(kind, out[0], host_out[1]),
                                     lab_out(RELAY_PIPE, err[0], host_err[1])};
    lab_start(&lab, streams, 3, mode, -1);
    pid_t command_out = lab_feed(out[1], 3 * MIB, 50000);
    pause_ms(50);
    pid_t command_err = lab_feed(err[1], 2 * MIB, 50000);
    pid_t caller = lab_feed(host_in[1], 2 * MIB, 50000);
    lab_expect(host_err[0], 2 * MIB, 0);
    lab_expect(in[0], 2 * MIB, 0);
    lab_expect(host_out[0], 3 * MIB, 0);
    lab_end(&lab);
    lab_fed(command_out, 0);
    lab_fed(command_err, 0);
    lab_fed(caller, 0);
    close(host_out[0]);
    close(host_err[0]);
    close(in[0]);
}

static void slow_reader_does_not_starve_other_streams(void **state) {
    (void)state;
    slow_stream_beside_others(RELAY_PIPE, LAB_PLAIN);
    slow_stream_beside_others(RELAY_PIPE, LAB_BLOCKING);
    slow_stream_beside_others(RELAY_SOCKET, LAB_PLAIN);
    slow_stream_beside_others(RELAY_TTY, LAB_PLAIN);
}

/* Standard input that the command does not read must not hold back its output. */
static void unread_input_does_not_starve_output(void **state) {
    (void)state;
    int out[2], in[2], host_out[2], host_in[2];
    struct lab lab;
    lab_pipe(out);
    lab_pipe(in);
    lab_pipe(host_out);
    lab_pipe(host_in);
    struct relay_stream streams[] = {lab_in(RELAY_PIPE, host_in[0], in[1]), lab_out(RELAY_PIPE, out[0], host_out[1])};
    lab_start(&lab, streams, 2, LAB_PLAIN, -1);
    pid_t caller = lab_feed(host_in[1], MIB, 50000);
    pause_ms(50);
    pid_t command = lab_feed(out[1], 2 * MIB, 50000);
    lab_expect(host_out[0], 2 * MIB, 0);
    lab_fed(command, 0);
    close(in[0]);
    lab_fed(caller, EPIPE);
    lab_end(&lab);
    close(host_out[0]);
}

static void both_directions_of_a_pty(void **state) {
    (void)state;
    for (enum lab_mode mode = LAB_PLAIN; mode <= LAB_BLOCKING; mode++) {
        int host[2], box[2];
        struct lab lab;
        lab_pty(host);
        lab_pty(box);
        struct relay_stream streams[] = {lab_in(RELAY_TTY, host[1], box[0]), lab_out(RELAY_TTY, box[0], host[1])};
        lab_start(&lab, streams, 2, mode, -1);
        pid_t user = lab_feed(dup(host[0]), 200000, 1000);
        lab_expect(box[1], 200000, 0);
        lab_fed(user, 0);
        pid_t command = lab_feed(box[1], 2 * MIB, 1000);
        lab_expect(host[0], 2 * MIB, 0);
        lab_fed(command, 0);
        lab_end(&lab); /* the last user of the box's terminal has left */
        assert_int_equal(lab.report.stream[0].seen, 200000);
        assert_int_equal(lab.report.stream[1].seen, 2 * MIB);
        close(host[0]);
    }
}

static void window_size_follows_the_callers_terminal(void **state) {
    (void)state;
    int host[2], box[2];
    struct lab lab;
    struct winsize size = {.ws_row = 33, .ws_col = 77};
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGWINCH);
    sigprocmask(SIG_BLOCK, &signals, &before);
    lab_pty(host);
    lab_pty(box);
    int window = signalfd(-1, &signals, 0);
    struct relay_stream streams[] = {lab_in(RELAY_TTY, host[1], box[0]), lab_out(RELAY_TTY, box[0], host[1])};
    lab_start(&lab, streams, 2, LAB_PLAIN, window);
    close(window);
    for (int round = 0; round < 3; round++) {
        size.ws_col++;
        assert_int_equal(ioctl(host[0], TIOCSWINSZ, &size), 0);
        assert_int_equal(kill(lab.pid, SIGWINCH), 0);
        struct winsize seen = {0};
        for (int tries = 0; tries < 500 && seen.ws_col != size.ws_col; tries++) {
            pause_ms(10);
            assert_int_equal(ioctl(box[1], TIOCGWINSZ, &seen), 0);
        }
        assert_memory_equal(&seen, &size, sizeof size);
    }
    lab_finish(&lab);
    lab_end(&lab);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(host[0]);
    close(box[1]);
}

static void appended_file_keeps_what_others_write(void **state) {
    (void)state;
    char path[] = "/tmp/relay-append-XXXXXX";
    int other = mkstemp(path), box[2];
    assert_true(other >= 0);
    int host = open(path, O_WRONLY | O_APPEND);
    unlink(path);
    struct lab lab;
    lab_pipe(box);
    struct relay_stream streams[] = {lab_out(RELAY_FILE, box[0], host)};
    assert_int_equal(write(other, "before\n", 7), 7);
    lab_start(&lab, streams, 1, LAB_PLAIN, -1);
    pid_t command = lab_feed(box[1], MIB, 50000);
    lab_fed(command, 0);
    lab_end(&lab);
    assert_int_equal(lseek(other, 0, SEEK_SET), 0);
    char line[7];
    assert_int_equal(read(other, line, 7), 7);
    assert_memory_equal(line, "before\n", 7);
    lab_expect(other, MIB, 0);
    lab_expect_end(other);
    close(other);
}

static void flags_of_the_callers_descriptors_stay(void **state) {
    (void)state;
    for (enum relay_kind kind = RELAY_PIPE; kind <= RELAY_TTY; kind++) {
        int out[2], in[2], host_out[2], host_in[2];
        struct lab lab;
        if (kind == RELAY_FILE)
            continue;
        lab_pipe(out);
        lab_pipe(in);
        lab_host_pair(kind, host_out);
        lab_pipe(host_in);
        int mine[2] = {dup(host_out[1]), dup(host_in[0])};
        struct relay_stream streams[] = {lab_in(RELAY_PIPE, host_in[0], in[1]), lab_out(kind, out[0], host_out[1])};
        lab_start(&lab, streams, 2, LAB_PLAIN, -1);
        assert_int_equal(write(host_in[1], "x", 1), 1);
        assert_int_equal(write(out[1], "y", 1), 1);
        char byte;
        assert_int_equal(read(in[0], &byte, 1), 1);
        assert_int_equal(read(host_out[0], &byte, 1), 1);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(fcntl(mine[i], F_GETFL) & (O_NONBLOCK | O_APPEND | O_ASYNC), 0);
            close(mine[i]);
        }
        lab_finish(&lab);
        lab_end(&lab);
        int all[] = {out[1], in[0], host_out[0], host_in[1]};
        for (size_t i = 0; i < 4; i++)
            close(all[i]);
    }
}

/* Everything that can be waited for, in one relay: no reader, no writer, full pipes, an unread file. */
static void waiting_costs_no_time(void **state) {
    (void)state;
    for (enum lab_mode mode = LAB_PLAIN; mode <= LAB_BLOCKING; mode++) {
        int box[8][2], host[8][2], pty[2];
        struct lab lab;
        for (int i = 0; i < 8; i++) {
            lab_pipe(box[i]);
            if (i < 6)
                lab_host_pair(i < 4 ? RELAY_PIPE : RELAY_SOCKET, host[i]);
        }
        lab_pty(host[6]);
        lab_pty(pty);
        host[7][0] = lab_file();
        assert_int_equal(ftruncate(host[7][0], MIB), 0);
        int ended = lab_file();
        struct relay_stream streams[] = {
            lab_in(RELAY_PIPE, host[0][0], box[0][1]),    lab_in(RELAY_PIPE, host[1][0], box[1][1]),
            lab_out(RELAY_PIPE, box[2][0], host[2][1]),   lab_out(RELAY_PIPE, box[3][0], host[3][1]),
            lab_out(RELAY_SOCKET, box[4][0], host[4][1]), lab_in(RELAY_SOCKET, host[5][0], box[5][1]),
            lab_in(RELAY_TTY, host[6][1], pty[0]),        lab_out(RELAY_TTY, pty[0], host[6][1]),
            lab_in(RELAY_FILE, host[7][0], box[7][1]),    lab_in(RELAY_FILE, ended, box[6][1]),
        };
        streams[9].unread = dup(box[6][0]);
        lab_start(&lab, streams, 10, mode, -1);
        pid_t feeders[] = {lab_feed(dup(host[1][1]), MIB, 50000), lab_feed(dup(box[3][1]), MIB, 50000),
                           lab_feed(dup(box[4][1]), MIB, 50000), lab_feed(dup(host[5][1]), MIB, 50000),
                           lab_feed(dup(pty[1]), MIB, 50000)};
        pause_ms(700);
        for (size_t i = 0; i < 5; i++) {
            kill(feeders[i], SIGKILL);
            waitpid(feeders[i], NULL, 0);
        }
        close(lab.link);
        int status;
        assert_int_equal(wait4(lab.pid, &status, 0, &lab.usage), lab.pid);
        assert_int_equal(WEXITSTATUS(status), EPIPE);
        long used = lab.usage.ru_utime.tv_usec + lab.usage.ru_stime.tv_usec;
        assert_int_equal(lab.usage.ru_utime.tv_sec + lab.usage.ru_stime.tv_sec, 0);
        assert_true(used < 100000);
        assert_true(lab.usage.ru_nvcsw < 1000);
        for (int fd = 3; fd < LAB_DESCRIPTORS; fd++)
            close(fd);
    }
}

int main(void) {
    alarm(240);
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_copied_whole_in_both_directions),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(slow_reader_does_not_starve_other_streams),
        cmocka_unit_test(unread_input_does_not_starve_output),
        cmocka_unit_test(both_directions_of_a_pty),
        cmocka_unit_test(window_size_follows_the_callers_terminal),
        cmocka_unit_test(appended_file_keeps_what_others_write),
        cmocka_unit_test(flags_of_the_callers_descriptors_stay),
        cmocka_unit_test(waiting_costs_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
