"""A host with policy files: /etc/pinfold and a passwd entry for the test's user, in a mount namespace of its own."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import harness

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="policy files at their places need root")


class Account:
    """The test's user with a home in the passwd file, which is another than $HOME, and files for /etc."""

    def __init__(self, lab):
        self.lab = lab
        self.etc, self.home = lab.scratch.path / "etc", lab.scratch.path / "account"
        (self.etc / "pinfold").mkdir(parents=True)
        self.home.mkdir()
        lab.own(self.home)
        others = [row for row in Path("/etc/passwd").read_text().splitlines() if row.split(":")[2] != str(lab.user.uid)]
        entry = f"tester:x:{lab.user.uid}:{lab.user.uid}::{self.home}:/bin/sh"
        (self.etc / "passwd").write_text("\n".join([*others, entry, ""]))
        self.receipt = lab.scratch.path / "receipt.json"
        self.system_file, self.user_file = Path("/etc/pinfold/policy.json"), self.home / ".config/pinfold/policy.json"

    def system(self, policy):
        path = self.etc / "pinfold" / "policy.json"
        path.write_text(policy if isinstance(policy, str) else json.dumps(policy))
        return path

    def user(self, policy):
        return self.lab.file(self.user_file, policy if isinstance(policy, str) else json.dumps(policy))

    def option(self, policy, name="option.json"):
        """A file for --policy, outside every root."""
        return self.lab.file(self.lab.scratch.path / "policies" / name,
                             policy if isinstance(policy, str) else json.dumps(policy))

    def workspace(self, policy):
        return self.lab.file(self.lab.ws / ".pinfold.json", policy if isinstance(policy, str) else json.dumps(policy))

    def no_entry(self):
        others = [row for row in Path("/etc/passwd").read_text().splitlines() if row.split(":")[2] != str(self.lab.user.uid)]
        (self.etc / "passwd").write_text("\n".join([*others, ""]))

    def argv(self, *words, before="", inner=()):
        """What runs pinfold WORDS on this host, after shell lines of root's, below a command of the user's."""
        script = ["sh", "-ec", f'{before}\nexec "$@"', "sh"] if before else []
        user = self.lab.user.argv([*inner, self.lab.pinfold, *words])
        return [*map(os.fspath, (harness.ENTER, "etc", self.etc, *script, *user))]

    def pinfold(self, *words, before="", inner=(), env=None, cwd=None, **more):
        more.setdefault("timeout", 30)
        more.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run(self.argv(*words, before=before, inner=inner), cwd=cwd or self.lab.ws, env=self.lab.environment(env),
                              text=True, errors="surrogateescape", stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        return harness.Result(done)

    def explain(self, *options, **more):
        """The plan, which must be one, as a dict."""
        result = self.pinfold("explain", "--json", "--workspace", self.lab.ws, *options, **more)
        assert result.code == 0, result
        return json.loads(result.out)

    def refused(self, *options, words=(), code=125, **more):
        """A run that must be refused, with these words in its message; nothing ran."""
        result = self.pinfold("run", "--workspace", self.lab.ws, *options, "--", "touch", "ran", **more)
        assert not (self.lab.ws / "ran").exists(), f"HOLE: the command ran: {result}"
        assert result.code == code and result.out == "" and result.err.count("\n") == 1, result
        for word in words:
            assert os.fspath(word) in result.err, f"{word!r} is not in: {result.err}"
        return result

    def runs(self, *options, **more):
        result = self.pinfold("run", "--workspace", self.lab.ws, "--receipt", self.receipt, *options, "--", "touch", "ran",
                              **more)
        assert result.code == 0 and (self.lab.ws / "ran").exists(), result
        (self.lab.ws / "ran").unlink()
        return json.loads(self.receipt.read_text())


@pytest.fixture
def account(lab):
    return Account(lab)


def readable(plan):
    return {mount["path"] for mount in plan["mounts"] if mount["kind"] == "bind"}
