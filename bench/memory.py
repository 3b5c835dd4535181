"""Memory: what do pinfold's own processes hold while a command runs? PSS, the kernel's proportional count, in which a
page that n processes share counts 1/n for each. Only root may ask: pinfold's processes are not dumpable."""
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import common


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_init(pid):
    return re.search(r"^NSpid:.*\t1$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE) is not None


def pss(pid):
    return int(re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)[1])


def sample(place, piped):
    output = subprocess.PIPE if piped else subprocess.DEVNULL
    words = [place.pinfold, "run", "--", "/bin/sleep", "3600"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output) as supervisor:
        runs = lambda pid: any(Path(f"/proc/{child}/comm").read_text() == "sleep\n" for child in children(pid))
        for _ in range(500):
            init = next((pid for pid in children(supervisor.pid) if is_init(pid)), None)
            if init and runs(init):
                break
            time.sleep(0.02)
        relays = [pid for pid in children(supervisor.pid) if pid != init]
        row = {"supervisor_kib": pss(supervisor.pid), "init_kib": pss(init), "relay_kib": sum(map(pss, relays))}
        supervisor.send_signal(signal.SIGTERM)
    return {**row, "supervisor_and_init_kib": row["supervisor_kib"] + row["init_kib"]}


def measure(place):
    if os.geteuid():
        print("memory: only root can see it", file=sys.stderr)
        return {"skipped": "only root can see it"}
    result = {"null": sample(place, False), "pipes": sample(place, True)}
    common.table("memory while the command sleeps; KiB of PSS", [
        "output", "supervisor", "pid 1", "relay", "without relay"],
                 [[name, *row.values()] for name, row in result.items()])
    return result
