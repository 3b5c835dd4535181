"""Runs with --session on a host with an account of the test's own, and what they leave on it."""
import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

import harness
from accounts import account, needs_root  # noqa: F401 (fixtures of those who take these)


class Sessions:
    def __init__(self, account):
        self.account, self.lab = account, account.lab
        self.store = account.home / ".local/state/pinfold/sessions"

    def run(self, *words, id="ci", options=(), **more):
        """pinfold run --workspace WS --session ID OPTIONS -- WORDS; one word is a line of shell."""
        words = ["sh", "-c", words[0]] if len(words) == 1 else words
        return self.account.pinfold("run", "--workspace", self.lab.ws, "--session", id, *options, "--", *words, **more)

    def ok(self, *words, **more):
        result = self.run(*words, **more)
        assert result.code == 0, result
        return result.out

    def refused(self, *words, code=125, id="ci", options=(), said=()):
        result = self.run("touch", self.lab.ws / "ran", id=id, options=options)
        assert not (self.lab.ws / "ran").exists(), f"HOLE: the command ran: {result}"
        assert result.code == code and result.out == "" and result.err.count("\n") == 1, result
        for word in said:
            assert os.fspath(word) in result.err, f"{word!r} is not in: {result.err}"
        return result

    def end(self, *words):
        return self.account.pinfold("end", *words)

    def list(self):
        result = self.account.pinfold("sessions", "--json")
        assert result.code == 0, result
        return json.loads(result.out)

    def folder(self, id="ci"):
        """The folder of this workspace's session."""
        mine = [s for s in self.list() if s["id"] == id and s["workspace"] == os.fspath(self.lab.ws)]
        assert len(mine) == 1, f"no session {id}: {self.list()}"
        return Path(mine[0]["folder"])

    def names(self):
        return sorted(os.listdir(self.store)) if self.store.exists() else []

    def attack(self, *words, expect, options=(), id="ci", control=True, control_words=None):
        """An act of the attacker: it succeeds without a box, and in one of the session ends with one of these results."""
        if control:
            result = self.lab.plain([self.lab.attacker, *(control_words or words)])
            assert result.verdict == "ok", f"control leg: the attack fails without a box: {result}"
        result = self.run(self.lab.attacker, *words, id=id, options=["--read", self.lab.attacker.parent, *options])
        assert result.verdict in expect, f"denied leg: expected {sorted(expect)}, saw {result}"

    @contextmanager
    def running(self, line="sleep 60", id="ci", options=()):
        """A run that has begun, as a process with a .pinfold of its pid."""
        argv = self.account.argv("run", "--workspace", self.lab.ws, "--session", id, *options, "--",
                                 "sh", "-c", "echo begun; " + line)
        process = subprocess.Popen(argv, cwd=self.lab.ws, env=self.lab.environment(), text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            first = process.stdout.readline()
            assert first == "begun\n", f"{first!r} {process.communicate(timeout=30)}"
            yield process   # each word in front of it has become the next: its pid is pinfold's
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate(timeout=30)

    def age(self, folder, days):
        """As if it had last been used so many days ago."""
        then = os.stat(folder / "workspace").st_mtime - days * 86400
        os.utime(folder / "workspace", (then, then))


@pytest.fixture
def sessions(account):  # noqa: F811
    one = Sessions(account)
    yield one
    subprocess.run(["rm", "-rf", one.store], check=True)   # it goes deeper than Python can


def own(lab, top):
    """Give a tree to the test's user."""
    for base, folders, files in os.walk(top):
        lab.own(base, *[os.path.join(base, f) for f in files])


__all__ = ["Sessions", "account", "harness", "needs_root", "own", "sessions"]
