"""Many attacks in one run: tables of calls that need no scene, one control run and one box for the whole table."""
import os
import shlex
import subprocess

import harness

PRIVATE = ("/usr/bin/unshare", "-Urn", "--keep-caps")


def script(lab, attacks):
    """A shell script that runs attack after attack and says `STATUS OUTPUT` of each on a line."""
    line = 'o=$({}); echo "$? $o"'
    return "\n".join(line.format(shlex.join([os.fspath(lab.attacker), *map(str, words)])) for words in attacks)


def verdicts(result, attacks):
    """What each attack came to, read from the script's output."""
    lines = result.out.splitlines()
    assert len(lines) == len(attacks), f"{len(lines)} results of {len(attacks)} attacks: {result}"
    found = []
    for line in lines:
        status, _, out = line.partition(" ")
        found.append(harness.Result(subprocess.CompletedProcess((), int(status), out, "")).verdict)
    return found


def outside(lab, attacks, *, root=False, front=()):
    """What the attacks come to without a box; as root of the host, or behind a command such as unshare."""
    user = lab.user
    if root and os.geteuid() == 0:
        lab.user = harness.User(0)
    elif root:
        front = PRIVATE
    try:
        return verdicts(lab.plain([*front, "/bin/sh", "-c", script(lab, attacks)]), attacks)
    finally:
        lab.user = user


def inside(lab, attacks, *options, layer=None):
    """What they come to in one box, without one of its layers if so told."""
    more = {"binary": lab.layers_off, "env": {"PINFOLD_WITHOUT": layer}} if layer else {}
    return verdicts(lab.run(["/bin/sh", "-c", script(lab, attacks)], *options, **more), attacks)


def expect(seen, allowed, attacks, where):
    """Every attack came to one of what is allowed; all that didn't are named. `allowed` is one set or one for each."""
    each = allowed if isinstance(allowed, list) else [allowed] * len(attacks)
    wrong = [f"{' '.join(map(str, words))}: {one}, not {sorted(may)}"
             for words, one, may in zip(attacks, seen, each) if one not in may]
    assert not wrong, f"{where}: " + "; ".join(wrong)


def legs(lab, attacks, denied, *, control=frozenset({"ok"}), **how):
    """The control and the denied leg of a table; `control` is what may be seen outside, None leaves that leg out."""
    if control is not None:
        expect(outside(lab, attacks, **how), control, attacks, "control leg")
    expect(inside(lab, attacks), denied, attacks, "in the box")
