/* Unit tests of box/message: typed messages with descriptors; what is no message of ours is EPROTO, and leaks nothing.
 */
#include "box/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct scene {
    int end[2];
    struct message message;
    int descriptors[MESSAGE_DESCRIPTORS + 8];
    size_t count;
};

static struct scene scene;

static int set_up(void **state) {
    (void)state;
    scene = (struct scene){.count = MESSAGE_DESCRIPTORS};
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, scene.end);
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        if (scene.end[i] >= 0)
            close(scene.end[i]);
    return 0;
}

static int receive(void) {
    errno = 0;
    return message_receive(scene.end[1], &scene.message, scene.descriptors, &scene.count);
}

static size_t open_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void close_received(void) {
    for (size_t i = 0; i < scene.count; i++)
        close(scene.descriptors[i]);
}

static void a_message_arrives_as_it_was(void **state) {
    (void)state;
    struct message sent = {.version = 99, .type = MESSAGE_FAILED, .step = 7, .value = -3, .more = 1};
    memset(sent.detail, 'x', sizeof sent.detail); /* no NUL */
    assert_int_equal(message_send(scene.end[0], &sent, NULL, 0), 0);
    assert_int_equal(receive(), 1);
    assert_int_equal(scene.count, 0);
    assert_int_equal(scene.message.version, MESSAGE_VERSION);
    assert_int_equal(scene.message.type, MESSAGE_FAILED);
    assert_int_equal(scene.message.step, 7);
    assert_int_equal(scene.message.value, -3);
    assert_int_equal(scene.message.more, 1);
    assert_int_equal(strlen(scene.message.detail), sizeof sent.detail - 1);
}

static void end_of_file_and_closed_peer(void **state) {
    (void)state;
    const struct message message = {.type = MESSAGE_GO};
    close(scene.end[0]);
    scene.end[0] = -1;
    assert_int_equal(receive(), 0);
    assert_int_equal(scene.count, 0);
    assert_int_equal(message_send(scene.end[1], &message, NULL, 0), -1);
    assert_int_equal(errno, EPIPE);
    message_tell(scene.end[1], &message); /* nobody hears it: no signal, no end */
}

/* As when the command ends while a signal for it is on its way. */
static void the_last_word_of_a_peer_that_left_something_unread(void **state) {
    (void)state;
    struct message message = {.type = MESSAGE_SIGNAL};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(message_send(ends[0], &message, NULL, 0), 0);
    message = (struct message){.type = MESSAGE_ENDED, .value = 7};
    assert_int_equal(message_send(ends[1], &message, NULL, 0), 0);
    close(ends[1]);
    scene.count = 4;
    assert_int_equal(message_receive(ends[0], &message, scene.descriptors, &scene.count), 1);
    assert_true(message.type == MESSAGE_ENDED && message.value == 7);
    assert_int_equal(message_receive(ends[0], &message, scene.descriptors, &scene.count), 0);
    close(ends[0]);
}

static void descriptors_arrive_and_close_on_exec(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 17, MESSAGE_DESCRIPTORS};
    int many[MESSAGE_DESCRIPTORS];
    const struct message message = {.type = MESSAGE_GO};
    for (size_t i = 0; i < MESSAGE_DESCRIPTORS; i++)
        many[i] = scene.end[i % 2];
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        scene.count = MESSAGE_DESCRIPTORS;
        assert_int_equal(message_send(scene.end[0], &message, many, counts[c]), 0);
        assert_int_equal(receive(), 1);
        assert_int_equal(scene.count, counts[c]);
        for (size_t i = 0; i < scene.count; i++)
            assert_int_equal(fcntl(scene.descriptors[i], F_GETFD), FD_CLOEXEC);
        close_received();
    }
    assert_int_equal(message_send(scene.end[0], &message, many, MESSAGE_DESCRIPTORS + 1), -1);
    assert_int_equal(errno, E2BIG);
}

static void refused(void) {
    assert_int_equal(receive(), -1);
    assert_int_equal(errno, EPROTO);
}

static void another_version_is_refused(void **state) {
    (void)state;
    static const uint32_t versions[] = {0, MESSAGE_VERSION + 1, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        struct message message = {.version = versions[i], .type = MESSAGE_READY};
        assert_int_equal(send(scene.end[0], &message, sizeof message, 0), sizeof message);
        refused();
    }
}

static void another_size_is_refused(void **state) {
    (void)state;
    char bytes[2 * sizeof(struct message)] = {MESSAGE_VERSION};
    static const size_t sizes[] = {
        1, 4, 20, sizeof(struct message) - 1, sizeof(struct message) + 1, 2 * sizeof(struct message)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(send(scene.end[0], bytes, sizes[i], 0), (ssize_t)sizes[i]);
        refused();
    }
}

/* Descriptors of a message that is refused are closed, or handed over with their number in *count. */
static void check_no_leak(const struct message *message, size_t sent, size_t room) {
    int many[MESSAGE_DESCRIPTORS];
    size_t before = open_descriptors();
    for (size_t i = 0; i < sent; i++)
        many[i] = scene.end[0];
    struct iovec part = {(void *)(uintptr_t)message, sizeof *message};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof many)];
    } control = {.bytes = {0}};
    struct msghdr head = {.msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = CMSG_SPACE(sent * sizeof(int))};
    control.header =
        (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sent * sizeof(int))};
    memcpy(CMSG_DATA(&control.header), many, sent * sizeof(int));
    assert_int_equal(sendmsg(scene.end[0], &head, 0), sizeof *message);
    scene.count = room;
    refused();
    assert_true(scene.count <= room);
    close_received();
    assert_int_equal(open_descriptors(), before);
}

static void too_many_descriptors_are_refused_and_closed(void **state) {
    (void)state;
    const struct message message = {.version = MESSAGE_VERSION, .type = MESSAGE_GO};
    check_no_leak(&message, 1, 0);
    check_no_leak(&message, 9, 0);
    check_no_leak(&message, 9, 8);
    check_no_leak(&message, 2, 1);
}

static void descriptors_of_a_bad_message_are_not_lost(void **state) {
    (void)state;
    const struct message message = {.version = 77, .type = MESSAGE_GO};
    check_no_leak(&message, 3, 8);
}

static void a_descriptor_that_is_no_socket(void **state) {
    (void)state;
    struct message message = {.type = MESSAGE_GO};
    int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(message_send(file, &message, NULL, 0), -1);
    scene.count = 4;
    assert_int_equal(message_receive(file, &message, scene.descriptors, &scene.count), -1);
    assert_int_equal(scene.count, 0);
    close(file);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_message_arrives_as_it_was),
        TEST(end_of_file_and_closed_peer),
        TEST(the_last_word_of_a_peer_that_left_something_unread),
        TEST(descriptors_arrive_and_close_on_exec),
        TEST(another_version_is_refused),
        TEST(another_size_is_refused),
        TEST(too_many_descriptors_are_refused_and_closed),
        TEST(descriptors_of_a_bad_message_are_not_lost),
        TEST(a_descriptor_that_is_no_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
