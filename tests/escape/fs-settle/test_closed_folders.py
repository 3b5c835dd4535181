"""Folders that the command shut their owner out of, so that what is in them isn't found (entries 52, 77, 80, 84)."""
import os
import stat
import subprocess
import time

import pytest

from repositories import git, make
from settling import ENV, INIT, settling  # noqa: F401 (a fixture)

# What is made, by path of what would run code; the folder that is closed then.
HIDDEN = {
    "the-top": ("mkdir .vscode; echo x >.vscode/tasks.json", ".vscode", "."),
    "above-hooks": ("mkdir -p ci/hooks; echo x >ci/hooks/pre-commit", "ci/hooks", "ci"),
    "hooks": ("mkdir -p ci/hooks; echo x >ci/hooks/pre-commit", "ci/hooks", "ci/hooks"),
    "version-control": ("mkdir .hg; echo '[hooks]' >.hg/hgrc", ".hg/hgrc", ".hg"),
    "configuration": ("mkdir .claude; echo {} >.claude/settings.json", ".claude", ".claude"),
    "a-repository": (f"mkdir -p a/b; {INIT} a/b; git -C a/b config core.fsmonitor x", "a/b/.git/config", "a a/b a/b/.git"),
}


def open_again(folder):
    subprocess.run(["chmod", "-R", "u+rwX", folder], check=True)


@pytest.mark.parametrize("mode", ["000", "300", *(pytest.param(m, marks=pytest.mark.slow) for m in ("400", "100"))])
@pytest.mark.parametrize("what", HIDDEN)
def test_e052_e077_e080_e084_a_closed_folder(lab, settling, what, mode):
    """The deepest is closed first. Without settlement all is there when the owner opens the folder again."""
    script, aside, folders = HIDDEN[what]
    for waived in (True, False):
        make(lab, lab.ws)
        git(lab, "config", "core.hooksPath", "ci/hooks")
        close = "; ".join(f"chmod {mode} {folder}" for folder in reversed(folders.split()))
        receipt = settling.run(f"set -e; {script}; {close}", *(["--waive", "fs-settle"] if waived else []))
        top = lab.ws / folders.split()[0]
        assert not top.exists() or stat.S_IMODE(top.stat().st_mode) == int(mode, 8), "it didn't get its mode back"
        open_again(lab.ws)
        assert os.path.lexists(lab.ws / aside) == waived, f"HOLE: it is still there: {receipt}"
        if not waived:
            assert set(settling.aside(receipt)) == {aside}, receipt
        for name in os.listdir(lab.ws):
            subprocess.run(["rm", "-rf", lab.ws / name], check=True)


def test_e052_one_that_was_closed_before(lab, settling):
    """It gets its mode back: what is in it can't have changed."""
    lab.file(lab.ws / "closed" / "in" / "file")
    (lab.ws / "closed").chmod(0)
    time.sleep(0.05)
    receipt = settling.run("true")
    assert not settling.found(receipt), receipt
    assert stat.S_IMODE((lab.ws / "closed").stat().st_mode) == 0
    (lab.ws / "closed").chmod(0o700)
