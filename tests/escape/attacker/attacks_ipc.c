/* Attacks on shared memory, semaphores, queues and keyrings of the host, and the makers of their scene (touching).
 * `…_make` is run outside by the test; `…_open` and `…_read` are the attacks. */
#include "attacker.h"
#include "calls_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <unistd.h>

enum {
    SIZE = 4096,
    REMOVE = 0,
    KEY_JOIN_SESSION = 1,
    KEY_SET_PERMISSIONS = 5,
    KEY_OPEN_TO_USER = 0x3f3f0000,
    KEY_LINK = 8,
    KEY_UNLINK = 9,
    KEY_SEARCH = 10,
    KEY_READ = 11,
    KEYRING_SESSION = -3,
    KEYRING_USER = -4,
    STAT_BY_INDEX_SHM = 15, /* SHM_STAT_ANY: any segment of the namespace by its place in the table */
};

struct message {
    long type;
    char text[8];
};

static int shm_make(int count, char **words) {
    (void)count;
    const long id = syscall(CALL_SHMGET, number_of(words[0]), (long)SIZE, (long)(IPC_CREAT | IPC_EXCL | 0600));
    char *const memory = id < 0 ? (char *)-1 : (char *)syscall(CALL_SHMAT, id, 0L, 0L);
    if (memory == (char *)-1)
        return report(-1);
    strcpy(memory, "host");
    return report_ok("%ld", id);
}

/* Overwrites the segment with this key. */
static int shm_open_key(int count, char **words) {
    (void)count;
    const long id = syscall(CALL_SHMGET, number_of(words[0]), 0L, 0L);
    char *const memory = id < 0 ? (char *)-1 : (char *)syscall(CALL_SHMAT, id, 0L, 0L);
    if (memory == (char *)-1)
        return report(-1);
    strcpy(memory, "mine");
    return report_ok("%ld", id);
}

static int shm_open_id(int count, char **words) {
    (void)count;
    char *const memory = (char *)syscall(CALL_SHMAT, number_of(words[0]), 0L, 0L);
    if (memory == (char *)-1)
        return report(-1);
    strcpy(memory, "mine");
    return report_ok("attached");
}

/* Prints what the segment holds, for a test's witness. */
static int shm_show(int count, char **words) {
    (void)count;
    const char *const memory = (const char *)syscall(CALL_SHMAT, number_of(words[0]), 0L, 010000L);
    return memory == (const char *)-1 ? report(-1) : report_ok("%.8s", memory);
}

/* ok when the table of segments holds one, seen by its place and not by its key. */
static int shm_list(int count, char **words) {
    (void)count, (void)words;
    enum { PLACES_MAX = 32768 }; /* the kernel's, without its option for more */
    char buffer[256];
    for (long place = 0; place < PLACES_MAX; place++)
        if (syscall(CALL_SHMCTL, place, (long)STAT_BY_INDEX_SHM, buffer) >= 0)
            return report_ok("at place %ld", place);
    return report_errno(ENOENT);
}

static int shm_remove(int count, char **words) {
    (void)count;
    return report(syscall(CALL_SHMCTL, number_of(words[0]), (long)REMOVE, NULL));
}

static int sem_make(int count, char **words) {
    (void)count;
    return report(syscall(CALL_SEMGET, number_of(words[0]), 1L, (long)(IPC_CREAT | IPC_EXCL | 0600)));
}

static int sem_open_key(int count, char **words) {
    (void)count;
    return report(syscall(CALL_SEMGET, number_of(words[0]), 0L, 0L));
}

static int sem_remove(int count, char **words) {
    (void)count;
    return report(syscall(CALL_SEMCTL, number_of(words[0]), 0L, (long)REMOVE, 0L));
}

static int msg_make(int count, char **words) {
    (void)count;
    const struct message secret = {1, "secret"};
    const long id = syscall(CALL_MSGGET, number_of(words[0]), (long)(IPC_CREAT | IPC_EXCL | 0600));
    if (id < 0 || syscall(CALL_MSGSND, id, &secret, sizeof secret.text, (long)IPC_NOWAIT) < 0)
        return report(-1);
    return report_ok("%ld", id);
}

/* Takes the message that waits in the queue with this key. */
static int msg_open_key(int count, char **words) {
    (void)count;
    struct message seen = {0};
    const long id = syscall(CALL_MSGGET, number_of(words[0]), 0L);
    return report(id < 0 ? id : syscall(CALL_MSGRCV, id, &seen, sizeof seen.text, 0L, (long)IPC_NOWAIT));
}

static int msg_remove(int count, char **words) {
    (void)count;
    return report(syscall(CALL_MSGCTL, number_of(words[0]), (long)REMOVE, NULL));
}

/* POSIX queues are named without a slash at the call. */
static int mq_make(int count, char **words) {
    (void)count;
    return report(syscall(CALL_MQ_OPEN, words[0], (long)(O_CREAT | O_EXCL | O_RDWR), 0600L, NULL));
}

static int mq_open_name(int count, char **words) {
    (void)count;
    return report(syscall(CALL_MQ_OPEN, words[0], (long)O_RDWR, 0L, NULL));
}

static int mq_remove(int count, char **words) {
    (void)count;
    return report(syscall(CALL_MQ_UNLINK, words[0]));
}

/* Runs COMMAND with a session keyring of its own that holds a key, linked into the user's keyring too;
 * every process of the user may read it. */
static int key_session(int count, char **words) {
    if (syscall(CALL_KEYCTL, (long)KEY_JOIN_SESSION, NULL) < 0)
        return report(-1);
    const long key = syscall(CALL_ADD_KEY, "user", words[0], "secret", 6L, (long)KEYRING_SESSION);
    if (key < 0 || syscall(CALL_KEYCTL, (long)KEY_SET_PERMISSIONS, key, (long)KEY_OPEN_TO_USER) < 0 ||
        syscall(CALL_KEYCTL, (long)KEY_LINK, key, (long)KEYRING_USER) < 0)
        return report(-1);
    (void)count;
    execv(words[1], words + 1);
    return report(-1);
}

static long keyring_of(const char *word) {
    return !strcmp(word, "user") ? KEYRING_USER : KEYRING_SESSION;
}

static int key_read(int count, char **words) {
    (void)count;
    char text[16] = "";
    const long key = syscall(CALL_KEYCTL, (long)KEY_SEARCH, keyring_of(words[1]), "user", words[0], 0L);
    if (key < 0 || syscall(CALL_KEYCTL, (long)KEY_READ, key, text, sizeof text - 1) < 0)
        return report(-1);
    return report_ok("%s", text);
}

static int key_request(int count, char **words) {
    (void)count;
    return report(syscall(CALL_REQUEST_KEY, "user", words[0], NULL, 0L));
}

static int key_add(int count, char **words) {
    (void)count;
    return report(syscall(CALL_ADD_KEY, "user", words[0], "mine", 4L, keyring_of(words[1])));
}

static int key_remove(int count, char **words) {
    (void)count;
    const long ring = keyring_of(words[1]);
    const long key = syscall(CALL_KEYCTL, (long)KEY_SEARCH, ring, "user", words[0], 0L);
    return report(key < 0 ? key : syscall(CALL_KEYCTL, (long)KEY_UNLINK, key, ring));
}

const struct attack attacks_ipc[] = {
    {"shm_make", shm_make, "KEY"},
    {"shm_open_key", shm_open_key, "KEY"},
    {"shm_open_id", shm_open_id, "ID"},
    {"shm_show", shm_show, "ID"},
    {"shm_list", shm_list, ""},
    {"shm_remove", shm_remove, "ID"},
    {"sem_make", sem_make, "KEY"},
    {"sem_open_key", sem_open_key, "KEY"},
    {"sem_remove", sem_remove, "ID"},
    {"msg_make", msg_make, "KEY"},
    {"msg_open_key", msg_open_key, "KEY"},
    {"msg_remove", msg_remove, "ID"},
    {"mq_make", mq_make, "NAME"},
    {"mq_open_name", mq_open_name, "NAME"},
    {"mq_remove", mq_remove, "NAME"},
    {"key_session", key_session, "KEYNAME COMMAND"},
    {"key_read", key_read, "KEYNAME RING"},
    {"key_request", key_request, "KEYNAME"},
    {"key_add", key_add, "KEYNAME RING"},
    {"key_remove", key_remove, "KEYNAME RING"},
    {0},
};
