"""Work that takes several commands: what one leaves in the home and in /tmp is there for the next of the session."""
import json
import os
import subprocess

import harness
from sessions import account, needs_root, sessions  # noqa: F401 (fixtures)

pytestmark = needs_root

PIP = "/usr/bin/python3 -m pip install --user --no-index --no-build-isolation --break-system-packages --quiet"


def test_a_file_in_tmp_for_the_next_command(sessions):
    """Case C080: by /tmp, by TMPDIR, and from outside by the path that sessions tells."""
    sessions.ok("echo step1 >/tmp/handoff && d=${TMPDIR:-/tmp} && echo step1 >$d/handoff2")
    assert sessions.ok("cat /tmp/handoff ${TMPDIR:-/tmp}/handoff2 | sort -u") == "step1\n"
    folder = sessions.folder()
    assert (folder / "tmp" / "handoff").read_text() == "step1\n"
    control = sessions.account.pinfold("run", "--workspace", sessions.lab.ws, "--", "cat", "/tmp/handoff")
    assert control.code == 1, control   # without a session it is gone, as ever
    (folder / "tmp" / "answer").write_text("from outside\n")
    assert sessions.ok("cat /tmp/answer") == "from outside\n"


def test_temporary_folders(sessions):
    """Whatever TMPDIR says, there is one that works, in the first run of a session and in the second."""
    lab = sessions.lab
    there = lab.outside / "tmp"
    there.mkdir()
    lab.own(there)
    script = 'd=$(mktemp -d) && echo hi >"$d/x" && cat "$d/x" && rm -r "$d" && f=/tmp/x.$$ && echo x >$f && rm $f'
    for value in (None, "/tmp", "/var/tmp", there, f"{there}/", "/nonexistent", lab.ws):
        for _ in range(2):
            assert sessions.ok(script, env={"TMPDIR": os.fspath(value)} if value else {}) == "hi\n", value
        code = "import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b'x'); f.flush(); open(f.name).read()"
        sessions.ok("/usr/bin/python3", "-c", code, env={"TMPDIR": os.fspath(value)} if value else {})


def test_caches_of_tools(sessions):
    """Case C005: npm's cache and pip's folder of the user are there for the next command, and the real home is as it was."""
    lab = sessions.lab
    lab.file(lab.ws / "dep" / "package.json", json.dumps({"name": "dep", "version": "1.0.0"}))
    lab.file(lab.ws / "mod" / "setup.py", "from setuptools import setup; setup(name='sessionmod', version='1', py_modules=['sessionmod'])\n")
    lab.file(lab.ws / "mod" / "sessionmod.py", "print('installed')\n")
    before = harness.tree(lab.home)
    sessions.ok("cd dep && npm pack --silent >/dev/null && npm cache add dep-1.0.0.tgz", timeout=180)
    assert "dep-1.0.0.tgz" in sessions.ok("npm cache ls", timeout=180)
    assert "dep" not in sessions.run("npm cache ls", id="other", timeout=180).out
    sessions.ok("git config --global user.name kept")
    assert sessions.ok("git config --global user.name") == "kept\n"
    sessions.ok('mkdir -p "$HOME/.cache/uv" "$HOME/.cargo/registry" && : >"$HOME/.cargo/registry/.lock"')
    sessions.ok('test -e "$HOME/.cargo/registry/.lock" && test -d "$HOME/.cache/uv"')
    if subprocess.run(["/usr/bin/python3", "-c", "import pip, setuptools"], capture_output=True).returncode == 0:
        sessions.ok(f"{PIP} ./mod", timeout=180)
        assert sessions.ok("/usr/bin/python3 -c 'import sessionmod'") == "installed\n"
    assert harness.tree(lab.home) == before


def test_toolchain_of_the_home_beside_what_is_kept(sessions):
    """A granted toolchain below the home, the workspace below it too, and state of its own beside: all at once, twice."""
    lab = sessions.lab
    lab.file(lab.home / ".tool" / "bin" / "tool", "#!/bin/sh\necho run >>~/.tool-state; wc -l <~/.tool-state\n", mode=0o755)
    project = lab.file(lab.home / "src" / "project" / "Makefile", "all:\n\t~/.tool/bin/tool >out\n").parent
    for count in ("1\n", "2\n"):
        result = sessions.account.pinfold("run", "--session", "ci", "--read", lab.home / ".tool", "--", "make", "-s", cwd=project)
        assert result.code == 0 and (project / "out").read_text() == count, result
    assert not (lab.home / ".tool-state").exists()
