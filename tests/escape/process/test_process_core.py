"""A crash inside must not start the host's core handler nor leave a core file: 113."""
import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest

PATTERN = Path("/proc/sys/kernel/core_pattern")
LOCK = Path("/var/tmp/pinfold-test-core-pattern.lock")
CRASH = {"as-it-is": "", "limit-0": "ulimit -S -c 0; ", "limit-max": "ulimit -S -c hard; "}


@pytest.fixture
def handler(lab):
    """The host's core handler for the time of this test: a script that notes the names of the programs that crash;
    gives the count of a name. One test at a time; a guard process restores the old one, also when the test run is
    killed."""
    if os.geteuid() != 0:
        pytest.skip("only root can set the core handler")
    lock = open(LOCK, "w", encoding="ascii")
    fcntl.flock(lock, fcntl.LOCK_EX)
    old = PATTERN.read_text()
    marker = lab.scratch.path / "crashes"
    script = lab.scratch.path / "handler"
    script.write_text(f'#!/bin/sh\nexec 2>/dev/null\necho "$1" >>{marker}\ncat >/dev/null\n')
    script.chmod(0o755)
    guard = subprocess.Popen(["/bin/sh", "-c", f'trap "" INT TERM HUP; cat >/dev/null; printf %s "$0" >{PATTERN}', old],
                             stdin=subprocess.PIPE, start_new_session=True)
    PATTERN.write_text(f"|{script} %e")
    yield lambda name: marker.read_text().split().count(name) if marker.exists() else 0
    guard.stdin.close()
    guard.wait()
    restored = PATTERN.read_text() == old
    lock.close()
    assert restored


def crash(limit, name):
    """A shell that takes this name (of at most 15 bytes) and crashes."""
    return ["/bin/bash", "-c", f"{CRASH[limit]}printf {name} >/proc/self/comm; kill -SEGV $$"]


def seen(handler, name, seconds):
    """How often the handler ran for this name; it runs beside the crash, so wait a little."""
    end = time.monotonic() + seconds
    while not handler(name) and time.monotonic() < end:
        time.sleep(0.02)
    return handler(name)


@pytest.mark.parametrize("limit", CRASH)
def test_e113_core_handler(lab, handler, limit):
    """A piped core handler of the host doesn't run for a crash in the box. To the kernel a limit of 0 is none for a
    piped handler, only a limit of 1 keeps it from running; the crashing program may also have set one of its own."""
    lab.plain(crash(limit, "pf-outside"))
    assert seen(handler, "pf-outside", 2) == 1, "control leg: the handler did not run"
    done = lab.run(crash(limit, "pf-inside"))
    assert done.code == 139, done
    assert seen(handler, "pf-inside", 0.3) == 0, "the host's core handler ran for a crash in the box"


def test_e113_core_file(lab):
    """No core file is left in the workspace, and the limit can't be raised again: the call is answered with success,
    for programs that set it and stop when they can't, and has no effect."""
    attempt = (f"import resource, subprocess; subprocess.run([{str(lab.attacker)!r}, 'core_limit_raise'], check=True)\n"
               "for pair in (1 << 20, 1 << 20), (1, resource.RLIM_INFINITY), (0, 0):\n"
               "    try: resource.setrlimit(resource.RLIMIT_CORE, pair)\n"
               "    except (OSError, ValueError): pass\n"
               "    try: resource.prlimit(0, resource.RLIMIT_CORE, pair)\n"
               "    except (OSError, ValueError): pass\n"
               "    print(resource.getrlimit(resource.RLIMIT_CORE))\n")
    limits = set(lab.run(["/usr/bin/python3", "-c", attempt], "--read", lab.attacker.parent).out.splitlines()[1:])
    assert limits == {"(1, 1)"}, limits
    before = sorted(os.listdir(lab.ws))
    for limit in CRASH:
        done = lab.run(crash(limit, "pf-inside"))
        assert done.code == 139, done
    assert sorted(os.listdir(lab.ws)) == before
