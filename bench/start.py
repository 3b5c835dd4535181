"""Start: how long does it take until a command runs in a box, and how long the whole run?

A plain spawn of a static program that says when it began (true.c), pinfold run of it, also in the modes readonly and
discard, and bubblewrap; each with /dev/null as output and with pipes. "start" is from before the spawn to the
command's first line, pinfold's verify included; "whole run" until the spawned process has been waited for: pinfold's
ends when everything in the box has, bubblewrap's doesn't wait for its pid 1. Then the inner half alone (inner.c), and
with --clis the whole run of /bin/true by sandboxes that npm has.
"""
import os
import shutil
import statistics
import subprocess
import sys

import common

WARM_UP = 5
ROOTS = 10    # of the inner half
CLIS = {"srt": ("@anthropic-ai/sandbox-runtime", ["srt"]), "codex": ("@openai/codex", ["codex", "sandbox"])}


def commands(place):
    """{name: argv}: what is compared."""
    box = [place.pinfold, "run", "--fd", "3"]
    found = {"spawn": [place.true], "pinfold": [*box, "--", place.true]}
    found |= {mode: [*box, "--mode", mode, "--", place.true] for mode in ("readonly", "discard")}
    bubblewrap = common.bubblewrap()
    return found | ({"bubblewrap": [*bubblewrap, place.true]} if bubblewrap else {})


def rows_of(argv):
    """The numbers that a program prints, line by line, without the first few lines."""
    out = common.run(argv, stdout=subprocess.PIPE)
    return [[float(n) for n in line.split()] for line in out.splitlines()][WARM_UP:]


def spawned(place, found, piped):
    """{name: {start, whole run, ratios}} of interleaved rounds."""
    options = (["-c", str(place.core)] if place.core is not None else []) + (["-p"] if piped else [])
    words = [word for argv in found.values() for word in (",", *argv)]
    columns = list(zip(*rows_of([place.spawn, *options, str(place.rounds + WARM_UP), *words])))
    times = {name: columns[2 * i:2 * i + 2] for i, name in enumerate(found)}
    rows = {}
    for name, (starts, wholes) in times.items():
        rows[name] = {"start_us": statistics.median(starts), "start_minimum_us": min(starts),
                      "start_spread": common.spread(starts), "whole_us": statistics.median(wholes)}
        if "bubblewrap" in times:
            for key, numbers, theirs in zip(("start", "whole"), (starts, wholes), times["bubblewrap"]):
                rows[name][f"{key}_to_bubblewrap"] = common.ratio(numbers, theirs)
    common.table(f"start, output to {'two pipes' if piped else '/dev/null'}; microseconds",
                 ["", "start", "spread", "to bubblewrap", "whole run", "to bubblewrap"],
                 [[name, row["start_us"], row["start_spread"], row.get("start_to_bubblewrap"), row["whole_us"],
                   row.get("whole_to_bubblewrap")] for name, row in rows.items()])
    return rows


def inner(place):
    folders = [place.work / f"root{n}" for n in range(ROOTS - 1)]
    for folder in folders:
        folder.mkdir()
    rules = [f"r:{place.work}", *[f"w:{folder}" for folder in folders]]
    rows = rows_of([place.inner, str(place.rounds + WARM_UP), *rules, "--", place.true])
    spawn, half = zip(*rows)
    found = {"spawn_us": statistics.median(spawn), "inner_half_us": statistics.median(half),
             "over_spawn_us": round(statistics.median(b - a for a, b in rows), 1)}
    common.table(f"the inner half alone, {ROOTS} roots; microseconds", ["spawn", "inner half", "over spawn"],
                 [list(found.values())])
    return found


def clis(place):
    """The whole run of /bin/true, started as a user would, by what npm has; {} where it can't be reached."""
    legs = {"spawn": ["/bin/true"], "pinfold": [place.pinfold, "run", "--", "/bin/true"]}
    bubblewrap = common.bubblewrap()
    legs |= {"bubblewrap": [*bubblewrap, "/bin/true"]} if bubblewrap else {}
    folder, versions = place.folder / "clis", {}
    home = place.folder / "home"    # what they keep there goes with the folder
    home.mkdir()
    os.environ["HOME"] = os.fspath(home)
    for name, (package, words) in CLIS.items():
        install = ["npm", "install", "--silent", "--prefix", folder, "--cache", place.folder / "npm", package]
        argv = [str(folder / "node_modules" / ".bin" / words[0]), *words[1:], "/bin/true"]
        if not shutil.which("npm") or subprocess.run(install, stdin=subprocess.DEVNULL).returncode:
            print(f"{name}: npm can't install {package} here", file=sys.stderr)
            continue
        tried = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if tried.returncode:
            print(f"{name}: makes no box here: {tried.stderr.strip() or tried.stdout.strip()}", file=sys.stderr)
            continue
        legs[name] = argv
        versions[name] = common.run([argv[0], "--version"], stdout=subprocess.PIPE).strip()
    if not versions:
        return {}
    times = common.interleaved(legs, max(3, place.rounds // 10), common.seconds)
    rows = {name: {"whole_ms": round(statistics.median(t) * 1e3, 2), "spread": common.spread(t),
                   "to_pinfold": common.ratio(t, times["pinfold"]), "version": versions.get(name)}
            for name, t in times.items()}
    common.table("whole run of /bin/true, as started from Python; milliseconds",
                 ["", "whole run", "spread", "to pinfold", "version"], [[n, *row.values()] for n, row in rows.items()])
    return rows


def measure(place):
    found = commands(place)
    result = {"rounds": place.rounds, "core": place.core, "null": spawned(place, found, False),
              "pipes": spawned(place, found, True), "inner": inner(place)}
    return result | ({"clis": clis(place)} if place.clis else {})
