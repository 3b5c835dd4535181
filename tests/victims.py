"""What the tests attack: processes and Unix sockets outside the box, and how to see whether anything happened to them.

A victim runs as the test's user, in a session of its own, is bounded in time and ended by its pid.
"""
import os
import select
import signal
import socket
import subprocess
import time
import uuid


def unique(name):
    """A word that no other test uses, to find processes, sockets or queues by."""
    return f"pinfold-{name}-{uuid.uuid4().hex[:12]}"


def fields(pid, name="status"):
    """The `Key: value` lines of /proc/PID/status as a dict."""
    with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as lines:
        return dict(line.rstrip("\n").split(":", 1) for line in lines if ":" in line)


def tagged(tag):
    """The pids of all processes with this word among their arguments; zombies have no arguments and don't count."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if tag.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def descendants(pid):
    """All processes below this one, as (pid, start time)."""
    parents = {}
    for one in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{one}/stat", encoding="utf-8", errors="replace") as file:
                after_name = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if after_name[0] not in "ZX":
            parents.setdefault(int(after_name[1]), []).append((int(one), after_name[19]))
    found = list(parents.get(pid, []))
    for one, _ in found:
        found += parents.get(one, [])
    return found


def remaining(processes):
    """Those of `processes` (from descendants) that live."""
    left = []
    for pid, started in processes:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                after_name = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if after_name[0] not in "ZX" and after_name[19] == started:
            left.append((pid, started))
    return left


def gone(what, seconds=1.0):
    """True when every process with this tag, or of this list, is dead within this time; at least one look after it."""
    look = tagged if isinstance(what, str) else remaining
    end = time.monotonic() + seconds
    while look(what):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def end_tagged(tag):
    """Ends what a failed test or a control leg left, by pid."""
    for pid in tagged(tag):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Victim:
    """A process of the test's user that does nothing for a minute."""

    def __init__(self, lab, env=None):
        self.tag = unique("victim")
        self.process = subprocess.Popen(
            lab.user.argv([lab.attacker, "wait_tagged", self.tag]), cwd=lab.ws, env=lab.environment(env),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline().startswith("ok"), "the victim does not run"

    def alive(self):
        return self.process.poll() is None

    def state(self):
        """All that an attack on a process could change, for a witness; None when it is dead."""
        if not self.alive():
            return None
        status = fields(self.pid)
        with open(f"/proc/{self.pid}/limits", encoding="utf-8") as limits:
            files = [line.split()[3:5] for line in limits if line.startswith("Max open files")]
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as stat:
            after_name = stat.read().rpartition(")")[2].split()
        return {"stopped": status["State"].split()[0] in "tT", "tracer": status["TracerPid"],
                "cpus": status["Cpus_allowed"], "nice": os.getpriority(os.PRIO_PROCESS, self.pid),
                "policy": after_name[38], "files": files, "io": io_priority(self.pid)}

    def end(self):
        if self.alive():
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def io_priority(pid):
    done = subprocess.run(["ionice", "-p", str(pid)], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


class UnixListener:
    """A Unix socket of the test's user outside the box that counts what reaches it; @NAME is an abstract one."""

    def __init__(self, lab, address, kind="stream"):
        self.kind = {"stream": socket.SOCK_STREAM, "dgram": socket.SOCK_DGRAM, "seqpacket": socket.SOCK_SEQPACKET}[kind]
        self.address = os.fspath(address)
        self.socket = socket.socket(socket.AF_UNIX, self.kind)
        self.socket.setblocking(False)
        self.count = 0
        if self.address.startswith("@"):
            self.socket.bind("\0" + self.address[1:])
        else:
            self.socket.bind(self.address)
            if os.path.lexists(self.address):
                lab.own(self.address)
        if self.kind != socket.SOCK_DGRAM:
            self.socket.listen(8)

    def seen(self):
        """How many connections or messages have come in until now."""
        while select.select([self.socket], [], [], 0)[0]:
            if self.kind == socket.SOCK_DGRAM:
                self.socket.recv(64)
            else:
                self.socket.accept()[0].close()
            self.count += 1
        return self.count

    def close(self):
        self.socket.close()


class Stage:
    """The victims of one test; everything made here ends with the test."""

    def __init__(self, lab):
        self.lab, self.made, self.tags = lab, [], []

    def process(self, env=None):
        return self.keep(Victim(self.lab, env))

    def listener(self, address, kind="stream"):
        return self.keep(UnixListener(self.lab, address, kind))

    def tag(self, name):
        """A word for finding what a command started; whatever still has it at the end is ended."""
        self.tags.append(unique(name))
        return self.tags[-1]

    def keep(self, victim):
        self.made.append(victim)
        return victim

    def close(self):
        for victim in self.made:
            victim.end() if isinstance(victim, Victim) else victim.close()
        for tag in self.tags:
            end_tagged(tag)
