"""Every call of a launch made to fail, one at a time. `rounds.py` says what a round is and what it may come to.

`make check` plays a sample of the rounds, whose seed is printed; `make check-all` plays all of them.
"""
import itertools
import os
import random

import pytest

from accounts import needs_root
from harness import Lab, users
from hosts import degraded, in_box, one_line
from refusals import Refusal
from rounds import VARIANTS, Fallbacks, Launch, Running, rounds
from survivors import Watch
from test_steps import root_and_one


def how_many(some):
    every = pytest.param(None, marks=pytest.mark.slow, id="every")
    return pytest.mark.parametrize("count", [pytest.param(some, id="some"), every])


def play(request, calls, count, problem):
    """The rounds of these calls, or `count` of them; problem(round) says what is wrong with one, if anything is."""
    these = list(rounds(calls))
    if count:
        seed = os.environ.get("PINFOLD_SEED") or str(random.randrange(1 << 32))
        print(f"seed: PINFOLD_SEED={seed}")
        these = random.Random(f"{seed} {request.node.name}").sample(these, count)
    problems = [text for one in these if (text := problem(one))]
    print(f"{len(these)} rounds")
    assert not problems, "\n".join([f"{len(problems)} of {len(these)} rounds:", *problems])


@how_many(8)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_call_of_a_launch_fails(lab, request, variant, count):
    """Refused and nothing ran, or the same guarantees hold by a fallback that the table names."""
    launch, table = Launch(lab, variant), Fallbacks()
    play(request, launch.undisturbed()[0], count, lambda one: launch.problem(one, table))


@needs_root
@root_and_one
@how_many(6)
@pytest.mark.parametrize("name", Refusal.CASES)
def test_a_call_of_a_refused_run_fails(lab, request, name, count):
    """What must be refused stays so: nothing that forbids is forgotten because it can't be looked at."""
    refusal, table = Refusal(lab, name), Fallbacks()
    play(request, refusal.undisturbed()[0], count, lambda one: refusal.problem(one, table))


@needs_root
@root_and_one
@pytest.mark.parametrize("some", [4, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "every"])
def test_each_look_that_may_miss_a_secret_fails(lab, some):
    """A home that can't be looked at is not one without secrets. Every look, or every fourth from one that is drawn."""
    refusal, table = Refusal(lab, "secret"), Fallbacks()
    looks = [one for one in rounds(refusal.undisturbed()[0]) if one[0] == "supervisor/lstat" and one[2] == "EPERM"]
    first = random.randrange(some)
    problems = [text for one in looks[first::some] if (text := refusal.problem(one, table))]
    assert len(looks) > some and not problems, problems


@root_and_one
@how_many(6)
@pytest.mark.parametrize("variant", ["plain", "discard", "tie", "terminal"])
def test_a_call_fails_while_the_command_runs(lab, request, variant, count):
    """No end that isn't so is told, no lost output is called success, nothing is left running."""
    running = Running(lab, variant)
    calls = running.undisturbed()[1]
    with Watch(lab) as watch:
        play(request, calls, count, lambda one: running.problem(one, watch))


@needs_root
@pytest.mark.slow
def test_every_line_of_the_table_is_needed():
    """For each line there is a round that comes to what it says; but for those about who is first."""
    needed = {key: result for key, result in Fallbacks().lines.items() if result != "begun"}
    for user, variant in itertools.product(users(), VARIANTS):
        lab = Lab(user)
        try:
            launch = Launch(lab, variant)
            for one in rounds(launch.undisturbed()[0]):
                call, _, errno = one
                keys = {(call, errno), (call, "*")} & needed.keys()
                if keys and errno != "EINTR":
                    result = launch.round(one)
                    needed = {key: listed for key, listed in needed.items() if key not in keys or listed != result}
        finally:
            lab.close()
        if not needed:
            return
    raise AssertionError(f"no round comes to these any more: {needed}")


@root_and_one
@pytest.mark.parametrize("slow", ["write", "read"])
def test_output_that_the_relay_still_has(lab, slow):
    """The box has ended, and the supervisor can't wait any more while the relay, held up, has output to deliver. Its
    last wait before that, for the box to be ready, may or may not be counted."""
    held = f"from-execve,supervisor/openat#1=delay:600,relay/{slow}=delay:1500"
    run = lambda rules: in_box(lab, command=["seq", "300"], inner=degraded(rules))
    result = run(held)
    assert (result.code, result.err, len(result.out.split())) == (0, "", 300), f"control leg: {result}"
    for number in (2, 3) * 5:
        result = run(f"{held},supervisor/poll#{number}=ENOMEM")
        whole = (result.code, result.err, len(result.out.split())) == (0, "", 300)
        assert whole or (result.code in (125, 137) and one_line(result)), result
        if result.code == 125 and "broke off" in result.err:
            return
    pytest.fail("in none of ten runs it was the wait for the relay that failed")
