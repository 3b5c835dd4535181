/* seccomp_arguments.c (pure): what each action does, in BPF: those that look at arguments compare ints by their low 32
 * bits, as the kernel reads them. */
#include "linux/seccomp_emit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

void seccomp_emit(struct seccomp_program *p, unsigned short code, unsigned char yes, unsigned char no, uint32_t value) {
    if (p->count == sizeof p->code / sizeof p->code[0]) {
        p->too_long = true;
        return;
    }
    p->code[p->count++] = (struct sock_filter){code, yes, no, value};
}

void seccomp_load(struct seccomp_program *p, size_t offset) {
    seccomp_emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* The low word of argument i; both architectures are little-endian. */
static void load_argument(struct seccomp_program *p, unsigned i) {
    seccomp_load(p, offsetof(struct seccomp_data, args) + i * sizeof(uint64_t));
}

void seccomp_give(struct seccomp_program *p, uint32_t result) {
    seccomp_emit(p, BPF_RET | BPF_K, 0, 0, result);
}

/* A block that looks at nothing. */
static void emit_result(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t result) {
    (void)ids;
    seccomp_give(p, result);
}

static void give_errno(struct seccomp_program *p, int number) {
    seccomp_give(p, SECCOMP_RET_ERRNO | (uint32_t)number);
}

/* if (A == value) return result */
void seccomp_when_equal(struct seccomp_program *p, uint32_t value, uint32_t result) {
    seccomp_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    seccomp_give(p, result);
}

/* if (A & bits) return result */
static void seccomp_when_set(struct seccomp_program *p, uint32_t bits, uint32_t result) {
    seccomp_emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    seccomp_give(p, result);
}

/* if (A != value) skip what follows, up to skip_end */
static unsigned short skip_unless(struct seccomp_program *p, uint32_t value) {
    seccomp_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, value);
    return (unsigned short)(p->count - 1);
}

static void skip_end(struct seccomp_program *p, unsigned short at) {
    p->code[at].jf = (unsigned char)(p->count - at - 1);
}

static const uint32_t ERRNO_EPERM = SECCOMP_RET_ERRNO | EPERM;

/* Families, types and protocols that a program needs on its own loopback, and AF_UNIX; the rest as a kernel without
 * them would answer. Protocol 0 is the type's own. Never MPTCP, SCTP, raw, packet, vsock, alg. */
static void emit_socket(struct seccomp_program *p) {
    enum { TYPE_BITS = 0xf, TCP = 6, UDP = 17, ROUTE = 0 };
    load_argument(p, 0);
    seccomp_when_equal(p, AF_UNIX, SECCOMP_RET_ALLOW);
    unsigned short netlink = skip_unless(p, AF_NETLINK);
    load_argument(p, 2);
    seccomp_when_equal(p, ROUTE, SECCOMP_RET_ALLOW);
    give_errno(p, EPROTONOSUPPORT);
    skip_end(p, netlink);
    seccomp_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, AF_INET);
    seccomp_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_INET6);
    give_errno(p, EAFNOSUPPORT);
    load_argument(p, 1);
    seccomp_emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, TYPE_BITS);
    unsigned short stream = skip_unless(p, SOCK_STREAM);
    load_argument(p, 2);
    seccomp_when_equal(p, 0, SECCOMP_RET_ALLOW);
    seccomp_when_equal(p, TCP, SECCOMP_RET_ALLOW);
    give_errno(p, EPROTONOSUPPORT);
    skip_end(p, stream);
    unsigned short datagram = skip_unless(p, SOCK_DGRAM);
    load_argument(p, 2);
    seccomp_when_equal(p, 0, SECCOMP_RET_ALLOW);
    seccomp_when_equal(p, UDP, SECCOMP_RET_ALLOW);
    give_errno(p, EPROTONOSUPPORT);
    skip_end(p, datagram);
    seccomp_when_equal(p, SOCK_RAW, ERRNO_EPERM);
    give_errno(p, ESOCKTNOSUPPORT);
}

static void emit_socketpair(struct seccomp_program *p) {
    load_argument(p, 0);
    seccomp_when_equal(p, AF_UNIX, SECCOMP_RET_ALLOW);
    give_errno(p, EAFNOSUPPORT);
}

static void emit_ioctl(struct seccomp_program *p) {
    static const uint32_t closed[] = {
        0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x541d /* TIOCCONS */, 0x5423 /* TIOCSETD */,
        /* fscrypt's keys belong to the file system, not to a folder */
        0xc0506617 /* FS_IOC_ADD_ENCRYPTION_KEY */, 0xc0406618 /* REMOVE */, 0xc0406619 /* REMOVE, all users */};
    load_argument(p, 1);
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++)
        seccomp_when_equal(p, closed[i], ERRNO_EPERM);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

static void emit_relay_ioctl(struct seccomp_program *p) {
    static const uint32_t open[] = {0x541b /* FIONREAD */, 0x5413 /* TIOCGWINSZ */, 0x5414 /* TIOCSWINSZ */};
    load_argument(p, 1);
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        seccomp_when_equal(p, open[i], SECCOMP_RET_ALLOW);
    seccomp_give(p, SECCOMP_RET_KILL_PROCESS);
}

/* NEWTIME (0x80) lies in clone's signal byte and means itself only in unshare. */
enum { CLONE_NEW_ANY = 0x7e020000 /* cgroup uts ipc user pid net, mount */, CLONE_NEW_TIME = 0x80 };

static void emit_clone(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t bits) {
    (void)ids;
    load_argument(p, 0);
    seccomp_when_set(p, bits, ERRNO_EPERM);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

static void emit_personality(struct seccomp_program *p) {
    load_argument(p, 0);
    seccomp_when_equal(p, 0xffffffff, SECCOMP_RET_ALLOW); /* a query */
    seccomp_when_set(p, 0x0400000 /* READ_IMPLIES_EXEC */, ERRNO_EPERM);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

/* The argument must be the mapped id or -1, else EPERM. */
static void check_id(struct seccomp_program *p, unsigned argument, uint32_t id) {
    load_argument(p, argument);
    seccomp_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, id);
    seccomp_emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0xffffffff);
    seccomp_give(p, ERRNO_EPERM);
}

/* The first arguments, as many as `last` says and one, are ids. */
static void emit_ids(struct seccomp_program *p, uint32_t id, uint32_t last) {
    for (unsigned i = 0; i <= last; i++)
        check_id(p, i, id);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

static void emit_uids(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t last) {
    emit_ids(p, ids->uid, last);
}

static void emit_gids(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t last) {
    emit_ids(p, ids->gid, last);
}

static void emit_owners(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t first) {
    check_id(p, first, ids->uid);
    check_id(p, first + 1, ids->gid);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

/* if (argument i, all 64 bits, is 0) return result. A holds its low word afterwards, or its high one. */
static void when_null(struct seccomp_program *p, unsigned i, uint32_t result) {
    seccomp_load(p, offsetof(struct seccomp_data, args) + i * sizeof(uint64_t) + sizeof(uint32_t));
    unsigned short low = skip_unless(p, 0);
    load_argument(p, i);
    seccomp_when_equal(p, 0, result);
    skip_end(p, low);
}

/* The core limit stays. Who only sets it is told that it worked, since no core will be written, which is what everybody
 * wants who sets it; who asks for the old value as well gets EPERM, because nobody would fill that in. */
static const uint32_t DONE = SECCOMP_RET_ERRNO;

static void emit_setrlimit(struct seccomp_program *p) {
    load_argument(p, 0);
    seccomp_when_equal(p, RLIMIT_CORE, DONE);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

static void emit_prlimit(struct seccomp_program *p) {
    when_null(p, 2, SECCOMP_RET_ALLOW); /* a question */
    load_argument(p, 0);
    seccomp_when_equal(p, 1, ERRNO_EPERM); /* pid 1 is pinfold's own */
    load_argument(p, 1);
    unsigned short core = skip_unless(p, RLIMIT_CORE);
    when_null(p, 3, DONE);
    seccomp_give(p, ERRNO_EPERM);
    skip_end(p, core);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

/* RENAME_WHITEOUT leaves a character device 0:0 behind. */
static void emit_rename(struct seccomp_program *p) {
    load_argument(p, 4);
    seccomp_when_set(p, 1 << 2, SECCOMP_RET_ERRNO | EINVAL);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

/* F_SET_RW_HINT changes an inode through a descriptor for reading, on a read-only mount too; as a kernel without it. */
static void emit_fcntl(struct seccomp_program *p) {
    load_argument(p, 1);
    seccomp_when_equal(p, 1036, SECCOMP_RET_ERRNO | EINVAL);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

/* Mode bits count only where a file is made. */
static void emit_open(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t flags) {
    (void)ids;
    load_argument(p, flags);
    seccomp_emit(p, BPF_JMP | BPF_JSET | BPF_K, 1, 0, O_CREAT | 020000000 /* O_TMPFILE's own bit */);
    seccomp_give(p, SECCOMP_RET_ALLOW);
    load_argument(p, flags + 1);
    seccomp_when_set(p, S_ISUID | S_ISGID, ERRNO_EPERM);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

static void emit_mode(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t argument) {
    load_argument(p, argument);
    seccomp_when_set(p, S_ISUID | (ids->root ? S_ISGID : 0), ERRNO_EPERM);
    seccomp_give(p, SECCOMP_RET_ALLOW);
}

/* An action's block: one of its own, or one that others share, with the value in which they differ. */
struct block {
    void (*emit)(struct seccomp_program *p);
    void (*emit_with)(struct seccomp_program *p, const struct seccomp_ids *ids, uint32_t value);
    uint32_t value;
};

static const struct block blocks[] = {
    [ACTION_ALLOW] = {.emit_with = emit_result, .value = SECCOMP_RET_ALLOW},
    [ACTION_KILL] = {.emit_with = emit_result, .value = SECCOMP_RET_KILL_PROCESS},
    [ACTION_EPERM] = {.emit_with = emit_result, .value = SECCOMP_RET_ERRNO | EPERM},
    [ACTION_ENOSYS] = {.emit_with = emit_result, .value = SECCOMP_RET_ERRNO | ENOSYS},
    [ACTION_SOCKET] = {.emit = emit_socket},
    [ACTION_SOCKETPAIR] = {.emit = emit_socketpair},
    [ACTION_CLONE] = {.emit_with = emit_clone, .value = CLONE_NEW_ANY},
    [ACTION_UNSHARE] = {.emit_with = emit_clone, .value = CLONE_NEW_ANY | CLONE_NEW_TIME},
    [ACTION_IOCTL] = {.emit = emit_ioctl},
    [ACTION_RELAY_IOCTL] = {.emit = emit_relay_ioctl},
    [ACTION_PERSONALITY] = {.emit = emit_personality},
    [ACTION_SETRLIMIT] = {.emit = emit_setrlimit},
    [ACTION_PRLIMIT] = {.emit = emit_prlimit},
    [ACTION_RENAME] = {.emit = emit_rename},
    [ACTION_FCNTL] = {.emit = emit_fcntl},
    /* which argument is the mode */
    [ACTION_CHMOD] = {.emit_with = emit_mode, .value = 1},
    [ACTION_FCHMODAT] = {.emit_with = emit_mode, .value = 2},
    [ACTION_ROOT_CREATE] = {.emit_with = emit_mode, .value = 1},
    [ACTION_ROOT_MKNODAT] = {.emit_with = emit_mode, .value = 2},
    /* which are the flags */
    [ACTION_ROOT_OPEN] = {.emit_with = emit_open, .value = 1},
    [ACTION_ROOT_OPENAT] = {.emit_with = emit_open, .value = 2},
    [ACTION_ROOT_ENOSYS] = {.emit_with = emit_result, .value = SECCOMP_RET_ERRNO | ENOSYS},
    /* which is the last id */
    [ACTION_SETUID] = {.emit_with = emit_uids, .value = 0},
    [ACTION_SETREUID] = {.emit_with = emit_uids, .value = 1},
    [ACTION_SETRESUID] = {.emit_with = emit_uids, .value = 2},
    [ACTION_SETGID] = {.emit_with = emit_gids, .value = 0},
    [ACTION_SETREGID] = {.emit_with = emit_gids, .value = 1},
    [ACTION_SETRESGID] = {.emit_with = emit_gids, .value = 2},
    /* which is the uid, before the gid */
    [ACTION_CHOWN] = {.emit_with = emit_owners, .value = 1},
    [ACTION_FCHOWNAT] = {.emit_with = emit_owners, .value = 2}};

void seccomp_emit_action(struct seccomp_program *p, enum seccomp_action action, const struct seccomp_ids *ids) {
    static const struct block none = {0};
    const struct block *block = (size_t)action < sizeof blocks / sizeof blocks[0] ? &blocks[action] : &none;
    if (block->emit)
        block->emit(p);
    else if (block->emit_with)
        block->emit_with(p, ids, block->value);
    else
        seccomp_give(p, SECCOMP_RET_KILL_PROCESS); /* no action that is known */
}
