"""Ways out through the links in /proc (entry 28)."""
import os
import shlex
import subprocess
import time

import pytest

import harness
from places import hold, prepare


@pytest.mark.parametrize("place", ["root", "cwd"])
def test_e028_climb_and_create(lab, place):
    """/proc/self/root and cwd lead to the box's own tree, and `..` does not leave it."""
    hold(lab, ["climb-create", place, lab.outside / "new"])


@pytest.mark.parametrize("place", ["root", "cwd"])
def test_e028_climb_and_read(lab, place):
    """The same for reading what is not granted."""
    lab.legs(["climb-read", place, lab.outside / "f"], {"ENOENT"}, grant=["--read", lab.outside],
             prepare=lambda: prepare(lab))


@pytest.mark.parametrize("attack, name", [("each-process-create", "new"), ("each-process-read", "f")])
@pytest.mark.parametrize("place", ["root", "cwd"])
def test_e028_other_processes(lab, attack, name, place):
    """No other process in the box, pid 1 included, has a root or a working directory that leads out.

    The control has a process of the same user beside it, with the root of the host.
    """
    prepare(lab)
    path = os.fspath(lab.outside / name)
    path = path if place == "root" else "../" * 20 + path
    victim = subprocess.Popen(lab.user.argv(["/bin/sleep", "60"]), stdin=subprocess.DEVNULL)
    until = time.monotonic() + 10
    while open(f"/proc/{victim.pid}/comm").read() != "sleep\n" and time.monotonic() < until:
        time.sleep(0.02)
    try:
        for options in ([], ["--read", lab.outside] if attack.endswith("create") else []):
            lab.legs([attack, place, path], {"EACCES"}, options=options, prepare=lambda: prepare(lab),
                     witness=lambda: harness.tree(lab.outside), without=("landlock",))
    finally:
        victim.kill()
        victim.wait()


@pytest.mark.parametrize("place", ["root", "cwd"])
def test_e028_sibling_in_the_box(lab, place):
    """A process beside the attacker in the box has the same tree as the attacker."""
    path = os.fspath(lab.outside / "new")
    path = path if place == "root" else "../" * 20 + path
    line = shlex.join([os.fspath(lab.attacker), "each-process-create", place, path])
    words = ["/bin/sh", "-c", f"sleep 60 & {line}; code=$?; kill $!; exit $code"]
    lab.legs(words, {"ENOENT"}, prepare=lambda: prepare(lab), witness=lambda: harness.tree(lab.outside))
    lab.legs(words, {"EROFS"}, options=["--read", lab.outside], prepare=lambda: prepare(lab),
             witness=lambda: harness.tree(lab.outside), control=False, without=("landlock",))
