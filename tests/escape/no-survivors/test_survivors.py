"""Nothing that was started inside outlives the run, however it ends: 114 to 116."""
import os
import random
import signal
import subprocess
import time

import pytest
from harness import tree
from victims import descendants, fields, gone, remaining, tagged


def start(lab, argv, **more):
    """Start a command that SIGINT and SIGQUIT end, also when the tests run in the background of a shell."""
    argv = ["/usr/bin/env", "--default-signal=INT,QUIT", *argv]
    return subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def boxed(lab, *argv):
    return [lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker, "--", *argv]


def finish(process, seconds=10):
    """Waits for the end of its output and of itself, in a bounded time."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def test_e114_daemon(lab, stage):
    """Two forks and a session of its own: the daemon is dead within a second of the command's end."""
    tag = stage.tag("daemon")
    assert lab.plain([lab.attacker, "daemon_leave", tag]).verdict == "ok"
    assert not gone(tag, 1), "control leg: no daemon was left"
    tag = stage.tag("daemon")
    done = lab.run([lab.attacker, "daemon_leave", tag])
    assert done.verdict == "ok", done
    assert gone(tag), f"alive after a second: {tagged(tag)}"


DEAF = [str(int(n)) for n in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)]


ENDS = [(name, payload) for name in "KILL TERM HUP INT QUIT ABRT SEGV".split() for payload in ("plain", "deaf")
        if payload + name not in ("deafINT", "deafQUIT")]


@pytest.mark.parametrize("name,payload", ENDS)
def test_e115_launcher_ends(lab, stage, name, payload):
    """However pinfold itself ends, what it started is dead within a second, also when it is deaf to signals. The
    control is a shell with a child, which lives on. (SIGINT and SIGQUIT are the command's, which may go on, as under a
    shell.)"""
    number = signal.Signals["SIG" + name]
    words = ["wait_tagged", stage.tag("payload"), *(DEAF if payload == "deaf" else [])]
    tag = words[1]
    shell = start(lab, ["/bin/sh", "-c", '"$0" "$@" & echo $!; kill -STOP $$', lab.attacker, *words])
    shell.stdout.readline(), shell.stdout.readline()    # its number, and its own word that it runs
    shell.kill()
    shell.wait()
    assert not gone(tag, 0.2), "control leg: the child died with its parent"
    words[1] = tag = stage.tag("payload")
    run = start(lab, boxed(lab, lab.attacker, *words))
    assert run.stdout.readline().startswith("ok"), run.communicate()
    below = descendants(run.pid)
    assert len(below) >= 2
    run.send_signal(number)
    assert gone(tag) and gone(below, 0.2), f"alive: {[fields(p)['Name'] for p in tagged(tag)]} {remaining(below)}"
    code, *_ = finish(run)
    assert code != 0


def test_e115_first_process_ends(lab, stage):
    """When pid 1 of the box is killed from outside, all inside is dead and pinfold says that it did not end well."""
    tag = stage.tag("payload")
    run = start(lab, boxed(lab, lab.attacker, "wait_tagged", tag))
    assert run.stdout.readline().startswith("ok"), run.communicate()
    first = [pid for pid, _ in descendants(run.pid) if fields(pid)["NSpid"].split()[1:] == ["1"]]
    assert len(first) == 1, "pid 1 of the box is not found"
    os.kill(first[0], signal.SIGKILL)
    assert gone(tag), tagged(tag)
    assert finish(run)[0] not in (0, 1)


def test_e116_lingering_child(lab, stage):
    """A child that clears its death signal, is deaf, reaps for itself and holds standard output open: pinfold returns
    at once with the command's status, the reader sees the end of the output, and the child is dead."""
    tag = stage.tag("linger")
    control = start(lab, [lab.attacker, "child_linger", tag])
    assert control.wait(5) == 0
    with pytest.raises(subprocess.TimeoutExpired):
        control.communicate(timeout=0.5)
    assert not gone(tag, 0.1), "control leg: the child did not linger"
    tag = stage.tag("linger")
    begin = time.monotonic()
    code, out, err = finish(start(lab, boxed(lab, lab.attacker, "child_linger", tag)), 5)
    assert (code, out) == (0, "ok 1\n"), (code, out, err)
    assert time.monotonic() - begin < 2
    assert gone(tag), tagged(tag)


def test_e116_timeout_ends_the_tree(lab, stage):
    """The same child doesn't outlive a timeout either."""
    tag = stage.tag("linger")
    script = '"$0" child_linger "$1"; trap "" TERM; sleep 30'
    argv = boxed(lab, "/bin/sh", "-c", script, lab.attacker, tag)
    argv[4:4] = ["--timeout", "300ms", "--grace", "200ms"]
    code, out, err = finish(start(lab, argv), 5)
    assert code == 124, (code, out, err)
    assert gone(tag), tagged(tag)


def kill_at_random(lab, stage, moments, longest):
    """SIGKILL of pinfold at random moments within `longest` times the length of a short run: nothing of the box is
    alive after a second, nothing is mounted, nothing was made in the workspace."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    begin = time.monotonic()
    done = lab.run([lab.attacker, "environment_read", "PATH"])
    assert done.verdict == "ok", done
    longest *= time.monotonic() - begin
    moment = random.Random(seed)
    before, mounts = tree(lab.ws), open("/proc/self/mountinfo", encoding="utf-8").read()
    for _ in range(moments):
        tag = stage.tag("payload")
        run = start(lab, boxed(lab, lab.attacker, "wait_tagged", tag))
        time.sleep(moment.uniform(0, longest))
        run.kill()
        run.communicate(timeout=5)
        assert gone(tag), f"seed {seed}: alive after a second: {[fields(p) for p in tagged(tag)]}"
    assert tree(lab.ws) == before
    assert open("/proc/self/mountinfo", encoding="utf-8").read() == mounts


def test_e115_killed_at_random(lab, stage):
    """Forty random moments within the start."""
    kill_at_random(lab, stage, 40, 1)


@pytest.mark.slow
def test_e115_killed_at_random_often(lab, stage):
    """Two hundred random moments within the start and a little after."""
    kill_at_random(lab, stage, 200, 1.5)
