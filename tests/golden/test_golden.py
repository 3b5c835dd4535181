"""The golden plans: hosts in text files, with the plan that is expected there. README.md here has the format."""
import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path(os.environ.get("PINFOLD_BUILD", ROOT / "build"))
PLANS = sorted(HERE.glob("*.plan"))


def golden(*arguments):
    done = subprocess.run([BUILD / "tests" / "golden", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.returncode, done.stdout


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.stem)
def test_plan(plan):
    status, text = golden(plan)
    assert status == 0, text


def expanded(path):
    """The lines of a file, with those of its parts, without comments."""
    lines = [re.sub(r"(^#| # ).*", "", line).rstrip() for line in path.read_text().splitlines()]
    return [more for line in lines if line.strip()
            for more in (expanded(HERE / "parts" / line.split()[1]) if line.startswith("use ") else [line])]


@pytest.fixture
def copy(tmp_path):
    """Writes a golden file that needs no parts."""
    def write(lines):
        path = tmp_path / "copy.plan"
        path.write_text("\n".join(lines) + "\n")
        return path
    return write


def test_each_line_matters(copy):
    """Of a file with everything in it: without any one line of the plan, with one twice or with another word it is
    told that the plan is another one; and a host without any one fact has another plan or message, but for facts that
    nothing depends on."""
    lines = expanded(HERE / "grants.plan")
    assert golden(copy(lines))[0] == 0, "control leg"
    start = lines.index("[plan]") + 1
    for i in range(start, len(lines)):
        for changed in ([], [lines[i], "what isn't there"], [lines[i] + " more"]):
            assert golden(copy(lines[:i] + changed + lines[i + 1:]))[0] == 1, lines[i]
    without = {lines[i] for i in range(start) if golden(copy(lines[:i] + lines[i + 1:]))[0] == 0}
    idle = {"kernel 6.12.48", "tmp /tmp", "var-tmp /var/tmp", "run /run", "read /srv/data/again", "read /usr/share/doc",
            "write /home/u/src/build", "account-home /home/u", "executable /usr/local/bin/pinfold file"}
    assert without == idle


def test_what_is_not_known_is_refused(copy):
    lines = expanded(HERE / "grants.plan")
    for wrong in ("kernal 6.12", "caller root", "landlock 0", "landlock none EWHAT", "missing landlok ENOSYS",
                  "fd 0 tube read", "missing landlock EFOO", "system /usr folder", "link /bin usr/bin", "fd 0 pipe",
                  "use what-is-not-there"):
        status, text = golden(copy(["[host]", wrong, *lines]))
        assert status == 2 and text, wrong
    for wrong in ("waive everything", "mode direkt", "read", "raed /srv", "workspace"):
        status, text = golden(copy(["[policy]", wrong, *lines]))
        assert status == 2 and text, wrong
    assert golden(copy(lines[:lines.index("[plan]") + 1]))[0] == 2, "a file that expects nothing"


def test_every_feature_of_hosts_has_a_plan():
    """Each Landlock ABI, each guarantee lost, each step that a host was seen to lack, each user, each stream."""
    text = {path.stem: "\n".join(expanded(path)) for path in PLANS}
    everything = "\n".join(text.values())
    assert len(PLANS) >= 40
    assert {int(n) for n in re.findall(r"^landlock (\d+)$", everything, re.M)} == set(range(1, 12))
    assert "landlock none" in everything
    namespaces = {f"{kind}-namespace" for kind in ("user", "mount", "pid", "net", "ipc", "uts", "cgroup")}
    missing = set(re.findall(r"^step missing: (\S+)$", everything, re.M))
    assert namespaces | {"id-maps", "mounts", "mounts-readonly", "proc", "sockets", "id-mapped-mounts", "keyring",
                         "limits", "seccomp", "landlock"} <= missing
    assert {0, 1000, 65534} <= {int(n) for n in re.findall(r"^caller (\d+):", everything, re.M)}
    refused = sum("exit 126" in one for one in text.values())
    started = sum("starts, confined waived" in one for one in text.values())
    assert refused >= 15 and started >= 8


def test_each_file_says_why():
    for path in PLANS:
        first = path.read_text().splitlines()[0]
        assert first.startswith("# ") and len(first) > 12, path.name


def test_print_shows_what_is_compared(tmp_path):
    """--print makes a file's expected lines: put back, they compare equal."""
    for path in PLANS:
        status, text = golden("--print", path)
        assert status == 0 and text
        facts = expanded(path)
        again = tmp_path / path.name
        again.write_text("\n".join(facts[:facts.index("[plan]") + 1]) + "\n" + text)
        assert golden(again)[0] == 0
