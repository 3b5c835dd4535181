"""A kernel that says yes and does nothing, or answers otherwise than it should: pinfold finds out and starts nothing.

`done` is degrade's success for a call that isn't made. Each lie is told about one thing, so that one proof has to find
it: where the proof is missing, the command runs.
"""
import os
import re

import pytest

import receipts
from harness import users
from hosts import COMMAND, assert_ran, assert_refused, degraded, in_box
from rounds import calls_before_command
from victims import Stage

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls have other numbers")

# With a filter that is not there, each thing that it would refuse, alone: the host's own kernel must not refuse it first.
KEYCTL = 250
CLOSED = {"bpf": "bpf=EPERM", "keyctl": "keyctl#4=EPERM", "unshare": "unshare@0:0x10000000=EPERM", "unknown": "470=ENOSYS"}


@pytest.fixture
def stage(lab):
    one = Stage(lab)
    yield one
    one.close()


def open_one(name, rule):
    return ",".join(["seccomp=done", *(text for other, text in CLOSED.items() if other != name), rule])


LIES = {
    "capabilities": ("capset=done", "privilege: every capability set is empty"),
    "bounding set": ("prctl@0:24=done", "privilege: the bounding set is empty"),
    "securebits": ("prctl@0:28=done", "privilege: securebits are locked"),
    "ids": ("getresuid=EPERM", "privilege: the ids are the caller's own"),
    "groups": ("getresgid=EPERM", "privilege: the ids are the caller's own"),
    "session": ("setsid=done", "process: it has a session of its own"),
    "signals": ("kill=done", "process: a signal to pinfold gave success"),
    "read-only root": ("mount_setattr@2:0x1000=done", r"fs-write: /\.pinfold-verify gave EACCES"),   # Landlock's
    "read-only trees": ("mount_setattr@2:0x9000=done", r"fs-write: /\w+/\.pinfold-verify gave E?(ACCES|success)"),
    "mkdir": ("mkdir=EACCES", "fs-write: .* gave EACCES where EROFS"),
    "chmod": ("chmod=done", "fs-metadata: / gave success where EROFS"),
    "landlock": ("landlock_restrict_self=done", "fs-write: opening /dev/random for writing gave success"),
    "close_range": ("close_range=done", "descriptors: only granted descriptors are open is not so"),
    "network namespace": ("unshare@0:0x40000000=done,ioctl@1:0x8914=done", "process: net is not so"),
    "a packet that leaves": ("connect=ECONNREFUSED", "net-egress: UDP connect .* gave ECONNREFUSED"),
    "the host's loopback": ("connect=ENETUNREACH", "net-local: TCP connect .* gave ENETUNREACH"),
    "an abstract socket": ("connect@2:8=done", "unix-socket: connect to pinfold's own socket gave success"),
    "no filter": ("prctl@0:21=done", "kernel-surface: a filter is installed"),
    "an open bpf": (open_one("bpf", "bpf=EINVAL"), "kernel-surface: bpf gave EINVAL"),
    "an open keyctl": (open_one("keyctl", "keyctl#4=done"), "kernel-surface: keyctl gave success"),
    "an open unshare": (open_one("unshare", "unshare@0:0x10000000=done"), "kernel-surface: unshare .* gave success"),
    "an open unknown call": (open_one("unknown", "470=EPERM"), "kernel-surface: an unknown call gave EPERM"),
}


@pytest.mark.parametrize("rules, cause", LIES.values(), ids=[name.replace(" ", "-") for name in LIES])
def test_a_lie_is_found(lab, rules, cause):
    assert_refused(lab, in_box(lab, inner=degraded(rules)), cause, "report this")


# Calls by which the command's process makes its proofs, each made to fail by its number, from the last one back.
PROOFS = {
    "a hidden folder": ("openat@2:0x98000", "EACCES", r"fs-read: /\S+ gave EACCES where ENOENT"),
    "the id map": ("openat", "EPERM", "privilege: the box's ids are mapped as planned is not so"),
    "the mode of a folder": ("stat", "EACCES", r"fs-metadata: /\S* is not so"),
    "namespaces": ("newfstatat", "EPERM", "process: its namespaces can be looked at is not so"),
    "a UDP socket": ("socket", "EPERM", "net-egress: a UDP socket can be made is not so"),
    "a TCP socket": ("socket", "EPERM", "net-local: a TCP socket can be made is not so"),
    "a unix socket": ("socket", "EPERM", "unix-socket: a unix socket can be made is not so"),
    "the process": ("getpid", "done", "process: the command is process 2 of the box is not so"),
    "the discarded workspace": ("stat", "EACCES", "fs-write: the workspace is another folder than the host's is not so"),
    "the cover of a socket": ("move_mount", "done", "unix-socket: .*/outside/socket is not so"),
}


@pytest.mark.parametrize("call, error, cause", PROOFS.values(), ids=[name.replace(" ", "-") for name in PROOFS])
def test_a_proof_that_cannot_be_made_refuses(lab, stage, call, error, cause):
    options = ["--read", lab.outside, *(["--mode", "discard"] if "the workspace" in cause else [])]
    stage.listener(lab.outside / "socket")
    told = []
    call = f"{'init' if call == 'move_mount' else 'command'}/{call}"   # its own count: processes work side by side
    for count in range(calls_before_command(lab, call, *options) + 3, 0, -1):   # a launch can make one more or less
        result = in_box(lab, *options, command=["true"], inner=degraded(f"{call}#{count}={error},until-execve"))
        told.append(result.err)
        if re.search(cause, result.err):
            return assert_refused(lab, result, cause)
    raise AssertionError(f"no refusal names it: {told}")


def test_a_root_that_was_not_left_is_found(lab):
    """Without Landlock, which would miss the box's own folders first."""
    result = in_box(lab, "--waive", "fs-write", inner=degraded("pivot_root=done,landlock_create_ruleset=EOPNOTSUPP"))
    assert_refused(lab, result, "fs-read: / is another folder than the host's is not so", "report this")


@pytest.mark.skipif(os.geteuid() != 0, reason="degrade sets no_new_privs itself when it is not root")
@pytest.mark.parametrize("lab", users()[:1], ids=["root"], indirect=True)
def test_privileges_that_can_grow_are_found(lab):
    """The filter can be installed without no_new_privs by one who has capabilities."""
    result = in_box(lab, inner=degraded("prctl@0:38=done,capset=done"))
    assert_refused(lab, result, "privilege: no_new_privs is set is not so", "report this")


def test_a_keyring_that_was_not_joined_is_found(lab):
    """A caller with a session keyring, which would stay possessed."""
    session = ["/usr/bin/python3", "-c", "import ctypes, os, sys\n"
               f"assert ctypes.CDLL(None).syscall({KEYCTL}, 1, None) > 0\nos.execvp(sys.argv[1], sys.argv[1:])"]
    assert_ran(lab, in_box(lab, inner=session))
    refused = in_box(lab, inner=[*session, *degraded("keyctl@0:1=done")])
    assert_refused(lab, refused, "join a session keyring.*still the caller's")


def test_a_core_limit_that_was_not_set_is_found(lab):
    """Setting a limit asks for no old value, looking at one does."""
    refused = in_box(lab, inner=degraded("prlimit64@3:0=done"))
    assert_refused(lab, refused, "can't keep core dumps from the host's handler")


def test_control_without_a_lie_it_runs(lab):
    assert_ran(lab, in_box(lab, inner=degraded("acct=done"), command=COMMAND))


def test_what_could_not_be_tried_is_not_called_tried(lab):
    """Without a folder that must be hidden, and without a listener that must not be reached, two proofs are not made."""
    receipt = lab.scratch.path / "receipt.json"
    shown = [word for path in ("/var/lib", "/var/log", "/boot", "/srv", "/mnt", "/media") if os.path.isdir(path)
             for word in ("--read", path)]
    for rule, options, untried in (("acct=EPERM", (), set()), ("acct=EPERM", shown, {"fs-read"}),
                                   ("listen=EPERM", (), {"net-local"})):
        assert_ran(lab, in_box(lab, "--receipt", receipt, *options, inner=degraded(rule)))
        proofs = {name: one["proof"] for name, one in receipts.read(receipt)["guarantees"].items()}
        assert {name for name in ("fs-read", "net-local") if proofs[name] == "read back"} == untried, proofs
