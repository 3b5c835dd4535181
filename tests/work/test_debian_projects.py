"""Real projects, from Debian's sources: each is built and runs its own tests outside, then in the box from the start.

Every test of the project must come out as it did outside. tests/work/projects/NAME.wrap says what the project is and
how its output is read, and names the tests that can't, with the guarantee that forbids it. `make projects` brings what
they need.
"""
import configparser
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

import harness
import places
import receipts
from workbench import PATH, box_argv

PROJECTS = sorted((Path(__file__).parent / "projects").glob("*.wrap"))
SECONDS = 1200


@pytest.fixture
def developer():
    """A lab of an ordinary user, whom most projects expect; whoever runs the tests, when not root."""
    lab = harness.Lab(harness.User(os.geteuid() or 1000))
    yield lab
    lab.close()


class Project:
    def __init__(self, lab, file):
        reader = configparser.ConfigParser(delimiters="=", interpolation=None)
        reader.optionxform = str
        reader.read(file)
        self.lab, self.name = lab, file.stem
        self.about, self.differs = reader["project"], reader["differs"]
        self.tarball = harness.ROOT / "subprojects/packagefiles" / self.about["source_filename"]
        assert self.tarball.exists(), f"{self.tarball} is missing: make projects"

    def shell(self, leg, script):
        """Its output, all on one stream. It is the project's tests that say what failed, so a status is not looked at."""
        log = self.lab.scratch.path / f"{self.name}.log"
        argv = ["/bin/sh", "-ec", script]
        receipt = self.lab.scratch.path / "receipt.json"
        argv = box_argv(self.lab, argv, "--receipt", receipt) if leg == "inside" else self.lab.user.argv(argv)
        with log.open("wb") as sink, subprocess.Popen(argv, cwd=self.lab.ws, env=self.lab.environment({"PATH": PATH}),
                                                      stdin=subprocess.DEVNULL, stdout=sink, stderr=sink,
                                                      start_new_session=True) as process:
            try:
                status = process.wait(SECONDS)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        if leg == "inside":
            assert receipts.read(receipt)["confined"] == "full"
        return status, log.read_text(errors="replace")

    def outcomes(self, leg):
        """{test: outcome} of a whole leg, from the tarball on."""
        places.clear(self.lab.ws)
        copy = shutil.copy(self.tarball, self.lab.scratch.path)
        status, output = self.shell("outside", f"tar xf {copy} --strip-components=1 -C .")
        assert status == 0, output
        status, output = self.shell(leg, self.about["build"])
        assert status == 0, f"{self.name} can't be built {leg}: {output[-4000:]}"
        _, output = self.shell(leg, self.about["test"])
        rows = re.finditer(self.about["result"], output, re.MULTILINE)
        found = {row["test"]: "skipped" if row["skip"] else row["outcome"] for row in rows}
        assert "ok" in found.values(), f"no results of {self.name} {leg}: {output[-4000:]}"
        return found

    def differences(self):
        """{test: (outcome outside, outcome inside)} where they are not alike and no reason is given."""
        outside, inside = self.outcomes("outside"), self.outcomes("inside")
        print(f"{self.name}: {len(outside)} tests outside, {len(inside)} inside,",
              f"{list(outside.values()).count('ok')} and {list(inside.values()).count('ok')} ok")
        pairs = {test: (outside.get(test), inside.get(test)) for test in {*outside, *inside}}
        found = {test: pair for test, pair in pairs.items() if pair[0] != pair[1] and test not in self.differs}
        print(f"differ without a reason: {found}")
        return found


@pytest.mark.slow
@pytest.mark.parametrize("file", PROJECTS, ids=lambda file: file.stem)
def test_a_project_comes_out_as_outside(developer, file):
    """Some tests of every project fail now and then, outside as well: what differs must differ twice."""
    project = Project(developer, file)
    first = project.differences()
    second = project.differences() if first else {}
    twice = {test: pair for test, pair in first.items() if test in second}
    assert not twice, f"(outside, inside): {twice}"
