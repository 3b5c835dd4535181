"""pinfold's own processes while a command runs, seen from outside: the supervisor, the relay and pid 1 of the box hold no
more than they need. A command that took one of them over would have what it has."""
import contextlib
import os
import subprocess

import pytest

from harness import users
from victims import descendants, fields
from workbench import eventually, sleepers, started, unique_seconds

CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")


@contextlib.contextmanager
def running(lab, *options, **more):
    """{supervisor, relay, init: pid} of a run whose output is relayed; the caller has an open file beside 0 to 2."""
    seconds = unique_seconds()
    secret = os.open(lab.file(lab.outside / "secret"), os.O_RDWR)
    with started(lab, ["sleep", seconds], *options, stdout=subprocess.PIPE, pass_fds=[secret], **more) as run:
        assert eventually(lambda: sleepers(seconds)), "the command does not run"
        children = [pid for pid, _ in descendants(run.pid)]
        level = {pid: fields(pid)["NSpid"].split() for pid in children}
        inner = [pid for pid in children if level[pid][-1] == "1"]
        relay = [pid for pid in children if len(level[pid]) == len(fields(run.pid)["NSpid"].split())]
        assert len(inner) == len(relay) == 1, level
        yield {"supervisor": run.pid, "relay": relay[0], "init": inner[0]}
    os.close(secret)


def limits(pid):
    with open(f"/proc/{pid}/limits", encoding="ascii") as file:
        return {line[:25].strip(): line[25:].split()[:2] for line in file}


def test_none_can_write_a_core_or_gain_rights(lab):
    with running(lab) as pids:
        for name, pid in pids.items():
            assert limits(pid)["Max core file size"] == ["1", "1"], name
        for name in ("relay", "init"):
            status = fields(pids[name])
            assert [int(status[one], 16) for one in CAPABILITIES] == [0] * 4, (name, status)
            assert status["NoNewPrivs"].strip() == "1", (name, status)
        assert fields(pids["relay"])["Seccomp"].strip() == "2"
        assert int(fields(pids["init"])["CapBnd"], 16) == 0


def test_ids_are_mapped_one_to_one_or_to_nobodys(lab):
    ids = f"{lab.user.uid} {lab.user.uid} 1" if lab.user.uid else "0 1879048192 65536"
    with running(lab) as pids:
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{pids['init']}/{name}", encoding="ascii") as file:
                assert file.read().split() == ids.split(), name


def test_lack_of_memory_ends_the_box_before_others(lab):
    with running(lab) as pids, open(f"/proc/{pids['init']}/oom_score_adj", encoding="ascii") as file:
        assert file.read() == "1000\n"


def test_none_can_be_looked_into_by_its_user(lab):
    """The files of a process that isn't dumpable are root's."""
    if lab.user.uid:
        with running(lab) as pids:
            for name, pid in pids.items():
                assert os.stat(f"/proc/{pid}/environ").st_uid == 0, name


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone sees the descriptors of a process that isn't dumpable")
def test_relay_and_init_have_no_descriptor_of_the_callers(lab):
    with running(lab) as pids:
        held = {name: sorted(os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
                for name, pid in pids.items()}
    assert any("secret" in one for one in held["supervisor"]), "control leg"
    kinds = lambda name: sorted({one.split(":")[0] for one in held[name]})
    assert kinds("init") == ["anon_inode", "pipe", "socket"] and len(held["init"]) == 3, held["init"]
    assert set(kinds("relay")) <= {"/dev/null", "pipe", "socket"} and len(held["relay"]) <= 12, held["relay"]


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone sees the memory of a process that isn't dumpable")
def test_only_the_supervisor_has_the_plan(lab):
    """The memory that the processes of a launch share: who lives on beside the command gives it back."""
    with running(lab) as pids:
        shared = {}
        for name, pid in pids.items():
            with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as file:
                shared[name] = [row for row in file if row.split()[1].endswith("s")]
    assert shared["supervisor"], "control leg"
    assert shared["relay"] == shared["init"] == [], shared


def test_pid_1_has_the_title_of_pid_1(lab):
    """The caller's words and variables are not to be read from it."""
    with running(lab, "--env", "SECRET=words") as pids, open(f"/proc/{pids['init']}/cmdline", "rb") as file:
        assert file.read().rstrip(b"\0") == b"pinfold: init"


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone has groups that can be dropped")
@pytest.mark.parametrize("lab", users()[:1], ids=["root"], indirect=True)
def test_the_groups_of_a_root_caller_are_dropped(lab):
    look, groups = ["grep", "^Groups:", "/proc/self/status"], ["setpriv", "--groups", "4,27"]
    assert lab.plain([*groups, *look]).out.split() == ["Groups:", "4", "27"], "control leg"
    boxed = lab.plain([*groups, lab.pinfold, "run", "--workspace", lab.ws, "--", *look])
    assert boxed.code == 0 and boxed.out.split() == ["Groups:"], boxed
