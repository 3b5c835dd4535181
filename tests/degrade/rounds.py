"""One call after another of a launch made to fail: which calls there are, what each failure may come to.

degrade writes down every call of every process of an undisturbed launch. A round is one more launch in which one of
them fails: `init/prctl@0:0x26#1=EPERM` is init's first prctl(PR_SET_NO_NEW_PRIVS). What a round comes to is one of

  refused  125 to 127, one line on stderr, nothing of the command happened. Always right
  ran      the command ran in a box that looks like the undisturbed one, with a receipt that says so of every guarantee
  ended    137, one line and a receipt say that the box was ended; the command may have begun, behind all its walls
  died     pinfold itself ended by a signal before it could say anything; nothing happened

and all but the first need a line in the table `fallbacks`, which says why that is as good. An interrupted call (EINTR)
may always be made again, and then it runs.
"""
import os
import shutil
import socket
from collections import Counter
from pathlib import Path
from subprocess import TimeoutExpired

import receipts
from accounts import Account
from hosts import MARKER, State, degraded, in_box, nothing_ran, one_line

TABLE = Path(__file__).with_name("fallbacks")
ERRNOS = ("EPERM", "ENOSYS", "ENOMEM")

# Those with which what --create made for a refused run is removed.
UNDOING = {"supervisor/openat2", "supervisor/newfstatat", "supervisor/unlinkat"}

# Calls that are many in one are told apart by this argument.
SELECTORS = {"fcntl": 1, "fsconfig": 1, "futex": 1, "ioctl": 1, "keyctl": 0, "madvise": 2, "prctl": 0, "prlimit64": 1,
             "rt_sigprocmask": 0, "seccomp": 0}

# The kernel has no way to refuse these: they end a process, or bring it back from a handler.
NEVER_FAIL = {"exit", "exit_group", "rt_sigreturn", "sched_yield"}

# Those that a signal can interrupt (signal(7) and the manual pages).
INTERRUPTIBLE = {"accept4", "clock_nanosleep", "close", "connect", "dup2", "dup3", "flock", "futex", "open", "openat",
                 "openat2", "poll", "ppoll", "read", "recvfrom", "recvmsg", "sendmsg", "sendto", "wait4", "waitid",
                 "write", "writev"}

# On a terminal of its own, but for stderr.
ON_TERMINAL = ["/usr/bin/python3", "-c", """
import os, pty, sys
os.dup2(2, 3)
status = os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", 'exec "$@" 2>&3 3>&-', "sh", *sys.argv[1:]]))
if status < 0:
    os.kill(os.getpid(), -status)
sys.exit(status)
"""]


class Fallbacks:
    """The table: lines of ROLE/CALL ERRNOS RESULT REASON, in which * stands for every errno."""

    def __init__(self):
        self.lines = {}   # {(call, errno): result}
        for line in TABLE.read_text().splitlines():
            if line and not line.startswith("#"):
                call, errnos, result, reason = line.split(maxsplit=3)
                for errno in errnos.split(","):
                    assert self.lines.setdefault((call, errno), result) is result and reason, f"twice: {line}"

    def has(self, call, errno, result):
        listed = self.lines.get((call, errno)) or self.lines.get((call, "*"))
        return listed == result or (listed == "begun" and result in ("ran", "ended"))


def recorded(path):
    """(calls until the command's execve, those of all others after it), in order: ROLE/NAME[@ARGUMENT:VALUE]."""
    before, after, begun = [], [], False
    for line in path.read_text().splitlines():
        role, name, arguments = line.split(" ")
        index = SELECTORS.get(name)
        call = f"{role}/{name}" + ("" if index is None else f"@{index}:0x{arguments.split(',')[index]}")
        if name not in NEVER_FAIL and not (begun and role == "command"):
            (after if begun else before).append(call)
        begun = begun or call == "command/execve"
    return before, after


def calls_before_command(lab, call, *options):
    """How often a launch makes a call, [ROLE/]NAME[@INDEX:VALUE], before its command begins."""
    record = lab.scratch.path / "record"
    record.unlink(missing_ok=True)
    in_box(lab, *options, command=["true"], inner=degraded(f"record:{record}"))
    name, _, condition = call.partition("@")
    only, _, name = name.rpartition("/")
    index, _, value = condition.partition(":")
    made = 0
    for line in record.read_text().splitlines():
        role, one, arguments = line.split(" ")
        if (role, one) == ("command", "execve"):
            return made
        made += one == name and only in ("", role) and (not condition or int(arguments.split(",")[int(index)], 16) == int(value, 0))
    raise AssertionError("the command never began")


def rounds(calls):
    """[(call, which of its kind, errno)] for a list of calls."""
    seen = Counter()
    for call in calls:
        seen[call] += 1
        name = call.partition("/")[2].partition("@")[0]
        for errno in (*ERRNOS, *(["EINTR"] if name in INTERRUPTIBLE else [])):
            yield call, seen[call], errno


def rule(one):
    call, number, errno = one
    return f"{call}#{number}={errno}"


PROTECTED = ("for p in .git ci/hooks ci/watch dots/vscode a/b/c .mcp.json; do touch -c $p; done; "
             "for p in .git ci dots dots/vscode a a/b .vscode .mcp.json; do mv $p moved; done; ls -A")


def protected(lab):
    """A repository whose configuration names a folder of hooks, settings that are a link, a path far down."""
    for name, text in ((".git/config", "[core]\n\thooksPath = ci/hooks\n\tfsmonitor = ci/watch\n"), (".git/HEAD", "ref: x\n"),
                       (".git/hooks/x", ""), ("ci/hooks/pre-commit", ""), ("ci/watch", ""), ("dots/vscode/tasks.json", "{}"),
                       ("a/b/c/f", ""), (".mcp.json", "{}")):
        lab.file(lab.ws / name, text)
    (lab.ws / ".vscode").symlink_to("dots/vscode")
    lab.own(lab.ws / ".vscode")


def sockets(lab):
    """Two listening sockets in the workspace, one of which the kernel lists by a name that leads nowhere."""
    made = []
    folder = os.open(lab.ws, os.O_RDONLY)
    for name in (f"{lab.ws}/socket-1", f"/proc/self/fd/{folder}/socket-2"):
        made.append(socket.socket(socket.AF_UNIX))
        made[-1].bind(name)
        made[-1].listen()
    os.close(folder)
    lab.own(*lab.ws.glob("socket*"))
    return made


VARIANTS = {
    "plain": [],
    "readonly": ["--mode", "readonly"],
    "discard": ["--mode", "discard"],
    "policy": ["--policy", "{policy}"],
    "narrowed": [],    # by the workspace's own file
    "write": ["--write", "{write}"],
    "create": ["--create", "--write", "{create}"],
    "protected": ["--protect", "{protect}"],
    "sockets": [],
    "secrets": ["--read", "{secrets}", "--deny", "{secrets}/sub/k", "--deny", "{secrets}/*.pem", "--deny", "{keys}"],
    "secrets-discard": ["--mode", "discard", "--deny", "{keys}/k"],
    "tie": [],
    "terminal": [],
}


class Launch(State):
    """One way to start a box; each run of it has one rule for degrade."""

    def __init__(self, lab, variant):
        self.variant = variant
        self.record = lab.scratch.path / "record"
        files = {"policy": lab.file(lab.outside / "policy.json", '{"mode": "readonly"}'),
                 "write": lab.file(lab.outside / "write" / "file").parent,
                 "create": lab.outside / "new" / "folder", "secrets": lab.outside / "secrets", "keys": lab.ws / "keys",
                 "protect": lab.ws / "a" / "b" / "c"}
        for name in ("secrets/sub/k", "secrets/sub/f", "secrets/a.pem") if variant.startswith("secrets") else ():
            lab.file(lab.outside / name)
            lab.file(lab.ws / "keys" / "k")
        # a look for toolchains that fails leaves them out, which the table has no room for: test_toolchain_calls.py
        super().__init__(lab, "--toolchains", "none", *[word.format(**files) for word in VARIANTS[variant]])
        if variant == "protected":
            protected(lab)
            self.more = PROTECTED
        self.sockets = sockets(lab) if variant == "sockets" else []
        if variant == "narrowed":
            lab.file(lab.ws / ".pinfold.json", '{"mode": "readonly"}')

    def run(self, inner=(), **more):
        more.setdefault("timeout", 40)   # a hang is a failure; a busy machine is none
        if self.variant == "terminal":
            inner = [*ON_TERMINAL, *inner]
        if self.variant != "tie":
            result = super().run(inner, **more)
            if self.variant == "terminal":   # one that isn't raw adds empty lines
                result.out = "".join(f"{line}\n" for line in result.out.splitlines() if line)
            return result
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = os.pidfd_open(os.getpid())
        try:
            numbers = [theirs.fileno(), process]
            return super().run(inner, [w for n in numbers for w in ("--tie", f"fd:{n}")], pass_fds=numbers, **more)
        finally:
            ours.close(), theirs.close(), os.close(process)

    def clear(self):
        (self.lab.ws / MARKER).unlink(missing_ok=True)
        shutil.rmtree(self.lab.outside / "new", ignore_errors=True)

    def undisturbed(self):
        """The calls of an undisturbed launch, whose result is kept to compare with."""
        self.reference = self.run(inner=degraded(f"record:{self.record}"))
        assert "ran\n" in self.reference.out and self.reference.err == "", f"control leg: {self.reference}"
        assert "text of granted" in self.reference.out and "text of hidden" not in self.reference.out, self.reference
        assert self.guarantees()[0]["confined"] == "full"
        self.clear()
        return recorded(self.record)

    def round(self, one):
        """What a round comes to, or an AssertionError."""
        try:
            result = self.run(inner=degraded(f"{rule(one)},until-execve"))
            if result.code < 0 and nothing_ran(self.lab, result) and result.out == result.err == "":
                return "died"
            if self.was_ended(result):
                return "ended"
            if self.assert_held_or_refused(result, self.reference):
                return "ran"
            # what was made for a refused run is gone, but where a call of its removal is the one that fails
            left = self.variant == "create" and one[0] not in UNDOING and (self.lab.outside / "new").exists()
            assert not left, f"refused, and a folder was left: {result}"
            return "refused"
        except TimeoutExpired:
            raise AssertionError("neither ran nor refused: it hangs") from None
        finally:
            self.clear()

    def problem(self, one, table):
        """What is wrong with a round, or None."""
        call, _, errno = one
        try:
            result = self.round(one)
        except AssertionError as problem:
            return f"{self.variant} {rule(one)}: {problem}"
        if result == "refused" or (errno == "EINTR" and result == "ran") or table.has(call, errno, result):
            return None
        return f"{self.variant} {rule(one)}: {result}, of which the table says nothing"


class Running:
    """A run in which a call fails after the command has begun: what pinfold then says of its end must be so."""

    SCRIPT = f"""read line; echo "read $line"; : >{MARKER}
        sleep 60 >/dev/null 2>&1 &
        i=0; while [ $i -lt 300 ]; do i=$((i + 1)); echo "line $i"; done; echo error >&2"""

    def __init__(self, lab, variant):
        self.launch = Launch(lab, variant)

    def run(self, rules):
        read, write = os.pipe()
        os.write(write, b"told\n"), os.close(write)
        try:
            return self.launch.run(degraded(rules), command=["sh", "-c", self.SCRIPT], stdin=read)
        finally:
            os.close(read)

    def undisturbed(self):
        self.reference = self.run(f"record:{self.launch.record}")
        assert self.reference.code == 0 and "line 300\n" in self.reference.out, f"control leg: {self.reference}"
        assert self.receipt()["confined"] == "full"
        return recorded(self.launch.record)

    def receipt(self):
        return receipts.read(self.launch.receipt)

    @staticmethod
    def lines(result):
        """Without what a terminal that could not be made raw adds: the echo, and empty lines."""
        return [line for line in result.out.splitlines() if line not in ("", "told")]

    def problem(self, one, watch):
        """What is wrong with a round, or None."""
        name = f"{self.launch.variant} {rule(one)}"
        try:
            result = self.run(f"from-execve,{rule(one)}")
        except TimeoutExpired:
            return f"{name}: it hangs"
        found = watch.survivors()
        same = (self.lines(result), result.err) == (self.lines(self.reference), self.reference.err)
        told = result.err.removeprefix(self.reference.err).startswith("pinfold: ") or one[0] == "supervisor/write"
        try:
            said = self.receipt()
        except (AssertionError, ValueError) as problem:
            return f"{name}: status {result.code} {result.err!r}, and no receipt: {problem}"
        if result.code == 0 and not (same and said["outcome"] == "exited" and said["confined"] == "full"):
            found.append(f"HOLE: 0, but it is not so: {result}, receipt {said['outcome']} {said['confined']}")
        if result.code != 0 and not (told and (said["outcome"] != "exited" or said["exit"] == result.code)):
            found.append(f"neither 0 nor told: {result}, receipt {said['outcome']} {said.get('exit')}")
        return f"{name}: {'; '.join(found)}" if found else None
