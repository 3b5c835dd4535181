"""A crash inside must not start the host's core handler nor leave a core file: 113."""
import os
import subprocess
import time
from pathlib import Path

import pytest

PATTERN = Path("/proc/sys/kernel/core_pattern")
CRASH = ["/bin/bash", "-c", "ulimit -S -c $(ulimit -H -c); kill -SEGV $$"]


@pytest.fixture
def handler(lab):
    """The host's core handler for the time of this test: a script that leaves a marker for each crash of the test's
    user in the test's workspace. A guard process restores the old one, also when the test run is killed."""
    if os.geteuid() != 0:
        pytest.skip("only root can set the core handler")
    old = PATTERN.read_text()
    marker = lab.scratch.path / "crashes"
    script = lab.scratch.path / "handler"
    script.write_text(f'#!/bin/sh\nexec 2>/dev/null\necho "$1" >>{marker}\ncat >/dev/null\n')
    script.chmod(0o755)
    guard = subprocess.Popen(["/bin/sh", "-c", f'trap "" INT TERM HUP; cat >/dev/null; printf %s "$0" >{PATTERN}', old],
                             stdin=subprocess.PIPE, start_new_session=True)
    PATTERN.write_text(f"|{script} %u")
    yield lambda: marker.read_text().split() if marker.exists() else []
    guard.stdin.close()
    guard.wait()
    assert PATTERN.read_text() == old


def crashed(lab, count):
    """True when the handler has run for this user; it runs beside the crash, so wait a little."""
    end = time.monotonic() + 1
    while not count() and time.monotonic() < end:
        time.sleep(0.02)
    return count()


@pytest.mark.xdist_group("core_pattern")
def test_e113_core_handler(lab, handler):
    """A piped core handler of the host doesn't run for a crash in the box. A limit of 0 doesn't stop a piped
    handler, a limit of 1 does."""
    lab.plain(CRASH)
    assert crashed(lab, handler), "control leg: the handler did not run"
    seen = len(handler())
    done = lab.run(CRASH)
    assert done.code == 139, done
    time.sleep(0.3)
    assert len(handler()) == seen, "the host's core handler ran for a crash in the box"


def test_e113_core_file(lab):
    """No core file is left in the workspace, and the limit can't be raised again."""
    lab.legs(["core_limit_raise"], {"EPERM"})
    before = sorted(os.listdir(lab.ws))
    done = lab.run(CRASH)
    assert done.code == 139, done
    assert sorted(os.listdir(lab.ws)) == before
