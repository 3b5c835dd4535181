"""Each step of the launch made to fail: pinfold refuses, or runs with every guarantee held by a fallback.

The counted tests let exactly one call fail: the first, the second, and so on to the last call before the command. How
many there are is found by runs that are killed at the K-th call: such a run ends by itself when there is no K-th.
"""
import signal
import subprocess

import pytest

from harness import users
from hosts import State, assert_ran, assert_refused, degraded, in_box, nothing_ran

# A launch differs between root and the others, not among these: the long tests run for two users.
root_and_one = pytest.mark.parametrize("lab", users()[:2], ids=repr, indirect=True)

# Every call of a name fails. The number after @ says which argument must have which value.
WHOLE = {
    "no_new_privs": "prctl@0:38=EPERM",
    "dumpable": "prctl@0:4=EPERM",
    "parent death signal": "prctl@0:1=EINVAL",
    "securebits": "prctl@0:28=EPERM",
    "bounding set": "prctl@0:24=EPERM",
    "ambient set": "prctl@0:47=EINVAL",
    "prctl": "prctl=EPERM",
    "capset": "capset=EPERM",
    "capget": "capget=EPERM",
    "keyctl absent": "keyctl=ENOSYS",
    "keyctl denied": "keyctl=EPERM",
    "key quota": "keyctl=EDQUOT",
    "host name": "sethostname=EPERM",
    "loopback up": "ioctl@1:0x8914=EPERM",
    "all of ioctl": "ioctl=ENOTTY",
    "close_range absent": "close_range=ENOSYS",
    "close_range denied": "close_range=EPERM",
    "limits": "prlimit64=EPERM,setrlimit=EPERM",
    "setresuid": "setresuid=EPERM",
    "setresgid": "setresgid=EPERM",
    "setgroups": "setgroups=EPERM",
    "setsid": "setsid=EPERM",
    "mount_setattr absent": "mount_setattr=ENOSYS",
    "mount_setattr denied": "mount_setattr=EPERM",
    "new mount calls absent": "fsopen=ENOSYS,fsconfig=ENOSYS,fsmount=ENOSYS,open_tree=ENOSYS,move_mount=ENOSYS,"
                              "mount_setattr=ENOSYS,fspick=ENOSYS,open_tree_attr=ENOSYS",
    "mount": "mount=EPERM",
    "umount": "umount2=EPERM",
    "clone3 absent": "clone3=ENOSYS",
    "openat2 absent": "openat2=ENOSYS",
    "pidfds absent": "pidfd_open=ENOSYS,pidfd_send_signal=ENOSYS,pidfd_getfd=ENOSYS",
    "statx absent": "statx=ENOSYS",
    "statmount absent": "statmount=ENOSYS,listmount=ENOSYS",
    "sockets": "socket=EPERM",
    "unix socket pairs": "socketpair=EMFILE",
    "pipes": "pipe2=EMFILE,pipe=EMFILE",
    "fork": "clone3=EAGAIN,clone=EAGAIN,fork=EAGAIN,vfork=EAGAIN",
    "memory files": "memfd_create=ENOSYS",
    "splice": "splice=EINVAL,tee=EINVAL,sendfile=EINVAL",
    "epoll": "epoll_create1=EMFILE",
    "signal descriptors": "signalfd4=EMFILE",
    "timers": "timerfd_create=EMFILE,timer_create=EAGAIN",
}

SETUP = ("prctl", "capset", "keyctl", "sethostname", "ioctl", "close_range", "prlimit64", "setresuid", "setresgid",
         "setsid", "mount", "fsopen", "fsconfig", "fsmount", "open_tree", "move_mount", "mount_setattr", "pivot_root",
         "umount2", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "unshare",
         "clone3", "clone", "setgroups", "mkdir", "mkdirat", "symlinkat", "symlink", "fchdir", "chdir")

# Not rt_sigprocmask: the kernel has no way to refuse it, and libc's fork does not look. Nor arch_prctl and
# set_tid_address, which are libc's own start: it ends with a signal, before our first line.
EVERY = (*SETUP, "openat", "openat2", "open", "close", "read", "write", "sendmsg", "recvmsg", "sendto", "recvfrom",
         "socket", "socketpair", "pipe2", "dup", "dup2", "dup3", "fcntl", "fstat", "newfstatat", "statx", "stat",
         "lstat", "readlinkat", "readlink", "getdents64", "execve", "execveat", "rt_sigaction",
         "sigaltstack", "signalfd4", "poll", "ppoll", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
         "mmap", "brk", "munmap", "mprotect", "fork", "vfork", "pidfd_open", "pidfd_send_signal", "memfd_create",
         "mknodat", "linkat", "access", "faccessat", "faccessat2", "fchmod", "fchown", "fchmodat", "fchownat", "umask",
         "getcwd", "lseek", "ftruncate", "fstatfs", "statfs", "setpgid", "getpgid", "getsid", "getuid", "geteuid",
         "getgid", "getegid", "capget", "bind", "listen", "connect", "getsockopt", "setsockopt", "getsockname",
         "setns", "unlink", "unlinkat", "chmod", "chown", "kill", "tgkill", "wait4", "waitid", "timerfd_create",
         "timerfd_settime", "clock_nanosleep", "setitimer", "getrandom", "uname", "sched_setaffinity", "setpriority",
         "request_key", "add_key", "gettid", "getpid", "getppid", "futex", "sysinfo")

# What relay and pid 1 do when the command has already begun: there the box is ended, and pinfold says so.
RUNNING = ("read", "write", "poll", "sendto", "sendmsg", "recvmsg")

CALLS_MAX = 400


def calls_before_command(lab, name, *options):
    """How often a call is made in a launch whose command doesn't exist, so that all the calls are pinfold's own."""
    def reached(count):
        result = in_box(lab, *options, command=["/nonexistent/command"], inner=degraded(f"{name}#{count}=kill"))
        assert nothing_ran(lab, result)
        return result.code == -signal.SIGKILL

    made, too_many = 0, 1
    while reached(too_many):
        made, too_many = too_many, 2 * too_many
        assert made <= CALLS_MAX, f"{name} is called more than {CALLS_MAX} times"
    while too_many - made > 1:
        middle = (made + too_many) // 2
        made, too_many = (middle, too_many) if reached(middle) else (made, middle)
    return made


def fail_each(lab, name, errors, *options):
    state = State(lab, *options)
    reference = state.undisturbed()
    problems = []
    for count in range(1, calls_before_command(lab, name, *options) + 1):
        for error in errors:
            rule = f"{name}#{count}={error},until-execve"   # not in the command itself
            try:
                result = state.run(inner=degraded(rule))
                if not (name in RUNNING and state.was_ended(result)):
                    state.assert_held_or_refused(result, reference)
            except AssertionError as problem:
                problems.append(f"{rule}: {problem}")
            except subprocess.TimeoutExpired:
                problems.append(f"{rule}: neither ran nor refused: it hangs")
            for left in lab.ws.iterdir():
                left.unlink()
    assert not problems, "\n".join(problems)


@root_and_one
@pytest.mark.parametrize("rules", WHOLE.values(), ids=[name.replace(" ", "-") for name in WHOLE])
def test_a_step_that_always_fails(lab, rules):
    state = State(lab)
    reference = state.undisturbed()
    state.assert_held_or_refused(state.run(inner=degraded(rules)), reference)


@root_and_one
@pytest.mark.parametrize("name", SETUP)
def test_one_call_of_the_setup_fails(lab, name):
    fail_each(lab, name, ["EPERM"])


@root_and_one
@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_any_one_call_fails(lab, name):
    fail_each(lab, name, ["EPERM", "ENOSYS", "ENOMEM"])


@root_and_one
@pytest.mark.parametrize("name", ["read", "write", "poll", "ppoll", "wait4", "waitid", "openat", "recvmsg", "sendmsg",
                                  "epoll_wait", "epoll_pwait", "futex", "close", "dup2"])
def test_an_interrupted_call_is_tried_again(lab, name):
    """EINTR is no failure. Where a call can't be interrupted in truth, a refusal is right too."""
    fail_each(lab, name, ["EINTR"])


def test_a_launch_whose_verify_is_made_to_lie_is_refused(lab):
    """The forbidden acts that verify tries: an error that isn't the expected one is a refusal."""
    for rule in ("mkdir=EACCES", "mkdirat=EACCES", "chmod=EPERM", "fchmodat=EPERM,fchmodat2=EPERM",
                 "connect=ECONNREFUSED"):
        result = in_box(lab, inner=degraded(rule))
        assert_ran(lab, result) if result.code == 0 else assert_refused(lab, result)   # ran: that call is not used
