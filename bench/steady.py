"""Steady state: what does work cost that runs in a box, beside the same work without one and behind Landlock alone?

Whole commands, with the start of the box in them: a compile of a part of pinfold, `git status` on 100,000 files. Single
acts, timed in the command (acts.c), all on one core, so that a ping-pong is a switch and not the waking of a core.
"""
import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

import common

GCC = ["gcc", "-std=c17", "-D_GNU_SOURCE", "-iquote", "."]
COMPILE = f"for file; do {' '.join(GCC)} -O2 -c $file -o $file.o || exit; done"
GIT = ["git", "-c", "core.fsmonitor=false", "-c", "safe.directory=*"]
COMMIT = ["-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-q", "-m", "tree"]


def rules(place, workspace):
    """What the box's plan grants in `workspace`, as rules for landlock_only."""
    words = [place.pinfold, "explain", "--json", "--workspace", workspace, "--", "/bin/true"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    found = json.loads(common.run(words, cwd=workspace, **quiet))["mounts"]
    device = lambda mount: mount["why"] == "device" or mount["kind"] == "devpts"
    letter = lambda mount: ("p" if mount["kind"] == "proc" else "d" if device(mount) else
                            "w" if mount["writable"] else "r")
    return [f"{letter(m)}:{m['path']}" for m in found if m["kind"] not in ("link", "cover", "read-only")]


def legs(place, argv, workspace):
    return {"unboxed": argv, "landlock": [place.landlock_only, *rules(place, workspace), "--", *argv],
            "pinfold": [place.pinfold, "run", "--workspace", workspace, "--", *argv]}


def summary(times, unit):
    """{leg: median, spread, ratios} of {leg: numbers}."""
    return {leg: {unit: round(statistics.median(numbers), 4), "spread": common.spread(numbers),
                  "to_unboxed": common.ratio(numbers, times["unboxed"]),
                  "to_landlock": common.ratio(numbers, times["landlock"])} for leg, numbers in times.items()}


def compile_part(place):
    """The files of src/base and src/plan that need no library."""
    workspace = place.work / "src"
    shutil.copytree(common.ROOT / "src", workspace)
    files = [f"{file.parent.name}/{file.name}" for part in ("base", "plan")
             for file in sorted((workspace / part).glob("*.c"))]
    check = lambda file: subprocess.run([*GCC, "-fsyntax-only", file], cwd=workspace, capture_output=True)
    files = files[:1] if place.small else [file for file in files if check(file).returncode == 0]
    words = ["/bin/sh", "-c", COMPILE, "sh", *files]
    return legs(place, words, workspace), workspace


def tree(place):
    """A repository of 100,000 files, made once for each user and kept in /var/tmp; of 1,000 with --small, not kept."""
    folder = place.work / "tree" if place.small else Path(f"/var/tmp/pinfold-bench-tree-{os.geteuid()}")
    made = folder / ".git" / "pinfold-bench"
    if folder.exists() and folder.lstat().st_uid == os.geteuid() and made.exists():
        return folder
    folder.mkdir()    # fails when it is somebody else's, or half made
    for number in range(10 if place.small else 1000):
        part = folder / f"{number // 100}" / f"{number % 100}"
        part.mkdir(parents=True)
        for file in range(100):
            (part / f"{file}.txt").write_text(f"{number} {file}\n")
    for words in (["init", "-q"], ["add", "."], COMMIT, ["update-index", "--refresh"]):
        common.run([*GIT, *words], cwd=folder)
    made.touch()
    return folder


def git_status(place):
    workspace = tree(place)
    argv = [*GIT, "status", "--porcelain"]
    assert not common.run(argv, cwd=workspace, stdout=subprocess.PIPE), f"{workspace} was changed: remove it"
    return legs(place, argv, workspace), workspace


def acts(place):
    """{act: {leg: [nanoseconds, ...]}}"""
    program = shutil.copy(place.acts, place.work)
    ways = legs(place, [program, "0.02" if place.small else "0.05", place.true], place.work)
    core = {place.core if place.core is not None else max(os.sched_getaffinity(0))}
    one_core = {"stdout": subprocess.PIPE, "preexec_fn": lambda: os.sched_setaffinity(0, core)}

    def once(argv):
        rows = (line.split() for line in common.run(argv, **one_core).splitlines())
        return {name: float(number) for name, number in rows}

    times = common.interleaved(ways, max(1, place.rounds // 5), once)
    return {act: {leg: [row[act] for row in rows] for leg, rows in times.items()} for act in times["unboxed"][0]}


def measure(place):
    result = {}
    for name, (ways, cwd), rounds in (("compile", compile_part(place), place.rounds // 20),
                                      ("git status", git_status(place), place.rounds // 10)):
        times = common.interleaved(ways, max(1, rounds), lambda argv: common.seconds(argv, cwd=cwd))
        result[name] = summary(times, "seconds")
    for act, times in acts(place).items():
        result[act] = summary(times, "nanoseconds")
    for unit in ("seconds", "nanoseconds"):
        common.table(f"steady state; {unit}", ["", "", "median", "spread", "to unboxed", "to Landlock alone"],
                     [[name if leg == "unboxed" else "", leg, *row.values()]
                      for name, rows in result.items() for leg, row in rows.items() if unit in row])
    return result
