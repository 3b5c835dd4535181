"""The host's core handler, set for the time of a test: one test at a time, and restored also when the run is killed."""
import contextlib
import fcntl
import subprocess
from pathlib import Path

PATTERN = Path("/proc/sys/kernel/core_pattern")
LOCK = Path("/var/tmp/pinfold-test-core-pattern.lock")


@contextlib.contextmanager
def core_pattern(text):
    """Needs root. A guard process puts the old text back when this one is gone."""
    with open(LOCK, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        old = PATTERN.read_text()
        restore = f'trap "" INT TERM HUP; cat >/dev/null; printf %s "$0" >{PATTERN}'
        with subprocess.Popen(["/bin/sh", "-c", restore, old], stdin=subprocess.PIPE, start_new_session=True) as guard:
            PATTERN.write_text(text)
            yield
            guard.stdin.close()
        assert PATTERN.read_text() == old
