"""Runs that must be refused, whatever call fails; see rounds.py."""
import os
import socket
from subprocess import TimeoutExpired

from accounts import Account
from hosts import MARKER, degraded, nothing_ran, one_line
from rounds import recorded, rule


class Refusal:
    """A run that must be refused, on a host with policy files; whatever call fails, it must stay so."""

    def __init__(self, lab, name):
        self.account, self.name, self.descriptors, self.before = Account(lab), name, [], ""
        self.options = [os.fspath(word) for word in getattr(self, name)(self.account, lab)]
        self.record = lab.scratch.path / "record"

    NEVER = {"never": {"env": True, "read": ["~/secret"]}}

    def system(self, account, lab):
        account.system(self.NEVER)
        return ["--env", "A=1"]

    def user(self, account, lab):
        account.user(self.NEVER)
        return ["--env", "A=1"]

    def option(self, account, lab):
        return ["--env", "A=1", "--policy", account.option(self.NEVER)]

    def link(self, account, lab):
        """The user's policy folder is a link, and so is the file in it."""
        folder, file = account.home / ".config" / "pinfold", account.option(self.NEVER)
        folder.parent.mkdir()
        folder.symlink_to(file.parent)
        (file.parent / "policy.json").symlink_to(file.name)
        lab.own(folder.parent, folder, file.parent / "policy.json")
        return ["--env", "A=1"]

    def banned(self, account, lab):
        """What may never be read, by the folder around it."""
        account.user(self.NEVER)
        lab.file(account.home / "secret" / "x" / "key")
        return ["--read", account.home / "secret" / "x"]

    def secret(self, account, lab):
        """A secret of the home, granted by way of a link that leads to it."""
        lab.file(lab.home / "dotfiles" / "ssh" / "key")
        (lab.home / ".ssh").symlink_to("dotfiles/ssh")
        return ["--read", lab.home / "dotfiles" / "ssh"]

    def linked(self, account, lab):
        """A denied file with a second name in the workspace."""
        lab.file(lab.outside / "k")
        os.link(lab.outside / "k", lab.ws / "k")
        return ["--read", lab.outside, "--deny", lab.outside / "k"]

    def untrusted(self, account, lab):
        account.workspace({"read": [os.fspath(lab.outside)]})
        return []

    def home(self, account, lab):
        return ["--workspace", account.home]

    def home_variable(self, account, lab):
        return ["--workspace", lab.home]

    def above_home(self, account, lab):
        return ["--write", lab.scratch.path]

    def policies(self, account, lab):
        """A writable folder that holds the policy which allows it."""
        file = account.option({})
        return ["--policy", file, "--write", file.parent]

    def policies_to_be(self, account, lab):
        """A folder where the user's policy would be looked for next time."""
        folder = account.home / ".config" / "pinfold"
        folder.mkdir(parents=True)
        lab.own(folder.parent, folder)
        return ["--write", folder]

    def by_a_link(self, account, lab):
        (lab.ws / "link").symlink_to(lab.outside)
        lab.own(lab.ws / "link")
        return ["--read", lab.ws / "link"]

    def receipt_inside(self, account, lab):
        return ["--receipt", lab.ws / "receipt.json"]

    def receipt_shared(self, account, lab):
        """The command could write its own receipt."""
        file = lab.file(lab.outside / "receipt.json", "")
        self.descriptors = [os.open(file, os.O_WRONLY), os.open(file, os.O_WRONLY)]
        return ["--receipt", f"fd:{self.descriptors[0]}", "--fd", str(self.descriptors[1])]

    def session(self, account, lab):
        account.system({"never": {"session": True}})
        return ["--session", "ci"]

    def sessions_place(self, account, lab):
        """A folder in which sessions are kept, or would be."""
        folder = account.home / ".local" / "state"
        folder.mkdir(parents=True)
        lab.own(folder.parent, folder)
        return ["--write", folder]

    def session_of_others(self, account, lab):
        """One that others could change."""
        folder = account.home / ".local"
        folder.mkdir()
        lab.own(folder)
        folder.chmod(0o777)
        return ["--session", "ci"]

    def roots_link(self, account, lab):
        """A link that is root's, but in a folder where anybody could have put another in its place."""
        self.before = f"""mount -t tmpfs -o mode=755 tmpfs /mnt
            mkdir -m 777 /mnt/open; ln -s {lab.outside} /mnt/open/link"""
        return ["--read", "/mnt/open/link"]

    CASES = ("system", "user", "option", "link", "banned", "untrusted", "home", "home_variable", "above_home",
             "policies", "policies_to_be", "secret", "linked", "by_a_link", "roots_link", "receipt_inside",
             "receipt_shared", "session", "sessions_place", "session_of_others")

    def run(self, rules):
        front = [] if "--workspace" in self.options else ["--workspace", self.account.lab.ws]
        return self.account.pinfold("run", *front, *self.options, "--", "touch", "ran", inner=degraded(rules),
                                    before=self.before, pass_fds=self.descriptors)

    def problem(self, one, table):
        result = self.run(rule(one))
        ran = [folder / "ran" for folder in (self.account.lab.ws, self.account.lab.home, self.account.home)]
        if any(file.exists() for file in ran):
            for file in ran:
                file.unlink(missing_ok=True)
            return f"HOLE: {self.name} {rule(one)}: the command ran: {result}"
        died = result.code < 0 and result.err == "" and table.has(one[0], one[2], "died")
        told = one_line(result) or (one[0] == "supervisor/write" and result.err == "")   # that was the message
        if died or result.code in (125, 126) and result.out == "" and told:
            return None
        return f"{self.name} {rule(one)}: {result}"

    def undisturbed(self):
        """The calls of a refused run."""
        result = self.run(f"record:{self.record}")
        assert result.code in (125, 126) and one_line(result), f"control leg: {self.name}: {result}"
        return recorded(self.record)
