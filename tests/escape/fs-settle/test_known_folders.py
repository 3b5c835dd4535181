"""Folders that were looked through in an earlier run, and are not listed again (entries 77, 78, 82).

What a command leaves in them must be found as in any other.
"""
import os
import re
import subprocess
import time

import pytest

from kept import states
from settling import ENV, INIT, settling  # noqa: F401 (a fixture)

FOLDERS = 80
EVIL = "git config core.fsmonitor 'touch /tmp/never'"

# A line that leaves something below the folder of its name, and what has to go, by path in it.
TRICKS = {
    "deep-inside": (f"{INIT} in/side/n; cd in/side/n; {EVIL}", "in/side/n/.git/config"),
    "at-once": (f"{INIT} .; {EVIL}", ".git/config"),
    "renamed": (f"{INIT} n; cd n; {EVIL}; cd ..; mv n/.git in/side/g; rmdir n; mv in/side/g in/side/.git", "in/side/.git/config"),
    "a-known-one-renamed": (f"mv in .git; cd .git; mkdir -p objects refs hooks; echo ref: refs/heads/main >HEAD; "
                            "printf '[core]\\n\\tfsmonitor = x\\n' >config", ".git/config"),
    "a-known-one-moved-over-it": (f"mv in/side x; {INIT} x/n; cd x/n; {EVIL}; cd ../..; mv x in/side", "in/side/n/.git/config"),
    "exchanged": (f"mkdir s; {INIT} s/n; cd s/n; {EVIL}; cd ../..; mv in/side t; mv s in/side; mv t s", "in/side/n/.git/config"),
    "linked-and-back": (f"{INIT} in/side/n; cd in/side/n; {EVIL}; cd ../../..; mv in real; ln -s real in", "real/side/n/.git/config"),
    "time-set-back": (f"touch -r in stamp; {INIT} in/n; cd in/n; {EVIL}; cd ../..; touch -r stamp in; rm stamp", "in/n/.git/config"),
    "closed": (f"{INIT} in/side/n; cd in/side/n; {EVIL}; cd ../../..; chmod 0 in/side in", "in/side/n/.git/config"),
    "the-other-case": (f"{INIT} in/n; mv in/n/.git in/side/.g; mv in/side/.g in/side/.git; cd in/side; {EVIL}", "in/side/.git/config"),
}


def prepare(lab, top):
    """A folder of its own for each trick, and many more, so that it is worth to keep what is in them."""
    folders = [top / name / "in" / "side" for name in TRICKS] + [top / "more" / str(i) for i in range(FOLDERS)]
    for folder in folders:
        lab.file(folder / "file", "x\n")
    time.sleep(3.1)   # younger ones are listed again in any case


def listed(lab, ws):
    """How many folders a run lists, by strace; what it finds."""
    trace = lab.outside / "trace"
    done = lab.plain(["strace", "-f", "-qq", "-e", "trace=getdents64", "-o", trace, lab.pinfold, "run", "--workspace", ws, "--", "true"],
                     env=ENV, cwd=ws)
    assert done.code == 0, done
    return len(re.findall("getdents64", trace.read_text()))




def known(lab, settling, ws):
    """From here on the folders of a workspace are known."""
    first = settling.run("true", ws=ws)["settlement"]["folders"]
    again = settling.run("true", ws=ws)["settlement"]["folders"]
    assert first == again > FOLDERS, (first, again)


def files(lab):
    return [file for state in states(lab.user.uid) if (state / "listings").is_dir() for file in (state / "listings").iterdir()
            if os.fsencode(lab.scratch.path) in file.read_bytes()]


def open_again(folder):
    subprocess.run(["chmod", "-R", "u+rwX", folder], check=True)


@pytest.mark.parametrize("how", ["known", "damaged"])
def test_e077_e078_e082_what_is_left_in_known_folders(lab, settling, how):
    """All tricks in one run; with --waive fs-settle all that they left stays."""
    other = lab.outside / "other"
    prepare(lab, other), prepare(lab, lab.ws)
    for waived, ws in ((True, other), (False, lab.ws)):
        known(lab, settling, ws)
        assert listed(lab, ws) < FOLDERS, "they are all listed again: nothing is tested"
        if how == "damaged":
            for file in files(lab):
                os.truncate(file, file.stat().st_size - 9)
            assert listed(lab, ws) > 2 * FOLDERS
        script = "\n".join(f"(set -e; cd {name}; {line}) || exit 1" for name, (line, _) in TRICKS.items())
        receipt = settling.run(script, *(["--waive", "fs-settle"] if waived else []), ws=ws)
        if waived:
            open_again(ws)
            gone = {name for name, (_, path) in TRICKS.items() if not (ws / name / path).is_file()}
            assert not gone, f"waived leg: it left nothing: {gone}"
        else:
            found = set(settling.aside(receipt))
            assert found == {f"{name}/{path}" for name, (_, path) in TRICKS.items()}, "HOLE: " + receipt["stderr"]
