/* Numbers of the system calls that attacks on processes, sockets and the kernel make (pure declarations): the C
 * library, which hides, wraps or lacks some, must not decide what an attack tries. */
#ifndef CALLS_PROCESS_H
#define CALLS_PROCESS_H

#if !defined __x86_64__
#error "the attacker knows the numbers of x86_64 only"
#endif

enum call {
    CALL_IOCTL = 16,
    CALL_SHMGET = 29,
    CALL_SHMAT = 30,
    CALL_SHMCTL = 31,
    CALL_GETPID = 39,
    CALL_SOCKET = 41,
    CALL_SENDTO = 44,
    CALL_SENDMSG = 46,
    CALL_SOCKETPAIR = 53,
    CALL_CLONE = 56,
    CALL_KILL = 62,
    CALL_SEMGET = 64,
    CALL_SEMCTL = 66,
    CALL_MSGGET = 68,
    CALL_MSGSND = 69,
    CALL_MSGRCV = 70,
    CALL_MSGCTL = 71,
    CALL_FCNTL = 72,
    CALL_PTRACE = 101,
    CALL_CAPSET = 126,
    CALL_RT_SIGQUEUEINFO = 129,
    CALL_SETPRIORITY = 141,
    CALL_SCHED_SETSCHEDULER = 144,
    CALL_PRCTL = 157,
    CALL_TKILL = 200,
    CALL_SCHED_SETAFFINITY = 203,
    CALL_TGKILL = 234,
    CALL_MQ_OPEN = 240,
    CALL_MQ_UNLINK = 241,
    CALL_MQ_TIMEDRECEIVE = 243,
    CALL_ADD_KEY = 248,
    CALL_REQUEST_KEY = 249,
    CALL_KEYCTL = 250,
    CALL_IOPRIO_SET = 251,
    CALL_MIGRATE_PAGES = 256,
    CALL_UNSHARE = 272,
    CALL_MOVE_PAGES = 279,
    CALL_RT_TGSIGQUEUEINFO = 297,
    CALL_PERF_EVENT_OPEN = 298,
    CALL_PRLIMIT64 = 302,
    CALL_SETNS = 308,
    CALL_PROCESS_VM_READV = 310,
    CALL_PROCESS_VM_WRITEV = 311,
    CALL_KCMP = 312,
    CALL_SCHED_SETATTR = 314,
    CALL_SECCOMP = 317,
    CALL_BPF = 321,
    CALL_IO_URING_SETUP = 425,
    CALL_PIDFD_SEND_SIGNAL = 424,
    CALL_PIDFD_OPEN = 434,
    CALL_CLONE3 = 435,
    CALL_PIDFD_GETFD = 438,
    CALL_PROCESS_MADVISE = 440,
    CALL_LANDLOCK_CREATE_RULESET = 444,
    CALL_LANDLOCK_RESTRICT_SELF = 446,
};

#endif
