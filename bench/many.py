"""Many: 100 boxes at once and 10,000 in a row. Do all succeed, and is everything given back?

What boxes leak would be descriptors, processes or mounts of the caller, or objects of the kernel. Those are counted a
while after each tenth of the runs, and a leak is what grows with the boxes: the slope of a line through the counts, so
that what other programs do at the time isn't taken for one.
"""
import ctypes
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import common
from memory import children

SAMPLES, SETTLE = 10, 1.0   # seconds: the kernel takes network namespaces down later, in a queue
SUBREAPER = 36              # PR_SET_CHILD_SUBREAPER: whoever outlives its parent becomes a child of ours
# Kernel objects that stand for a box or a process of it. Others, such as dentry, are caches and grow with any use.
KEPT = ("mnt_cache", "pid_namespace", "net_namespace", "user_namespace", "uts_namespace", "nsproxy", "task_struct",
        "pid", "cred_jar", "cred", "sock_inode_cache", "mqueue_inode_cache", "signal_cache", "sighand_cache", "filp")
PER_BOX, SLACK = 0.2, 500   # objects: a leak grows by more for each box, and by more in all


def at_once(place, count):
    """All are alive before the first may end: each says that it is in, and waits for the end of its input."""
    words = [place.pinfold, "run", "--", "/bin/sh", "-c", "echo in; read line; exit 0"]
    wait, go = os.pipe()
    start = time.perf_counter()
    boxes = [subprocess.Popen(words, stdin=wait, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    os.close(wait)
    alive = sum(box.stdout.readline() == "in\n" for box in boxes)
    began = time.perf_counter() - start
    os.close(go)
    bad = [box.wait() for box in boxes]
    for box in boxes:
        box.stdout.close()
    failed = max(sum(status != 0 for status in bad), count - alive)
    return {"count": count, "failed": failed, "all_began_seconds": round(began, 3),
            "seconds": round(time.perf_counter() - start, 3)}


def counts(settle):
    """What there is now, by name; kernel objects for root only."""
    time.sleep(settle)
    found = {"descriptors": len(os.listdir("/proc/self/fd")), "processes": len(children(os.getpid())),
             "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines())}
    if os.geteuid() == 0 and os.path.exists("/proc/slabinfo"):
        rows = (line.split() for line in Path("/proc/slabinfo").read_text().splitlines()[2:])
        found |= {f"slab {row[0]}": int(row[1]) for row in rows}
    return found


def leaks(samples, step):
    """({name: growth of a box}, names of what leaks): the caller's own things may not grow at all."""
    boxes = [i * step for i in range(len(samples))]
    slope = lambda name: statistics.linear_regression(boxes, [sample.get(name, 0) for sample in samples]).slope
    slopes = {name: round(slope(name), 3) for name in samples[0]}
    leaked = [name for name in ("descriptors", "processes", "mounts") if samples[-1][name] > samples[0][name]]
    leaked += [name for name in slopes if name.removeprefix("slab ") in KEPT and name.startswith("slab ") and
               slopes[name] > PER_BOX and slopes[name] * boxes[-1] > SLACK]
    return slopes, leaked


def in_a_row(place, count):
    words = [place.pinfold, "run", "--", "/bin/true"]
    step, failed, spent = count // SAMPLES, 0, 0.0
    settle = 0.05 if place.small else SETTLE
    once = lambda: subprocess.call(words, **common.NOWHERE)
    for _ in range(step):    # what is made once, and caches that fill
        failed += once() != 0
    samples = [counts(settle)]
    for _ in range(SAMPLES):
        start = time.perf_counter()
        failed += sum(once() != 0 for _ in range(step))
        spent += time.perf_counter() - start
        samples.append(counts(settle))
    slopes, leaked = leaks(samples, step)
    judged = {name: [samples[0][name], samples[-1][name], slopes[name]] for name in slopes
              if not name.startswith("slab ") or name.removeprefix("slab ") in KEPT}
    common.table(f"{step * SAMPLES} boxes in a row: what there is", ["", "before", "after", "for each box"],
                 [[name, *row] for name, row in judged.items()])
    largest = sorted((name for name in slopes if name not in judged), key=slopes.get, reverse=True)[:5]
    return {"count": step * (SAMPLES + 1), "failed": failed,
            "milliseconds_each": round(spent / step / SAMPLES * 1e3, 2), "leaked": len(leaked),
            "leaks": leaked, "kernel_objects": any(n.startswith("slab ") for n in slopes),
            "before_after_slope": judged, "other_slopes": {name: slopes[name] for name in largest}}


def measure(place):
    if ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0):
        sys.exit("bench: prctl")
    result = {"at_once": at_once(place, 5 if place.small else 100),
              "in_a_row": in_a_row(place, 20 if place.small else 10000)}
    common.table("many", ["", "boxes", "failed", "leaks", "time"], [
        ["at once", *[result["at_once"][key] for key in ("count", "failed")], "",
         f"{result['at_once']['seconds']} s in all"],
        ["in a row", *[result["in_a_row"][key] for key in ("count", "failed", "leaked")],
         f"{result['in_a_row']['milliseconds_each']} ms each"]])
    return result
