"""Programs, memory and settings of other processes through /proc (entries 36, 37 and 43)."""
import os
import shutil
import subprocess
import time

import pytest


@pytest.fixture
def victim(lab):
    """Starts host processes of the test's user, each with a program of its own: gives a function for (pid, program)."""
    running = []

    def start(seconds="60"):
        program = lab.outside / f"sleep{len(running)}"
        shutil.copy("/usr/bin/sleep", program)
        lab.own(program)
        process = subprocess.Popen(lab.user.argv([program, seconds]), stdin=subprocess.DEVNULL)
        running.append(process)
        while os.readlink(f"/proc/{process.pid}/exe") != os.fspath(program):
            pass
        return process.pid, program

    yield start
    for process in running:
        process.kill()
        process.wait()


def both(lab, victim, attack, expect, *, control=True):
    """The attack on pid 1 of the box, and on a host process by its number; the control is on that host process."""
    pid, program = victim()
    before = program.read_bytes()
    words = [attack[0], str(pid), *attack[1:]]
    lab.legs([attack[0], "1", *attack[1:]], expect, control=control, control_argv=words)
    lab.legs(words, {"ENOENT"}, control=False)
    assert program.read_bytes() == before


def test_e036_write_program(lab, victim):
    """The program of pid 1, which is pinfold, can't be held and written; the control waits for a host program's end."""
    pid, _ = victim("1")
    control = lab.plain([lab.attacker, "exe-write", str(pid)])
    assert control.verdict == "ok", control
    lab.legs(["exe-write", "1"], {"EACCES"}, control=False, witness=lab.pinfold.read_bytes)
    pid, program = victim()
    lab.legs(["exe-write", str(pid)], {"ENOENT"}, control=False, witness=program.read_bytes)


def test_e036_program_is_not_there(lab):
    """The file of pinfold is in no granted root, so it has no name in the box either."""
    lab.legs(["read", lab.pinfold], {"ENOENT"})


@pytest.mark.parametrize("name", ["maps", "smaps", "environ", "auxv", "pagemap", "io", "syscall", "stack"])
def test_e037_read(lab, victim, name):
    """Memory map, environment and the like of pid 1 can't be read; the host's processes are not there."""
    usable = lab.plain([lab.attacker, "proc-read", str(victim()[0]), name]).verdict == "ok"
    assert usable or name in ("io", "syscall", "stack"), "only these may be missing in a kernel or be root's"
    both(lab, victim, ["proc-read", name], {"EACCES", "EPERM"} if name in ("stack", "syscall") else {"EACCES"},
         control=usable)


def test_e037_mounts_of_pid_1(lab):
    """The list of mounts of pid 1 can be read, and is the attacker's own: the two have the same tree."""
    lists = lab.run(["/bin/cat", "/proc/1/mountinfo"]).out, lab.run(["/bin/cat", "/proc/self/mountinfo"]).out
    rows = [sorted(line.split(" ", 2)[2] for line in text.splitlines()) for text in lists]
    assert len(rows[0]) == len(rows[1]) > 5
    assert os.fspath(lab.outside) not in lists[0]


@pytest.mark.parametrize("name", ["fd", "fdinfo", "map_files", "ns"])
def test_e037_list(lab, victim, name):
    """Nor can its descriptors, mappings and namespaces be listed."""
    usable = lab.plain([lab.attacker, "proc-list", str(victim()[0]), name]).verdict == "ok"
    assert usable or name == "map_files"
    result = lab.run([lab.attacker, "proc-list", "1", name])
    if name == "ns" and result.verdict == "ok":
        lab.legs(["proc-readlink", "1", "ns/mnt"], {"EACCES"}, control=False)
        return
    both(lab, victim, ["proc-list", name], {"EACCES"}, control=usable)


@pytest.mark.parametrize("name", ["exe", "cwd", "root", "fd/0", "ns/mnt", "ns/user"])
def test_e037_links(lab, victim, name):
    """Nor can its links be followed or read."""
    both(lab, victim, ["proc-readlink", name], {"EACCES"})


def test_e037_memory(lab, victim):
    """Its memory can't be opened."""
    both(lab, victim, ["proc-mem"], {"EACCES"})


def settable(lab, pid, name, value):
    """Whether the setting of a host process can be written outside. The kernel takes one autogroup each tenth of a
    second from all users together, and says EAGAIN to the others."""
    for _ in range(50):
        result = lab.plain([lab.attacker, "proc-set", str(pid), name, value])
        if result.verdict != "EAGAIN":
            break
        time.sleep(0.05)
    return result.verdict == "ok"


@pytest.mark.parametrize("name, value", [("oom_score_adj", "500"), ("clear_refs", "1"), ("coredump_filter", "0x33"),
                                         ("comm", "other"), ("autogroup", "1"), ("oom_adj", "5")])
def test_e043_settings(lab, victim, name, value):
    """Settings of pid 1 and of host processes can't be written; the control of a setting is `settable`."""
    usable = settable(lab, victim()[0], name, value)
    assert usable or name in ("autogroup", "oom_adj", "comm"), "only these may be missing, or take threads of one's own"
    both(lab, victim, ["proc-set", name, value], {"EACCES", "EINVAL", "ENOENT"} if not usable else {"EACCES"},
         control=False)


@pytest.mark.parametrize("name, value", [("timerslack_ns", "50000"), ("loginuid", "0"), ("sched", "0")])
def test_e043_settings_of_root(lab, victim, name, value):
    """The same for those that only root may write, whose is the control, where this kernel has them."""
    usable = lab.plain([lab.attacker, "proc-set", str(victim()[0]), name, value]).verdict == "ok"
    both(lab, victim, ["proc-set", name, value], {"EACCES", "EPERM", "ENOENT"}, control=usable)
