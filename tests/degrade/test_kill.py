"""SIGKILL of pinfold at any moment: within a second nothing inside is alive, nothing is mounted, no file has changed.

The moments are random ones (the seed is printed), random ones while a step is held up, and each call of the launch.
The command makes it hard: children in sessions of their own, signals ignored, standard output kept open.
"""
import os
import random
import signal
import subprocess
import time

import pytest

from hosts import degraded
from survivors import Watch
from test_steps import root_and_one

STUBBORN = "trap '' HUP INT TERM PIPE; (setsid sh -c 'trap \"\" HUP TERM; sleep 300; : '$0 &) ; setsid sleep 300 & " \
           "echo up; while :; do sleep 300; done"

# Calls of a launch and of the run, as far as an architecture or the code has them.
CALLS = ("clone3", "clone", "write", "read", "mount", "open_tree", "mount_setattr", "move_mount", "pivot_root",
         "landlock_restrict_self", "seccomp", "execve", "setresuid", "capset", "prctl", "sethostname", "sendmsg",
         "recvmsg", "close_range", "poll", "openat", "close", "umount2", "setsid", "keyctl", "prlimit64",
         "exit_group", "unshare")

SETUP = ("prctl", "capset", "keyctl", "sethostname", "ioctl", "close_range", "prlimit64", "setresuid", "setresgid",
         "setsid", "mount", "fsopen", "fsconfig", "fsmount", "open_tree", "move_mount", "mount_setattr", "pivot_root",
         "umount2", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "unshare",
         "clone3", "clone", "setgroups", "mkdir", "mkdirat", "symlinkat", "symlink", "fchdir", "chdir")

CALLS_MAX = 400


def start(lab, watch, inner=(), options=(), **more):
    argv = [*inner, lab.pinfold, "run", "--workspace", lab.ws, *options, "--", "sh", "-c", STUBBORN, watch.mark]
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.DEVNULL)
    return subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(), stderr=subprocess.PIPE, **more)


def kill_after(lab, watch, seconds, inner=()):
    with start(lab, watch, inner) as pinfold:
        time.sleep(seconds)
        pinfold.kill()
        # Not communicate(): a survivor that holds standard error would keep it from ending.
        code = pinfold.wait(timeout=5)
        problems = watch.problems()
        if code != -signal.SIGKILL:
            problems.append(f"pinfold ended by itself: {code}, {pinfold.stderr.read()}")
    return [f"after {seconds * 1000:.2f} ms: {problem}" for problem in problems]


def until_up(lab, watch):
    """Seconds until the command is up, here and now: how fast the machine is doesn't matter."""
    began = time.monotonic()
    with start(lab, watch, stdout=subprocess.PIPE) as pinfold:
        assert pinfold.stdout.readline() == b"up\n"
        seconds = time.monotonic() - began
        pinfold.kill()
        pinfold.wait()
    assert watch.problems() == []
    return seconds


@pytest.fixture
def watch(lab):
    with Watch(lab) as one:
        yield one


@pytest.fixture
def moments(request):
    seed = os.environ.get("PINFOLD_SEED") or str(random.randrange(1 << 32))
    print(f"seed: PINFOLD_SEED={seed}")
    return random.Random(f"{seed} {request.node.name}")


def test_control_the_command_is_up_and_found(lab, watch):
    """The search finds what a kill must end: at least pinfold, its init, the command and its three children."""
    with start(lab, watch, stdout=subprocess.PIPE) as pinfold:
        assert pinfold.stdout.readline() == b"up\n"
        until = time.monotonic() + 10
        while len(watch.alive()) < 6 and time.monotonic() < until:
            time.sleep(0.05)
        assert len(watch.alive()) >= 6, watch.alive()
        pinfold.kill()
        pinfold.wait()
        assert watch.problems() == []


def test_control_survivors_are_seen(lab, watch):
    """The same command without a box survives, and is reported."""
    argv = lab.user.argv(["sh", "-c", STUBBORN, watch.mark])
    with subprocess.Popen(argv, cwd=lab.ws, stdout=subprocess.PIPE) as shell:
        shell.stdout.readline()
        time.sleep(0.1)
        shell.kill()
        shell.wait()
        assert len([p for p in watch.problems() if "survivor" in p]) >= 2


@pytest.mark.parametrize("rounds", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_random_moments(lab, watch, moments, rounds):
    longest = 1.5 * until_up(lab, watch)
    assert [p for _ in range(rounds) for p in kill_after(lab, watch, moments.uniform(0, longest))] == []


@root_and_one
@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("call", CALLS)
def test_killed_while_a_step_is_held_up(lab, watch, moments, call, rounds):
    inner = degraded(f"{call}=delay:30")
    assert [p for _ in range(rounds) for p in kill_after(lab, watch, moments.uniform(0.002, 0.2), inner)] == []


def kill_at_call(lab, watch, rule):
    """pinfold is dead before the call goes on. Says whether there was such a call before the command was up."""
    with start(lab, watch, degraded(rule), stdout=subprocess.PIPE) as pinfold:
        up = pinfold.stdout.readline()
        if up:
            pinfold.kill()
        code = pinfold.wait(timeout=5)
        problems = [f"{rule}: {problem}" for problem in watch.problems()]
        if code != -signal.SIGKILL:
            problems.append(f"{rule}: pinfold ended by itself: {code}, {pinfold.stderr.read()}")
    return problems, not up


def kill_at_each(lab, watch, call):
    found = []
    for count in range(1, CALLS_MAX):
        problems, reached = kill_at_call(lab, watch, f"{call}#{count}=kill")
        found += problems
        if not reached:
            break
    assert found == []


@root_and_one
@pytest.mark.parametrize("call", ["clone3", "clone", "pivot_root", "landlock_restrict_self", "seccomp", "execve",
                                  "sendmsg", "recvmsg", "write", "setresuid", "setsid"])
def test_killed_at_each_call(lab, watch, call):
    kill_at_each(lab, watch, call)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_killed_before_a_parent_death_signal_is_set(lab, watch, count):
    """The kernel tells of a death that comes later only, so whoever asks for the signal must look for itself then: what
    comes after it takes seconds here. The relay asks, and pid 1 of the box does, twice."""
    slow = "relay/prctl@0:24=delay:50,init/mkdirat=delay:100"
    problems, reached = kill_at_call(lab, watch, f"prctl@0:1#{count}=kill,{slow}")
    assert reached and problems == []


@pytest.mark.slow
@root_and_one
@pytest.mark.parametrize("call", dict.fromkeys([
    *CALLS, *SETUP, "mmap", "fcntl", "rt_sigprocmask", "rt_sigaction", "pipe2", "socketpair", "fstat", "newfstatat",
    "readlink", "ppoll", "wait4"]))
def test_killed_at_each_call_of_the_launch(lab, watch, call):
    kill_at_each(lab, watch, call)


@root_and_one
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGSEGV,
                                    signal.SIGABRT, signal.SIGPIPE, signal.SIGALRM, signal.SIGXCPU, signal.SIGUSR1])
def test_ended_by_another_signal(lab, watch, number):
    """Also by those that it passes on: the command ignores some, and then a second one is SIGKILL."""
    with start(lab, watch, stdout=subprocess.PIPE) as pinfold:
        assert pinfold.stdout.readline() == b"up\n"
        pinfold.send_signal(number)
        try:
            pinfold.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            pinfold.kill()
            pinfold.wait()
        assert watch.problems() == []


def test_stopped_pinfold_killed(lab, watch):
    with start(lab, watch, stdout=subprocess.PIPE) as pinfold:
        assert pinfold.stdout.readline() == b"up\n"
        pinfold.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        pinfold.kill()
        pinfold.wait()
        assert watch.problems() == []
