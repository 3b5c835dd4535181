"""Programs, memory and settings of other processes through /proc (entries 36, 37 and 43)."""
import os
import shutil
import subprocess

import pytest


@pytest.fixture
def victim(lab):
    """A host process of the test's user that runs a program of its own, and can be read by the user: (process, program)."""
    program = lab.outside / "sleep"
    shutil.copy("/usr/bin/sleep", program)
    lab.own(program)
    running = []

    def start(seconds="60"):
        process = subprocess.Popen(lab.user.argv([program, seconds]), stdin=subprocess.DEVNULL)
        running.append(process)
        while os.readlink(f"/proc/{process.pid}/exe") != os.fspath(program):
            pass
        return process

    yield start, program
    for process in running:
        process.kill()
        process.wait()


def both(lab, victim, attack, expect, *, control=True):
    """The attack on pid 1 of the box, and on a host process by its number; the control is on that host process."""
    start, program = victim
    process = start()
    before = program.read_bytes()
    words = [attack[0], str(process.pid), *attack[1:]]
    lab.legs([attack[0], "1", *attack[1:]], expect, control=control, control_argv=words)
    lab.legs(words, {"ENOENT"}, control=False)
    assert program.read_bytes() == before


def test_e036_write_program(lab, victim):
    """The program of pid 1, which is pinfold, can't be held and written; the control waits for a host program's end."""
    start, program = victim
    process = start("1")
    control = lab.plain([lab.attacker, "exe-write", str(process.pid)])
    assert control.verdict == "ok", control
    before = lab.pinfold.read_bytes()
    lab.legs(["exe-write", "1"], {"EACCES"}, control=False, witness=lab.pinfold.read_bytes)
    process = start("60")
    lab.legs(["exe-write", str(process.pid)], {"ENOENT"}, control=False, witness=program.read_bytes)
    assert lab.pinfold.read_bytes() == before


def test_e036_program_is_not_there(lab):
    """The file of pinfold is in no granted root, so it has no name in the box either."""
    lab.legs(["read", lab.pinfold], {"ENOENT"})


@pytest.mark.parametrize("name", ["maps", "smaps", "environ", "auxv", "pagemap", "mountinfo", "io", "syscall", "stack"])
def test_e037_read(lab, victim, name):
    """Memory map, environment and the like of pid 1 can't be read; the host's processes are not there."""
    start, _ = victim
    usable = lab.plain([lab.attacker, "proc-read", str(start().pid), name]).verdict == "ok"
    assert usable or name in ("io", "syscall", "stack"), "only these may be missing in a kernel or be root's"
    both(lab, victim, ["proc-read", name], {"EACCES", "EPERM"} if name in ("stack", "syscall") else {"EACCES"},
         control=usable)


@pytest.mark.parametrize("name", ["fd", "fdinfo", "map_files", "ns"])
def test_e037_list(lab, victim, name):
    """Nor can its descriptors, mappings and namespaces be listed."""
    start, _ = victim
    usable = lab.plain([lab.attacker, "proc-list", str(start().pid), name]).verdict == "ok"
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


@pytest.mark.parametrize("name, value", [("oom_score_adj", "500"), ("clear_refs", "1"), ("coredump_filter", "0x33"),
                                         ("comm", "other"), ("autogroup", "1"), ("oom_adj", "5")])
def test_e043_settings(lab, victim, name, value):
    """Settings of pid 1 and of host processes can't be written."""
    start, _ = victim
    usable = lab.plain([lab.attacker, "proc-set", str(start().pid), name, value]).verdict == "ok"
    assert usable or name in ("autogroup", "oom_adj", "comm"), "only these may be missing, or take threads of one's own"
    both(lab, victim, ["proc-set", name, value], {"EACCES", "EINVAL", "ENOENT"} if not usable else {"EACCES"},
         control=usable)


@pytest.mark.parametrize("name, value", [("timerslack_ns", "50000"), ("loginuid", "0"), ("sched", "0")])
def test_e043_settings_of_root(lab, victim, name, value):
    """The same for those that only root may write, whose is the control, where this kernel has them."""
    start, _ = victim
    usable = lab.plain([lab.attacker, "proc-set", str(start().pid), name, value]).verdict == "ok"
    both(lab, victim, ["proc-set", name, value], {"EACCES", "EPERM", "ENOENT"}, control=usable)
