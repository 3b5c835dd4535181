"""valgrind on a dynamic build: no error and no open descriptor left, in unit tests, explain, check and runs that are refused.

Not real boxes: valgrind has no clone3, and no Landlock either: explain is a refusal (126)."""
import re
import subprocess

import pytest

from sanitized import ROOT, configured, made
from harness import users
import harness

pytestmark = pytest.mark.slow
# These try what valgrind does not have (calls that it does not know, a filter or Landlock on itself), or have children that
# do not end under it.
NOT_HERE = {"confine", "fds", "lookup", "seccomp", "fd", "invariants", "relay", "relay_end", "tie"}
UNIT = sorted(p.stem for p in (ROOT / "tests/unit").glob("*.c") if p.stem not in NOT_HERE)


def build():
    return configured("build-dynamic", "gcc", "-Dstatic=false", "-Dstrip=false", "-Doptimization=1")


def valgrind(lab, *argv, **more):
    log = lab.outside / "valgrind"
    line = ["valgrind", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
            "--track-fds=yes", f"--log-file={log}", *argv]
    result = lab.plain(line, timeout=600, **more)
    text = log.read_text()
    assert "ERROR SUMMARY: 0 errors" in text and result.code != 99, text[-5000:] + repr(result)
    return result, text


@pytest.fixture
def lab():
    one = harness.Lab(users()[0])
    yield one
    one.close()


@pytest.mark.parametrize("name", UNIT)
def test_a_unit_test(lab, name):
    made("ninja", "-C", build(), "--quiet", f"tests/unit-{name}")
    result, _ = valgrind(lab, ROOT / "build-dynamic/tests" / f"unit-{name}", cwd=ROOT)
    assert result.code == 0, result


@pytest.mark.parametrize("words, status", [
    (["explain"], 126), (["explain", "--json"], 126), (["explain", "--mode", "discard"], 126), (["--version"], 0),
    (["run", "--help"], 0), (["check", ROOT / "policies/default.json"], 0), (["trust", "--list"], 0),
    (["run", "--nothing"], 125), (["run", "--workspace", "/nowhere", "--", "true"], 125),
    (["run", "--read", "/", "--", "true"], 125), (["run", "--waive", "nothing", "--", "true"], 125),
], ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else None)
def test_what_ends_without_a_box(lab, words, status):
    result, text = valgrind(lab, build() / "pinfold", *words)
    assert result.code == status, result
    own = [row for row in re.findall(r"Open file descriptor (\d+): (\S+)", text) if "valgrind" not in row[1] and int(row[0]) > 2]
    assert not own, f"left open: {own}"


def test_a_fault_is_found(lab, tmp_path):
    """Control: memory that was given back, and a descriptor that stays."""
    (tmp_path / "fault.c").write_text("#include <fcntl.h>\n#include <stdlib.h>\nint main(void) {\n    char *p = malloc(4);\n"
                                      '    open("/etc/passwd", O_RDONLY);\n    free(p);\n    return p[1] == 5;\n}\n')
    subprocess.run(["gcc", "-g", tmp_path / "fault.c", "-o", lab.outside / "fault"], check=True)
    with pytest.raises(AssertionError, match="Invalid read"):
        valgrind(lab, lab.outside / "fault")
    assert re.search(r"Open file descriptor \d+: /etc/passwd", (lab.outside / "valgrind").read_text())
