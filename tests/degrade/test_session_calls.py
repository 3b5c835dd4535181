"""Each call by which a session is found, made, locked and left fails once: nothing runs, or all is as it would have been.

The collection of stale ones may fail as it likes: what is left goes with a later start.
"""
import os
import random

import pytest

from hosts import degraded, one_line
from rounds import recorded, rounds, rule
from sessions import account, needs_root, own, sessions  # noqa: F401 (fixtures)
from test_fail_closed import how_many, play
from test_steps import root_and_one

pytestmark = needs_root

LINE = "echo x >/tmp/f; echo y >~/f; echo ran"


def scene(sessions, there):
    """No session or one with something in it; and remainders and a stale one, which are collected."""
    sessions.lab.plain(["rm", "-rf", sessions.store])
    if there:
        sessions.ok("echo before >/var/tmp/f")
    sessions.ok("mkdir ~/a; touch ~/a/f", id="stale")
    sessions.age(sessions.folder("stale"), 9)
    left = sessions.store / ".old-1-1"
    (left / "home/x/y").mkdir(parents=True)
    own(sessions.lab, left)


@root_and_one
@how_many(6)
@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_a_call_of_a_session_fails(sessions, request, there, count):  # noqa: F811
    record = sessions.lab.scratch.path / "record"
    receipt = sessions.lab.scratch.path / "receipt.json"
    scene(sessions, there)
    result = sessions.run(LINE, inner=degraded(f"record:{record}"))
    assert result.code == 0 and result.out == "ran\n", result
    names = {"flock", "mkdirat", "fchmodat", "fchmodat2", "renameat", "utimensat", "openat2", "openat", "fstat", "newfstatat",
             "chmod", "fchmod", "getdents64", "unlinkat", "lseek", "write", "read", "poll"}
    calls = [c for c in recorded(record)[0] if c.startswith("supervisor/") and c.partition("/")[2].partition("@")[0] in names]
    assert {"supervisor/flock", "supervisor/utimensat", "supervisor/unlinkat"} <= set(calls), set(calls)

    def problem(one):
        scene(sessions, there)
        result = sessions.run(LINE, options=["--receipt", receipt], inner=degraded(rule(one)))
        kept = sessions.run("cat /tmp/f ~/f; cat /var/tmp/f 2>/dev/null; true")
        before = "before\n" if there else ""
        if result.code == 0 and result.out == "ran\n":
            return None if kept.out == f"x\ny\n{before}" else f"{rule(one)}: not kept: {kept}"
        refused = result.code in (125, 126) and result.out == "" and (one_line(result) or one[0] == "supervisor/write")
        if kept.code == 125 and "damaged" in kept.err:
            return f"{rule(one)}: left it damaged: {kept}"
        return None if (refused or result.code < 0) and kept.out == before else f"{rule(one)}: {result}, then {kept}"

    play(request, calls, count, problem)


@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_killed_at_every_call(sessions, there):  # noqa: F811
    """SIGKILL of the supervisor at calls of all kinds: the next run finds a whole session or makes a new one."""
    record = sessions.lab.scratch.path / "record"
    scene(sessions, there)
    sessions.ok(LINE, inner=degraded(f"record:{record}"))
    names = ("mkdirat", "flock", "renameat", "openat2", "utimensat", "unlinkat", "fchmodat", "write")
    calls = [c for c in recorded(record)[0] if c.startswith("supervisor/") and c.partition("/")[2] in names]
    ones = [(name, 1 + random.randrange(calls.count(name))) for name in sorted(set(calls))]
    for name, number in ones:
        scene(sessions, there)
        sessions.run(LINE, inner=degraded(f"{name}#{number}=kill"))
        assert sessions.ok("echo x >/tmp/f; cat /tmp/f; cat /var/tmp/f 2>/dev/null; true") == "x\n" + ("before\n" if there else ""), (name, number)
        for _ in range(2):
            sessions.ok("true")
        assert not [n for n in sessions.names() if n.startswith(".")], (name, number, sessions.names())
