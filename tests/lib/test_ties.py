"""A host dies at any moment, by any signal: within a second nothing of its boxes is alive."""
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from harness import ROOT
from library import HOSTS

sys.path.insert(0, os.fspath(ROOT / "tests" / "degrade"))
from survivors import Watch  # noqa: E402

BOXES = 3


FORKS = r"""
#include <pinfold.h>
#include <unistd.h>
int main(int argc, char **argv) {
    const char *const words[] = {"sh", "-c", "trap '' TERM; echo up; while :; do sleep 300; done", NULL};
    struct pinfold_run run = PINFOLD_RUN_INIT;
    struct pinfold *pinfold;
    struct pinfold_box *box;
    run.arguments = words;
    run.standard[1] = 1;
    if (pinfold_open(&pinfold, argv[1], NULL) || pinfold_box_start(pinfold, &run, &box, NULL)) return 1;
    if (argc > 2) { sleep(1); execlp("sleep", "sleep", "300", (char *)NULL); }
    if (!fork()) { sleep(300); return 0; }   /* holds a copy of whatever the host has open */
    pause();
}
"""


@pytest.fixture
def forking(lab):   # before watch, which looks at what is there
    source = lab.file(lab.outside / "forks.c", FORKS)
    program = lab.outside / "forks"
    subprocess.run(["gcc", "-I", ROOT / "include", source, HOSTS.parent / "libpinfold.a", "-o", program, "-pthread"],
                   check=True)
    return program


@pytest.fixture
def watch(lab):
    with Watch(lab) as one:
        yield one


def start(lab, watch):
    argv = lab.user.argv([HOSTS, lab.pinfold, "held", str(BOXES), watch.mark])
    return subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)


def up(held):
    for _ in range(BOXES):
        assert held.stdout.readline() == b"up\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT, signal.SIGHUP])
def test_host_ends_by_a_signal(lab, watch, number):
    """What is inside ignores SIGTERM and more, and has sessions of its own."""
    with start(lab, watch) as held:
        up(held)
        assert len(watch.alive()) >= 1 + 3 * BOXES   # control: host, and of each box pinfold, init, command at least
        held.send_signal(number)
        assert held.wait(timeout=10) == -number
        assert watch.problems() == []


@pytest.mark.parametrize("rounds", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_host_is_killed_at_random_moments(lab, watch, rounds, request):
    seed = os.environ.get("PINFOLD_SEED") or str(random.randrange(1 << 32))
    print(f"seed: PINFOLD_SEED={seed}")
    moments, problems = random.Random(f"{seed} {request.node.name}"), []
    began = time.monotonic()
    with start(lab, watch) as held:
        up(held)
        longest = 1.2 * (time.monotonic() - began)
        held.kill()
        held.wait(timeout=10)
    problems += watch.problems()
    for _ in range(rounds):
        after = moments.uniform(0, longest)
        with start(lab, watch) as held:
            time.sleep(after)
            held.kill()
            held.wait(timeout=10)
            problems += [f"after {after * 1000:.2f} ms: {problem}" for problem in watch.problems()]
    assert problems == []


def tied(lab, program, *more):
    return subprocess.Popen(lab.user.argv([program, lab.pinfold, *more]), cwd=lab.ws, env=lab.environment(),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def inside(watch):
    """The boxes' processes: whatever is alive but for those that run the host's own program."""
    return {pid for pid in watch.alive() if not os.readlink(f"/proc/{pid}/exe").endswith("/forks")}


def test_a_copy_of_the_host_keeps_no_box_alive(lab, forking, watch):
    with tied(lab, forking) as held:
        assert held.stdout.readline() == b"up\n"
        time.sleep(0.1)
        assert inside(watch)
        held.kill()
        held.wait(timeout=10)
        time.sleep(1)
        alive = {pid for pid in watch.alive()}
        assert len(alive) == 1, "the copy of the host alone is left"
        assert watch.problems()   # control: it is seen, and ended


def test_a_host_that_becomes_another_program_loses_its_boxes(lab, forking, watch):
    with tied(lab, forking, "exec") as held:
        assert held.stdout.readline() == b"up\n"
        time.sleep(2.2)
        assert held.poll() is None
        assert watch.alive() == {held.pid}
        held.kill()
        held.wait(timeout=10)
    assert watch.problems() == []
