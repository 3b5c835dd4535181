"""--tie: the box ends with a pipe, a socket or a process, before the start as well; and --report, which tells how."""
import os
import signal
import socket
import subprocess
import time

import pytest

STUBBORN = "trap '' TERM HUP; echo up; while :; do sleep 0.05; done"


def start(lab, argv, fds, *options, front=(), **more):
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.Popen(lab.user.argv([lab.pinfold, *front, "run", "--workspace", lab.ws, *options, "--", *argv]),
                            cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            pass_fds=fds, **more)


def pair(kind=socket.SOCK_SEQPACKET):
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    return ours, theirs


class Tied:
    """A run that is tied in one of the three ways; cut() ends the tie."""

    def __init__(self, lab, way, argv, *options):
        self.helper = None
        if way == "pipe":
            read, write = os.pipe()
        elif way == "socket":
            ours, theirs = pair()
            read, write = theirs.detach(), ours.detach()
        else:
            self.helper = subprocess.Popen(["sleep", "60"])
            read, write = os.pidfd_open(self.helper.pid), None
        self.run = start(lab, argv, [read], "--tie", f"fd:{read}", *options)
        os.close(read)
        self.write = write

    def cut(self):
        if self.helper:
            self.helper.kill()
            self.helper.wait()
        else:
            os.close(self.write)


WAYS = pytest.mark.parametrize("way", ["pipe", "socket", "process"])


@WAYS
def test_the_end_of_the_tie_is_sigterm(lab, way):
    tied = Tied(lab, way, ["sh", "-c", "trap 'echo told; exit 9' TERM; echo up; while :; do sleep 0.02; done"])
    with tied.run as run:
        assert run.stdout.readline() == "up\n"
        time.sleep(0.1)
        assert run.poll() is None   # control: while the tie holds, the command runs
        tied.cut()
        out = run.communicate(timeout=10)[0]
        assert (run.returncode, out) == (9, "told\n")


@WAYS
def test_a_command_that_stays_is_killed_after_grace(lab, way):
    tied = Tied(lab, way, ["sh", "-c", STUBBORN], "--grace", "200ms")
    with tied.run as run:
        assert run.stdout.readline() == "up\n"
        tied.cut()
        since = time.monotonic()
        assert run.wait(timeout=10) == 128 + signal.SIGTERM
        assert 0.15 < time.monotonic() - since < 1.5


@WAYS
def test_a_tie_that_has_ended_starts_nothing(lab, way):
    """The tie is cut before pinfold is there."""
    mark = lab.ws / "mark"
    if way == "process":
        helper = subprocess.Popen(["true"])
        read = os.pidfd_open(helper.pid)
        helper.wait()
    else:
        ends = os.pipe() if way == "pipe" else [end.detach() for end in pair()][::-1]
        read = ends[0]
        os.close(ends[1])
    with start(lab, ["touch", mark], [read], "--tie", f"fd:{read}") as run:
        os.close(read)
        err = run.communicate(timeout=10)[1]
    assert run.returncode == 126 and "nothing was started" in err and not mark.exists()


def test_the_command_ends_by_itself(lab):
    read, write = os.pipe()
    with start(lab, ["true"], [read], "--tie", f"fd:{read}") as run:
        assert run.wait(timeout=10) == 0
    os.close(read), os.close(write)


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_SEQPACKET])
def test_orders(lab, kind):
    """A byte is a signal for the command's group; with 128 for all; 9 ends the box at once."""
    for order, status, said in ((signal.SIGUSR1, 3, "group\n"), (signal.SIGTERM, 143, ""), (signal.SIGKILL, 137, "")):
        ours, theirs = pair(kind)
        with start(lab, ["sh", "-c", "trap 'echo group; exit 3' USR1; echo up; while :; do sleep 0.02; done"],
                   [theirs.fileno()], "--tie", f"fd:{theirs.fileno()}") as run:
            theirs.close()
            assert run.stdout.readline() == "up\n"
            ours.send(bytes([0, 200, order]))   # neither 0 nor 200 is a signal
            assert (run.wait(timeout=10), run.stdout.read()) == (status, said)
        ours.close()


def test_orders_to_all(lab):
    """Also to what has left the command's process group."""
    ours, theirs = pair()
    inside = "setsid sh -c 'trap \"echo apart; exit\" USR2; echo up; while :; do sleep 0.02; done' & trap '' USR2; wait"
    with start(lab, ["sh", "-c", inside], [theirs.fileno()], "--tie", f"fd:{theirs.fileno()}") as run:
        theirs.close()
        assert run.stdout.readline() == "up\n"
        ours.send(bytes([signal.SIGUSR2]))
        time.sleep(0.2)
        assert run.poll() is None
        ours.send(bytes([128 + signal.SIGUSR2]))
        assert run.communicate(timeout=10)[0] == "apart\n"
    ours.close()


@pytest.mark.parametrize("apart", [True, False])
def test_sigkill_waits_for_no_other_order(lab, apart):
    """Orders to an init that is stopped from outside find no room; the one that needs none comes at once."""
    ours, theirs = pair(socket.SOCK_STREAM)
    with start(lab, ["sh", "-c", "trap '' USR1; echo up; while :; do sleep 0.02; done"],
               [theirs.fileno()], "--tie", f"fd:{theirs.fileno()}") as run:
        theirs.close()
        assert run.stdout.readline() == "up\n"
        children = open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii").read().split()
        init = [pid for pid in children if open(f"/proc/{pid}/comm", encoding="ascii").read() == "pinfold: init\n"]
        os.kill(int(init[0]), signal.SIGSTOP)
        many = bytes([signal.SIGUSR1]) * 2000   # more than the queue takes
        began = time.monotonic()
        ours.sendall(many + (b"" if apart else bytes([signal.SIGKILL])))
        if apart:
            ours.sendall(bytes([signal.SIGKILL]))
        try:
            assert run.wait(timeout=20) == 137
            assert time.monotonic() - began < 5   # and not some time for each order
        finally:
            run.kill()
    ours.close()


def test_the_command_does_not_have_the_tie(lab):
    ours, theirs = pair()
    with start(lab, ["sh", "-c", "ls /proc/self/fd"], [theirs.fileno()], "--tie", f"fd:{theirs.fileno()}") as run:
        theirs.close()
        assert run.communicate(timeout=10)[0].split() == ["0", "1", "2", "3"]
    ours.close()


def test_what_the_command_is_given_is_no_tie(lab):
    ours, theirs = pair()
    number = theirs.fileno()
    with start(lab, ["true"], [number], "--tie", f"fd:{number}", "--fd", str(number)) as run:
        err = run.communicate(timeout=10)[1]
    assert run.returncode == 125 and f"--tie fd:{number}" in err
    with start(lab, ["true"], [number], "--fd", str(number), front=["--report", f"fd:{number}"]) as run:
        run.communicate(timeout=10)
    assert run.returncode == 125
    told = ours.recv(4096).decode()   # one packet for each line
    assert told == "pinfold-report 1\n"
    ours.close(), theirs.close()


@pytest.mark.parametrize("value", ["", "3", "fd:0", "fd:2", "fd:77", "file", "fd:x"])
def test_other_values(lab, value):
    result = lab.run(["true"], "--tie", value)
    assert result.code == 125 and "--tie" in result.err


def test_files_are_no_ties(lab):
    with open(lab.file(lab.outside / "file")) as file, start(lab, ["true"], [file.fileno()], "--tie",
                                                             f"fd:{file.fileno()}") as run:
        assert run.wait(timeout=10) == 125


def named(lab, path, front=(), options=()):
    """A run that has the FIFO or file `path` as a descriptor, with the act by which the command would have it as well."""
    fd = os.open(path, os.O_RDWR if front else os.O_RDONLY | os.O_NONBLOCK)
    words = [word.format(fd) for word in front], [word.format(fd) for word in options]
    with start(lab, ["sh", "-c", f"echo 'exit 0' >>{path} || true; : >ran"], [fd], *words[1], front=words[0]) as run:
        err = run.communicate(timeout=10)[1]
    told = os.pread(fd, 4096, 0).decode() if front and not path.is_fifo() else ""
    os.close(fd)
    ran = (lab.ws / "ran").exists()
    (lab.ws / "ran").unlink(missing_ok=True)
    return run.returncode, ran, err + told


@pytest.mark.parametrize("what", ["tie", "report", "report-fifo"])
def test_what_the_command_could_open_by_its_name(lab, what):
    """A FIFO or file in a writable root, by its name there or by a hard link: the command could hold the tie open, or
    write the report. Elsewhere the same does no harm."""
    words = {"options": ["--tie", "fd:{}"]} if what == "tie" else {"front": ["--report", "fd:{}"]}
    for folder, link in ((lab.ws, None), (lab.outside, lab.ws / "same"), (lab.outside, None)):
        path = folder / "it"
        lab.file(path, "") if what == "report" else os.mkfifo(path)
        lab.own(path)
        if link:
            os.link(path, link)
        with open(path, "r+b", buffering=0):   # the other end, as long as the run
            status, ran, told = named(lab, path, **words)
        if folder == lab.ws or link:
            assert status == 125 and not ran and (what == "report-fifo" or f"--{what} fd:" in told), (status, told)
        else:
            assert status == 0 and ran, f"control: {status} {told}"
        for name in {path, link} - {None}:
            name.unlink()


def reported(lab, words):
    read, write = os.pipe()
    done = subprocess.run(lab.user.argv([lab.pinfold, "--report", f"fd:{write}", *words]), cwd=lab.ws,
                          env=lab.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, pass_fds=[write])
    os.close(write)
    with open(read) as file:
        lines = [line.split(" ", 1) for line in file.read().splitlines()]
    return done, lines


@pytest.mark.parametrize("words, status, outcome", [
    (["run", "--", "sh", "-c", "exit 7"], 7, "exited"),
    (["run", "--", "sh", "-c", "kill -9 $$"], 137, "signalled"),
    (["run", "--timeout", "50ms", "--", "sleep", "9"], 124, "timeout"),
    (["run", "--", "no-such-command"], 127, "not-found"),
    (["run", "--", "/etc/passwd"], 126, "not-executable"),
    (["run", "--workspace", "/", "--", "true"], 125, "usage"),
    (["run", "--nonsense", "--", "true"], 125, "usage"),
    (["run", "--receipt", "fd:77", "--", "true"], 125, "usage"),
    (["explain"], 0, None),
    (["explain", "--workspace", "/"], 125, None),
    (["nonsense"], 125, None),
])
def test_report(lab, words, status, outcome):
    done, lines = reported(lab, words)
    assert done.returncode == status and done.stderr == ""
    assert lines[0] == ["pinfold-report", "1"] and lines[-1] == ["exit", str(status)]
    keys = dict(lines)
    assert keys.get("outcome") == outcome
    assert keys.get("confined") == {None: None, "usage": "not-started"}.get(outcome, "full")
    assert ("error" in keys) == (status >= 125 and outcome != "signalled")


def test_report_cannot_be_written(lab):
    result = lab.plain([lab.pinfold, "--report", "fd:77", "run", "--", "true"])
    assert result.code == 125 and "--report" in result.err
    result = lab.plain([lab.pinfold, "--report"])
    assert result.code == 125 and "--report" in result.err


def test_warnings_are_in_the_report(lab):
    path = os.fspath(lab.outside / "docker.sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        lab.own(path)
        done, lines = reported(lab, ["run", "--unix-socket", path, "--", "true"])
    assert done.stderr == "" and any(k == "message" and "docker.sock" in v for k, v in lines), lines
