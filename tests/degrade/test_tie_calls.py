"""A tie of which nothing can be known counts as ended: before the start nothing runs, later the box ends."""
import os
import signal
import socket
import subprocess
import time

import pytest

from hosts import MARKER, assert_refused, degraded, in_box, nothing_ran

STAYS = ["sh", "-c", f"echo ran; : >{MARKER}; exec sleep 60"]


def tied(lab, rules, kind, command=STAYS):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) if kind == "socket" else (None, None)
    number = os.pidfd_open(os.getpid()) if kind == "process" else theirs.detach()
    try:
        return in_box(lab, "--tie", f"fd:{number}", command=command, inner=degraded(rules), pass_fds=[number])
    finally:
        os.close(number)
        if ours:
            ours.close()


@pytest.mark.parametrize("rules, kind", [
    ("waitid=EPERM", "process"), ("waitid=ENOSYS", "process"), ("getsockopt=EPERM", "socket")])
def test_a_tie_that_cannot_be_looked_at(lab, rules, kind):
    result = tied(lab, rules, kind)
    assert result.code == 125 and "--tie" in result.err and nothing_ran(lab, result), result


def test_control_nothing_else_is_in_the_way(lab):
    for kind in ("socket", "process"):
        assert tied(lab, "uselib=EPERM", kind, command=["true"]).code == 0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_tie_that_has_ended_starts_nothing_however_late_it_is_looked_at(lab, count):
    """The supervisor is held up before one of its looks: without another one before go the command has begun by then."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.close()
    with theirs:
        result = in_box(lab, "--tie", f"fd:{theirs.fileno()}", inner=degraded(f"poll#{count}=delay:200"),
                        pass_fds=[theirs.fileno()])
    assert_refused(lab, result, "the end of what it is tied to")


@pytest.mark.parametrize("error", ["EPERM", "ENOMEM", "ENOSYS"])
def test_a_tie_that_cannot_be_read(lab, error):
    """An order comes, and reading it fails."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    argv = lab.user.argv([*degraded(f"recvfrom={error}"), lab.pinfold, "run", "--workspace", lab.ws, "--tie",
                          f"fd:{theirs.fileno()}", "--", *STAYS])
    with subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, pass_fds=[theirs.fileno()]) as run:
        theirs.close()
        assert run.stdout.readline() == b"ran\n"
        time.sleep(0.1)
        assert run.poll() is None
        ours.send(bytes([signal.SIGUSR1]))
        assert run.wait(timeout=10) == 128 + signal.SIGTERM
    ours.close()
