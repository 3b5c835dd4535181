"""What the benchmarks share: the place they run in, interleaved rounds, medians, tables.

A leg is one of the ways that are compared: the same act without a box, in one, and so on. Legs are interleaved, so that
a change of the machine's speed touches all alike, and a ratio is the median of the ratios of single rounds.
"""
import contextlib
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("acts", "inner", "landlock_only", "spawn")
BUBBLEWRAP = ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
NOWHERE = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}


def processor():
    """The model of the first core, as the kernel tells it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "CPU part"):
            return value.strip()
    return platform.machine()


def host():
    return {"kernel": f"Linux {platform.release()}", "processor": processor(), "cores": os.cpu_count(),
            "uid": os.geteuid(), "date": datetime.date.today().isoformat(), "load": os.getloadavg()[0]}


@contextlib.contextmanager
def place(options):
    """The options, and beside them a folder that is removed at the end, the current folder in it, where the boxes run
    (`work`), and copies of the programs, so that a build that goes on meanwhile doesn't matter. pinfold may not lie in
    the workspace, and a command must."""
    with tempfile.TemporaryDirectory(prefix="pinfold-bench-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        options.folder, options.work = Path(folder), Path(folder, "work")
        options.work.mkdir()
        build = Path(options.build).resolve()
        options.pinfold = shutil.copy(build / "pinfold", folder)
        for name in PROGRAMS:
            setattr(options, name, shutil.copy(build / "bench" / name, folder))
        options.true = os.fspath(shutil.copy(build / "bench" / "true", options.work))
        before = os.getcwd()
        os.chdir(options.work)
        yield options
        os.chdir(before)


def bubblewrap():
    """bubblewrap with its arguments, None where it isn't installed or makes no box for this user."""
    bwrap = shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin")
    if bwrap and subprocess.run([bwrap, *BUBBLEWRAP, "/bin/true"], capture_output=True).returncode == 0:
        return [bwrap, *BUBBLEWRAP]
    print("bubblewrap is not here or makes no box for this user: no comparison", file=sys.stderr)
    return None


def run(argv, **more):
    """Run a command that must end with 0; what it printed, when stdout is asked for."""
    done = subprocess.run(argv, text=True, **{"stdin": subprocess.DEVNULL, **more})
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, argv))} ended with status {done.returncode}")
    return done.stdout


def seconds(argv, **more):
    start = time.perf_counter()
    run(argv, **{**NOWHERE, **more})
    return time.perf_counter() - start


def interleaved(legs, rounds, measure):
    """{leg: [what measure(its argv) gave, ...]}, after one round that doesn't count."""
    rows = [{leg: measure(argv) for leg, argv in legs.items()} for _ in range(rounds + 1)]
    return {leg: [row[leg] for row in rows[1:]] for leg in legs}


def ratio(some, others):
    return round(statistics.median(a / b for a, b in zip(some, others)), 3)


def spread(numbers):
    """The middle half of the numbers, as a part of their median."""
    if len(numbers) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(numbers, n=4)
    return round((high - low) / middle, 3)


def table(title, head, rows):
    """Text in the first column, numbers in the others."""
    text = lambda cell: "-" if cell is None else f"{cell:.2f}" if isinstance(cell, float) and cell < 100 else (
        f"{cell:.0f}" if isinstance(cell, float) else str(cell))
    cells = [head, *[[text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    print(f"\n{title}")
    for row in cells:
        print("  ".join([row[0].ljust(widths[0]), *[c.rjust(w) for c, w in zip(row[1:], widths[1:])]]).rstrip())
