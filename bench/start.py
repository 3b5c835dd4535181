"""The start benchmark: how long does it take until a command runs in a box, and how long the whole run?

Interleaved, as the user who calls it, all on one core with --core: a plain spawn of a static program that says when it
began (bench/true.c), pinfold run of it, also in the modes readonly and discard, and bubblewrap's `--unshare-all
--ro-bind / / --proc /proc --dev /dev --tmpfs /tmp` of it; each with /dev/null as output and with pipes. Prints tables of medians and the ratio to bubblewrap; --json
FILE writes the same as JSON. "start" is from before the spawn to the command's first line, pinfold's verify included;
"whole run" until the spawned process has been waited for: pinfold's ends when everything in the box has, bubblewrap's
doesn't wait for its pid 1. Called by bench/run, which builds the programs.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BUBBLEWRAP = ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
GOAL = 0.6  # of bubblewrap's median
WARM_UP = 5


def processor():
    """The model of the first core, as the kernel tells it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "CPU part"):
            return value.strip()
    return platform.machine()


def commands(pinfold, true):
    """{name: argv}: what is compared. bubblewrap is left out, with a word, where it isn't installed or doesn't work."""
    box = [pinfold, "run", "--fd", "3"]
    found = {"spawn": [true], "pinfold": [*box, "--", true]}
    found |= {mode: [*box, "--mode", mode, "--", true] for mode in ("readonly", "discard")}
    bwrap = shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")
    if bwrap and subprocess.run([bwrap, *BUBBLEWRAP, "/bin/true"], capture_output=True).returncode == 0:
        found["bubblewrap"] = [bwrap, *BUBBLEWRAP, true]
    else:
        print("bubblewrap is not here or makes no box for this user: no comparison", file=sys.stderr)
    return found


def measure(spawn, found, rounds, core, piped):
    """{name: [(microseconds until it began, until it ended), ...]} of interleaved rounds, without the first few."""
    options = (["-c", str(core)] if core is not None else []) + (["-p"] if piped else [])
    words = [word for argv in found.values() for word in (",", *argv)]
    done = subprocess.run([spawn, *options, str(rounds + WARM_UP), *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench: {spawn} ended with status {done.returncode}")
    rows = [[float(n) for n in line.split()] for line in done.stdout.splitlines()][WARM_UP:]
    return {name: [(row[2 * i], row[2 * i + 1]) for row in rows] for i, name in enumerate(found)}


def summary(times):
    rows = {}
    for name, pairs in times.items():
        starts, wholes = zip(*pairs)
        rows[name] = {"start_us": round(statistics.median(starts), 1), "start_minimum_us": min(starts),
                      "whole_us": round(statistics.median(wholes), 1)}
    for row in rows.values():
        if "bubblewrap" in rows:
            for key in ("start", "whole"):
                row[f"{key}_to_bubblewrap"] = round(row[f"{key}_us"] / rows["bubblewrap"][f"{key}_us"], 3)
    return rows


def show(title, rows):
    print(f"\n{title}\n{'':12}{'start':>10}{'minimum':>10}{'to bubblewrap':>15}{'whole run':>12}{'to bubblewrap':>15}")
    for name, row in rows.items():
        print(f"{name:12}{row['start_us']:>10.0f}{row['start_minimum_us']:>10.0f}"
              f"{row.get('start_to_bubblewrap', float('nan')):>15.2f}{row['whole_us']:>12.0f}"
              f"{row.get('whole_to_bubblewrap', float('nan')):>15.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--core", type=int, help="pin everything to this core")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    parser.add_argument("--check", action="store_true", help=f"end with 1 when pinfold's start takes over {GOAL} of bubblewrap's")
    options = parser.parse_args()
    build = options.build.resolve()
    result = {"kernel": platform.release(), "processor": processor(), "cores": os.cpu_count(), "uid": os.geteuid(),
              "core": options.core, "rounds": options.rounds, "load": os.getloadavg()[0]}
    if result["load"] > 1:
        print(f"bench: the machine is busy (load {result['load']:.1f}): the numbers say little", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="pinfold-bench-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        work = Path(folder, "work")
        work.mkdir()
        # copies, so that a build that goes on meanwhile doesn't matter; pinfold may not lie in the workspace
        true = shutil.copy(build / "bench" / "true", work)
        spawn = shutil.copy(build / "bench" / "spawn", folder)
        os.chdir(work)
        found = commands(shutil.copy(build / "pinfold", folder), os.fspath(true))
        where = f"core {options.core}" if options.core is not None else f"{result['cores']} cores"
        print(f"Linux {result['kernel']}, {result['processor']}, {where}, uid {result['uid']}, {options.rounds} rounds;"
              " microseconds")
        for key, piped in (("null", False), ("pipes", True)):
            result[key] = summary(measure(spawn, found, options.rounds, options.core, piped))
            show("output to /dev/null" if key == "null" else "output to two pipes", result[key])
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")
    ratios = [result[key]["pinfold"].get("start_to_bubblewrap") for key in ("null", "pipes")]
    if options.check and (None in ratios or max(ratios) > GOAL):
        sys.exit(f"bench: pinfold's start is {ratios} of bubblewrap's, wanted at most {GOAL}")


if __name__ == "__main__":
    main()
