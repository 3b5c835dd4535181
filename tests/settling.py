"""Scenes for what a box leaves on the host, and for what pinfold makes of it before it returns (fs-settle).

Three legs. *Control*: without a box, and in a box with --waive fs-settle, what was left makes the host's own program
sing a canary. *Settled*: the same in a box; the canary is silent, what would have made it sing is in the quarantine as it
was, and everything else is as the box left it. A canary is a script that makes a file outside every root.
"""
import json
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

import receipts
from places import clear
from repositories import IDENTITY, canary
from workbench import PATH

ENV = {"PATH": PATH, "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z", **IDENTITY}


def shape(top, without=()):
    """{path: kind and, outside git directories, content} of a tree, but for some paths and what is below them."""
    rows = {}
    for base, folders, files in os.walk(top):
        for name in folders + files:
            path = Path(base, name)
            relative = os.fspath(path.relative_to(top))
            if ".git" in path.parts and "objects" in path.parts:   # their names depend on the second
                continue
            if any(relative == one or relative.startswith(one + "/") for one in without):
                continue
            mode = path.lstat().st_mode
            rows[relative] = stat.S_IFMT(mode)
            if stat.S_ISREG(mode) and ".git" not in path.parts:
                rows[relative] = path.read_bytes()
    return rows


def text_of(path):
    """A path of a receipt or a list, where bytes that are no text stand as {"hex": ...}."""
    return path if isinstance(path, str) else os.fsdecode(bytes.fromhex(path["hex"]))


class Settling:
    """What pinfold put aside for one test's user; it is removed again at the end."""

    def __init__(self, lab):
        self.lab, self.receipt_path = lab, lab.scratch.path / "receipt.json"

    def run(self, script, *options, code=0, cwd=None, ws=None, **more):
        """A shell line in the box; the receipt."""
        words = ["/bin/sh", "-c", script] if isinstance(script, str) else script
        front = [self.lab.pinfold, "run", "--workspace", ws or self.lab.ws, "--receipt", self.receipt_path, *options, "--"]
        result = self.lab.plain([*front, *words], env=ENV, cwd=cwd or ws, **more)
        assert result.code == code, result
        receipt = receipts.read(self.receipt_path)
        receipt["stderr"] = result.err
        return receipt

    def found(self, receipt, fate=None, part="settlement"):
        """{path from the workspace: row of the receipt}."""
        rows = {}
        told = receipt.get(part, [])
        for row in [] if told == "none" else told["found"] if isinstance(told, dict) else told:
            if fate is None or row["fate"] in (fate if isinstance(fate, tuple) else (fate,)):
                rows[os.path.relpath(text_of(row["path"]), self.lab.ws)] = row
        return rows

    def aside(self, receipt, **more):
        return self.found(receipt, ("aside", "restored"), **more)

    def reported(self, receipt):
        return self.found(receipt, "reported")

    def quarantine(self, *words):
        return self.lab.plain([self.lab.pinfold, "quarantine", *words])

    def list(self):
        """What is in it from this test's folders."""
        result = self.quarantine("list", "--json")
        assert result.code == 0, result
        rows = json.loads(result.out)
        mine = os.fspath(self.lab.scratch.path)
        return [row for row in rows if text_of(row["path"]).startswith(mine)]

    def kept(self, id):
        """Where the thing itself is."""
        shown = self.quarantine("show", id)
        assert shown.code == 0, shown
        return Path(re.search(r"^  kept as (.*)$", shown.out, re.MULTILINE)[1])

    def settles(self, script, aside, sing, *options, prepare=lambda: None, reported=None):
        """The legs. aside: {path: what its file holds, or None}; sing: called with the lab, uses what was left. Returns
        the receipt."""
        lab, left = self.lab, None
        for leg in ("control", "waived", "settled"):
            clear(lab.ws)
            prepare()
            _, sang = canary(lab)
            if leg == "control":
                done = lab.plain(["/bin/sh", "-ec", script], env=ENV)
                assert done.code == 0, done
            else:
                receipt = self.run(f"set -e; {script}", *options, *(["--waive", "fs-settle"] if leg == "waived" else []))
            if leg == "waived":
                assert receipt["settlement"] == "none", receipt
                left = shape(lab.ws, aside)
            if leg == "settled":
                got = self.aside(receipt)
                assert set(got) == set(aside), (receipt["settlement"], receipt["stderr"])
                assert shape(lab.ws, aside) == left, "something else was changed"
                for path, content in aside.items():
                    kept = self.kept(got[path]["quarantine"])
                    assert content is None or content in kept.read_bytes().decode(), kept
                    assert os.path.lexists(kept)
                    assert got[path]["fate"] == "restored" or not os.path.lexists(lab.ws / path), path
                    assert f"put aside: {lab.ws}/{path}" in receipt["stderr"]
            sing(lab)
            assert sang.exists() == (leg != "settled"), \
                f"HOLE: it sang on the host: {receipt}" if leg == "settled" else f"{leg} leg: nothing that was left ran"
        if reported is not None:
            assert set(self.reported(receipt)) == set(reported), receipt["settlement"]
        return receipt

    def close(self):
        ids = [row["id"] for row in self.list()]
        if ids:
            assert self.quarantine("remove", *ids).code == 0


@pytest.fixture
def settling(lab):
    one = Settling(lab)
    yield one
    one.close()


def on_tmpfs(lab, place, script):
    """A shell script as the test's user on a host where a tmpfs of the user's is mounted at this folder."""
    if os.geteuid():
        pytest.skip("not root: a mount beside an account's own folders needs root")
    mount = f'mount -t tmpfs -o mode=0755,uid={lab.user.uid},gid={lab.user.uid} none {place}; exec "$@"'
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", mount, "sh", *lab.user.argv(["sh", "-c", script])]
    return subprocess.run(argv, cwd=lab.ws, env=lab.environment(ENV), text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)


def git_in(folder="."):
    """Uses git in a folder of the workspace: what each canary here needs to sing."""
    return calls("/bin/sh", "-c", "git status; git commit -q --allow-empty -m x; git checkout -qb other", folder=folder)


def calls(*argv, folder=".", env=None):
    """Runs a program of the host in a folder of the workspace."""
    return lambda lab: lab.plain(list(argv), cwd=lab.ws / folder, env={**ENV, **(env or {})})


def vim(*words, folder="."):
    return calls("vim", "-T", "dumb", "--not-a-term", "--cmd", "set exrc", *words, "-c", "qa!", folder=folder)


INIT = "git init -q -b main"
COMMIT = "git add -A && git -c user.name=t -c user.email=t@t commit -qm c"
