"""Looks for what is left of a killed box: processes by descent and by mark, mounts, and the user's folders.

While a Watch is entered this process is a subreaper, so everything started below it stays below it. Processes that
have lost pinfold are then its children, whatever their names.
"""
import ctypes
import os
import time
import uuid
from pathlib import Path

from harness import BUILD, tree

PR_SET_CHILD_SUBREAPER = 36
DEADLINE = 1.0


def subreaper(on):
    assert ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0


def processes():
    """{pid: (parent, state)}"""
    table = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        table[int(name)] = (int(fields[1]), fields[0])
    return table


def descendants(root, table):
    found, heads = [], {root}
    while heads:
        heads = {pid for pid, (parent, _) in table.items() if parent in heads}
        found += heads
    return found


def told(pid):
    """How a process is told in a failure: its program and arguments."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"{pid} {os.readlink(f'/proc/{pid}/exe')}: {words[-200:]}"
    except OSError as problem:
        return f"{pid} ({problem.strerror})"


def program(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def marked(pid, mark):
    try:
        return mark in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


class Watch:
    """What a lab's box may leave behind: nothing."""

    def __init__(self, lab):
        self.lab = lab
        self.mark = uuid.uuid4().hex

    def __enter__(self):
        subreaper(True)
        self.before = self.world()
        self.others = set(descendants(os.getpid(), processes()))
        return self

    def __exit__(self, *_):
        subreaper(False)

    def world(self):
        return Path("/proc/self/mountinfo").read_text(), tree(self.lab.scratch.path)

    def alive(self):
        """Processes below this one that were not there at the start, and marked ones anywhere; degrade's own aside."""
        table = processes()
        below = set(descendants(os.getpid(), table)) - self.others
        marked_ones = {pid for pid in table if marked(pid, self.mark.encode()) and pid != os.getpid()}
        living = {pid for pid in below | marked_ones if table[pid][1] not in "ZX"}
        return {pid for pid in living if program(pid) != os.fspath((BUILD / "tests" / "degrade").resolve())}

    def reap(self):
        """Collect zombies that this process inherited, so that they do not pile up."""
        for pid, (parent, state) in processes().items():
            if parent == os.getpid() and state == "Z" and pid not in self.others:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    continue

    def survivors(self, spare=()):
        """What is left running of it, told and killed; waits at most DEADLINE for the last process to go."""
        end = time.monotonic() + DEADLINE
        while (left := self.alive() - set(spare)) and time.monotonic() < end:
            time.sleep(0.005)
        self.reap()
        found = [f"HOLE: survivor {told(pid)}" for pid in left]
        for pid in left:   # by its id, found by descent from this very process
            os.kill(pid, 9)
        return found

    def problems(self, spare=()):
        """What is wrong now that pinfold is dead."""
        found = self.survivors(spare)
        mounts, files = self.world()
        if mounts != self.before[0]:
            found.append(f"HOLE: mounts changed: {set(mounts.splitlines()) ^ set(self.before[0].splitlines())}")
        if files != self.before[1]:
            rows = [row for row in files + self.before[1] if (row in files) != (row in self.before[1])]
            found.append(f"files changed: {rows}")
        return found
