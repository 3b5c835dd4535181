"""pinfold built in other ways, in build-*/, beside the test programs as they are: attackers and commands stay as built."""
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import harness

ROOT = harness.ROOT


def made(*line, seconds=900):
    """A build's command, from the project's folder."""
    done = subprocess.run(line, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def configured(folder, compiler, *options):
    """Configures build-FOLDER once, and builds pinfold and its twin there."""
    folder = ROOT / folder
    if not (folder / "build.ninja").exists():
        made("tools/fetch-sources")
        made("env", f"CC={compiler}", "meson", "setup", folder, *options)
    made("ninja", "-C", folder, "--quiet", "pinfold", "pinfold-layers")
    return folder


@contextmanager
def staged(folder):
    """A folder that every user can read: pinfold from a build of another kind, the rest from the ordinary one."""
    with tempfile.TemporaryDirectory(prefix="pinfold-staged-", dir="/var/tmp") as stage:
        stage = Path(stage)
        stage.chmod(0o755)
        shutil.copytree(harness.BUILD / "tools", stage / "tools")
        (stage / "tests").mkdir()
        for name in ("attacker", "degrade", "enter", "golden"):
            shutil.copy(harness.BUILD / "tests" / name, stage / "tests")
        for name in ("pinfold", "pinfold-layers"):
            shutil.copy(folder / name, stage)
        yield stage


def suite(build, *tests, without=(), seconds=3000, passing=True):
    """Tests run with that build: the summary; all must have passed, unless only what they reach counts."""
    line = ["/usr/bin/python3", "-B", "-m", "pytest", "-c", "tests/pytest.ini", "-p", "no:cacheprovider", "-q", "--tb=short",
            "-n", "1", "-m", "not slow", *(f"--deselect={name}" for name in without), *tests]
    env = {**os.environ, "PINFOLD_BUILD": os.fspath(build), "PYTHONPATH": os.fspath(ROOT / "tests")}
    env.pop("PINFOLD_REPORT", None)
    done = subprocess.run(line, cwd=ROOT, env={k: v for k, v in env.items() if not k.startswith("PYTEST_")},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
    sys.stdout.write(done.stdout[-200:])
    assert not passing or done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]
    return done.stdout.splitlines()[-1]
