"""What the tests of this folder share: adverse hosts to run pinfold on, and the two results that are allowed there.

Allowed are a refusal (126, one line of cause and remedy, nothing of the command happened) and, where a test says so,
a run that holds every guarantee: it looks inside exactly as it does on an undisturbed host.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import receipts  # noqa: E402
from harness import BUILD, ENTER, Result  # noqa: E402

DEGRADE = BUILD / "tests" / "degrade"
MARKER = "marker"
COMMAND = ["sh", "-c", f"echo ran; : >{MARKER}"]

# What a box is like, told by a command in it: identity, privileges, mounts, network, descriptors, environment, and
# a few harmless forbidden acts. $1 is a folder granted for reading that holds `file` and `fifo`, $2 one not granted.
# It starts few processes, since it runs some thousand times, and none that ends while the shell opens and closes
# files: a call that degrade's supervisor answers can then be interrupted by SIGCHLD.
STATE = r"""
export LC_ALL=C
tell() { while read -r line; do echo "$line"; done <"$1"; }
for file in status limits; do while read -r line; do case $line in
    [UG]id:*|Groups:*|Sig[BI]*|Cap*|NoNewPrivs:*|Seccomp*|"Max core"*|"Max open"*|"Max proc"*) echo "$line" ;;
esac; done </proc/self/$file; done
for file in mountinfo net/dev net/fib_trie uid_map gid_map; do tell /proc/self/$file; done
tell /proc/sys/kernel/hostname; tell /proc/keys; umask
read -r pid name state parent group session rest </proc/self/stat; echo "session $session"
ls -l /proc/self/fd /proc/self/ns; env
unshare --user --mount true
mkdir /usr/x /etc/x "$1/x" "$2/x"; chmod 755 /usr; cat "$1/file" "$2/file"
for file in socket*; do [ ! -S "$file" ] || echo "$file is a socket"; done
: 3<>"$1/fifo"
"""


def normal(text):
    """A told state without what differs from run to run: numbers of mounts, devices, inodes, counters and times."""
    host = {os.readlink(f"/proc/self/ns/{name}") for name in os.listdir("/proc/self/ns")}
    rules = (
        (r"^\d+ \d+ \d+:\d+ (\S+ \S+ \S+) (?:\S+:\d+ )*- (\S+) \S+ ", r"mount \1 \2 "),        # mountinfo
        (r"/proc/self/fd/\d+", "/proc/self/fd/N"),                                                # an overlay's layers
        (r"^(\w+):( +\d+)+ *$", r"interface \1"),                                                # net/dev
        (r"^l\S+ .* (\S+) -> /proc/\d+/fd$", r"link \1 itself"),                                 # ls -l
        (r"^l\S+ .* (\S+ -> \w+):\[(own|host|\d+)\]$", r"link \1 \2"),
        (r"^l\S+ .* (\S+ -> \S+)$", r"link \1"),
        (r"^(link .*(?:pipe|socket)) \d+$", r"\1"),
    )
    text = re.sub(r"(\w+:)\[\d{10}\]", lambda m: f"{m[1]}[{'host' if m[0] in host else 'own'}]", text)
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def in_box(lab, *options, command=COMMAND, inner=(), outer=(), binary=None, workspace=None, **more):
    """pinfold in a host made adverse by `inner` (run as the test's user) and `outer` (as who runs the tests)."""
    front = [binary or lab.pinfold, "run", "--workspace", workspace or lab.ws, *options, "--", *command]
    argv = [*outer, *lab.user.argv([*inner, *front])]
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("timeout", 10)
    more.setdefault("cwd", lab.ws)
    done = subprocess.run([os.fspath(a) for a in argv], env=lab.environment(more.pop("env", None)), text=True,
                          errors="surrogateescape", stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    return Result(done)


def degraded(rules):
    return [DEGRADE, rules, "--"]


def namespace(script):
    """A mount namespace of its own, set up by a script (as root) before the user's command runs in it."""
    quiet = f'{{ {script}; }} >/dev/null 2>&1\nexec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", quiet, "sh"]


def limited(limit, value):
    """A user namespace with all ids, where LIMIT, a file of /proc/sys/user, is VALUE."""
    return [ENTER, "limit", limit, str(value)]


def assert_ran(lab, result):
    assert result.code == 0 and result.out == "ran\n" and result.err == "", result
    (lab.ws / MARKER).unlink()   # FileNotFoundError: the command did not get as far


def nothing_ran(lab, result):
    """Did the command do nothing at all? The most important thing of all; a failure here is a hole."""
    return "ran" not in result.out and not (lab.ws / MARKER).exists()


def one_line(result):
    return result.err.startswith("pinfold: ") and result.err.count("\n") == 1 and result.err.endswith("\n")


def assert_refused(lab, result, cause=".", remedy="."):
    assert nothing_ran(lab, result), f"HOLE: something ran: {result}"
    assert result.code == 126, f"not a refusal: {result}"
    assert result.out == "" and one_line(result), f"a refusal is one line: {result}"
    assert re.search(cause, result.err, re.I), f"the cause {cause!r} is not named: {result.err}"
    assert re.search(remedy, result.err, re.I), f"the remedy {remedy!r} is not named: {result.err}"


class State:
    """Compares what the box looks like inside on an adverse host with what it looks like undisturbed."""

    more = ""   # shell lines that tell more of the box

    def __init__(self, lab, *options):
        self.lab = lab
        self.options = options
        self.granted = lab.outside / "granted"
        self.hidden = lab.outside / "hidden"
        for folder in (self.granted, self.hidden):
            lab.file(folder / "file", f"text of {folder.name}\n")
        os.mkfifo(self.granted / "fifo")
        lab.own(self.granted / "fifo")
        self.receipt = lab.scratch.path / "state-receipt.json"

    def run(self, inner=(), options=(), **more):
        self.receipt.unlink(missing_ok=True)
        script = f"exec 2>&1; true >{MARKER}; echo ran\n{STATE}\n{self.more}"
        more.setdefault("command", ["sh", "-c", script, "sh", self.granted, self.hidden])
        result = in_box(self.lab, "--read", self.granted, "--receipt", self.receipt, *self.options, *options, inner=inner,
                        **more)
        result.out = normal(result.out)
        return result

    def undisturbed(self):
        """The reference, under a rule that hits nothing, since the filters of a process are counted."""
        result = self.run(inner=degraded("acct=EPERM"))
        assert "ran\n" in result.out and result.err == "", f"control leg: {result}"
        assert "text of granted" in result.out and "text of hidden" not in result.out, result
        (self.lab.ws / MARKER).unlink(missing_ok="--mode" in self.options)
        return result

    def guarantees(self):
        receipt = receipts.read(self.receipt)
        return receipt, {name: one["state"] for name, one in receipt["guarantees"].items()}

    def was_ended(self, result):
        """Did the box end by pinfold's hand in the middle of its run, with a word and a receipt of it?"""
        if result.code != 137 or not one_line(result) or "the box was ended" not in result.err:
            return False
        return receipts.read(self.receipt)["outcome"] == "killed"

    def assert_held_or_refused(self, result, reference):
        """What a disturbed launch may come to. Says whether it ran."""
        if result.code == 126:
            assert_refused(self.lab, result)
            return False
        if result.code in (125, 127) and nothing_ran(self.lab, result):   # a path that can't be looked at, for instance
            assert result.out == "" and one_line(result), f"a refusal is one line: {result}"
            return False
        if nothing_ran(self.lab, result):
            raise AssertionError(f"neither ran nor refused: {result}")
        (self.lab.ws / MARKER).unlink(missing_ok=True)
        assert result.out == reference.out, f"HOLE: the box differs:\n{difference(reference.out, result.out)}"
        assert result.code == reference.code and result.err == "", result
        receipt, states = self.guarantees()
        assert receipt["confined"] == "full" and set(states.values()) == {"held"}, receipt
        return True


def difference(before, after):
    a, b = before.splitlines(), after.splitlines()
    return "\n".join([f"- {line}" for line in a if line not in b] + [f"+ {line}" for line in b if line not in a])
