"""A step that always fails: pinfold refuses, or runs with every guarantee held by a fallback.

That a call fails only once is in test_fail_closed.
"""
import pytest

from harness import users
from hosts import State, assert_ran, assert_refused, degraded, in_box

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


@root_and_one
@pytest.mark.parametrize("rules", WHOLE.values(), ids=[name.replace(" ", "-") for name in WHOLE])
def test_a_step_that_always_fails(lab, rules):
    state = State(lab)
    reference = state.undisturbed()
    state.assert_held_or_refused(state.run(inner=degraded(rules)), reference)


def test_a_launch_whose_verify_is_made_to_lie_is_refused(lab):
    """The forbidden acts that verify tries: an error that isn't the expected one is a refusal."""
    for rule in ("mkdir=EACCES", "mkdirat=EACCES", "chmod=EPERM", "fchmodat=EPERM,fchmodat2=EPERM",
                 "connect=ECONNREFUSED"):
        result = in_box(lab, inner=degraded(rule))
        assert_ran(lab, result) if result.code == 0 else assert_refused(lab, result)   # ran: that call is not used
