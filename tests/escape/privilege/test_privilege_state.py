"""Rights inside: no_new_privs, capabilities, securebits, ids, and threads: 120, 121."""
import os
import subprocess

import pytest
from places import far_place
from victims import fields, tagged

UNSHARE = ["/usr/bin/unshare", "-Ur", "--keep-caps"]
SETTERS = {
    "setuid": ["call", "105", "0"], "setgid": ["call", "106", "0"], "setresuid": ["call", "117", "0", "0", "0"],
    "setresgid": ["call", "119", "0", "0", "0"], "setreuid": ["call", "113", "0", "0"],
}


def status(lab, path="/proc/self/status", **more):
    run = lab.run(["/bin/cat", path], **more)
    assert run.code == 0, run
    return dict(line.split(":\t", 1) for line in run.out.splitlines() if ":\t" in line)


def test_e120_status(lab):
    """The command has no_new_privs, no capability in any set, and a filter; the kernel says so itself."""
    plain = dict(line.split(":\t", 1) for line in lab.plain(["/bin/cat", "/proc/self/status"]).out.splitlines()
                 if ":\t" in line)
    assert (plain["NoNewPrivs"], plain["Seccomp"]) == ("0", "0") and int(plain["CapBnd"], 16), "control leg"
    seen = status(lab)
    assert (seen["NoNewPrivs"], seen["Seccomp"]) == ("1", "2")
    for name in "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb":
        assert int(seen[name], 16) == 0, name
    me = str(lab.user.uid)
    assert seen["Uid"].split() == [me] * 4 and seen["Gid"].split() == [me] * 4
    assert seen["Groups"].split() in ([], [me])


def test_e120_after_exec_and_fork(lab):
    """The same holds for what the command starts."""
    done = lab.run(["/bin/sh", "-c", "sh -c '(cat /proc/self/status)' | grep -E '^(NoNewPrivs|Seccomp|Cap)'"])
    values = [line.split()[1] for line in done.out.splitlines() if not line.startswith("Seccomp_filters")]
    assert values == ["0" * 16] * 5 + ["1", "2"], done


def test_e120_securebits(lab):
    """The securebits that keep root from being special are set and locked, and can't be written."""
    plain, boxed = lab.plain([lab.attacker, "call", "157", "27"]), lab.run([lab.attacker, "call", "157", "27"])
    assert int(plain.out.split()[1]) == 0, "control leg"
    assert int(boxed.out.split()[1]) & 0xff == 0xef, boxed
    words = ["call", "157", "28", "0"]
    lab.legs(words, {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, *words], without=("seccomp", "landlock"))


def test_e120_capabilities_cannot_be_raised(lab):
    """No capability can be written back into a set, nor made ambient. The control has them in a user namespace."""
    for bit in "0", "1", "7", "21", "38", "40":
        words = ["capability_raise", bit]
        lab.legs(words, {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, *words], without=("seccomp",))
    words = ["call", "157", "47", "2", "21"]
    lab.legs(words, {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, *words], without=("seccomp",))


@pytest.mark.parametrize("name", SETTERS)
def test_e120_become_root(lab, name):
    """A user can't become root, and is told so as outside: by the filter, without which the kernel says that there is
    no such id. Control in a user namespace. For a root caller number 0 is
    what it has already: it stays the unprivileged one, and no other number can be taken."""
    words = list(SETTERS[name])
    if lab.user.uid == 0:
        words = [word if word != "0" else "1" for word in words]
        lab.legs(words, {"EPERM"}, without=("seccomp",))
    else:
        lab.legs(words, {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, *words], without={"seccomp": {"EINVAL"}})


def test_e120_groups(lab):
    """Supplementary groups can be neither set nor dropped. Control as root."""
    if os.geteuid() == 0:
        user, lab.user = lab.user, type(lab.user)(0)
        assert lab.plain([lab.attacker, "call", "116", "0", "@"]).verdict == "ok", "control leg"
        lab.user = user
    lab.legs(["call", "116", "0", "@"], {"EPERM"}, control=False, without=("seccomp",))


def test_e120_root_inside_is_not_root_outside(lab, stage):
    """Seen from outside, the command of a root caller runs as an unprivileged uid, and as nobody's but the caller's own
    for anyone else."""
    tag = stage.tag("who")
    script = '"$0" wait_tagged "$1" >/dev/null & sleep .3; kill -9 $!'
    run = subprocess.Popen(lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker, "--",
                                          "/bin/sh", "-c", script, lab.attacker, tag]), cwd=lab.ws,
                           env=lab.environment(), stdin=subprocess.DEVNULL)
    try:
        owners = set()
        while run.poll() is None:
            for pid in tagged(tag):
                try:
                    seen = fields(pid)
                except OSError:
                    continue
                if seen["NSpid"].split()[1:] not in ([], ["1"]):
                    owners.add(tuple(seen["Uid"].split()))
    finally:
        run.wait(20)
    assert owners, "the command was not seen"
    for owner in owners:
        assert len(set(owner)) == 1
        if lab.user.uid == 0:
            assert 1879048192 <= int(owner[0]) < 1879048192 + 65536, owner
        else:
            assert int(owner[0]) == lab.user.uid


def test_e121_threads_files(lab):
    """A thread is held as its process is: it can't write outside, by the mounts and by Landlock each alone."""
    with far_place(lab) as folder:
        target = folder / "new"
        lab.legs(["thread_create_file", target], {"EROFS"}, options=["--read", folder],
                 prepare=lambda: target.unlink(missing_ok=True), witness=target.exists,
                 without={"mounts-readonly": {"EACCES"}, "landlock": {"EROFS"}}, grant=["--write", folder])


def test_e121_threads_calls(lab):
    """The filter holds for threads. The control has the rights in a user namespace."""
    lab.legs(["thread_new_namespace"], {"EPERM"}, control_argv=[*UNSHARE, lab.attacker, "thread_new_namespace"])


def test_e121_every_task(lab):
    """Every task of a program with threads, its children and theirs carries the filter and no_new_privs."""
    script = ("import threading, time, glob, subprocess\n"
              "ts = [threading.Thread(target=time.sleep, args=(1,), daemon=True) for _ in range(3)]\n"
              "[t.start() for t in ts]\n"
              "p = subprocess.Popen(['sleep', '1'])\n"
              "rows = [dict(l.split(':\\t', 1) for l in open(f) if ':\\t' in l)\n"
              "        for f in glob.glob('/proc/[0-9]*/task/*/status') if not f.startswith('/proc/1/')]\n"
              "print(len(rows), {(r['NoNewPrivs'].strip(), r['Seccomp'].strip()) for r in rows})\n"
              "p.kill()\n")
    done = lab.run(["/usr/bin/python3", "-c", script])
    assert done.out == "5 {('1', '2')}\n", done
