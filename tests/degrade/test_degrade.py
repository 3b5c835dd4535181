"""degrade itself: each kind of rule does what it says, nothing else changes, and a mistake is exit 125."""
import os
import signal
import subprocess
import time

import pytest

from harness import BUILD

DEGRADE = BUILD / "tests" / "degrade"


def degraded(lab, rules, *argv, **more):
    return lab.plain([DEGRADE, rules, "--", *argv], **more)


def test_without_the_rule_the_call_works(lab):
    assert degraded(lab, "rmdir=EROFS", "mkdir", "x").code == 0
    assert (lab.ws / "x").is_dir()


@pytest.mark.parametrize("rule, words", [
    ("mkdir=EROFS", "Read-only file system"),
    ("mkdir=30", "Read-only file system"),
    ("83=EROFS", "Read-only file system"),
    ("mkdir@1:0x1ff=EPERM", "Operation not permitted"),
    ("mkdir@1:511=EPERM", "Operation not permitted"),
    ("mkdir#1=EACCES", "Permission denied"),
    ("mkdir=delay:1,mkdir#1=ENOSPC", "No space left"),
    ("rmdir=EIO,mkdir=ENOTSUP,mkdir=EIO", "not supported"),
])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="mkdir has another number")
def test_a_call_fails_with_the_chosen_error(lab, rule, words):
    done = degraded(lab, rule, "mkdir", "x")
    assert done.code == 1 and words in done.err
    assert not (lab.ws / "x").exists()


@pytest.mark.parametrize("rule", ["mkdir@1:0x1c0=EPERM", "mkdir#2=EPERM", "mkdir@1:0x1c0#1=EPERM"])
def test_a_call_that_does_not_match_works(lab, rule):
    assert degraded(lab, rule, "mkdir", "x").code == 0


def test_only_the_chosen_call_fails_over_the_whole_tree(lab):
    done = degraded(lab, "mkdir#3=EPERM", "sh", "-c", "mkdir 1; sh -c 'mkdir 2; mkdir 3; mkdir 4'; mkdir 5")
    assert done.err.count("not permitted") == 1
    assert sorted(p.name for p in lab.ws.iterdir()) == ["1", "2", "4", "5"]


def test_until_execve_leaves_what_the_command_starts_alone(lab):
    script = "import os, subprocess\ntry: os.mkdir('0')\nexcept OSError: print('failed')\n" \
             "os.mkdir('1'); os.mkdir('2'); subprocess.call(['mkdir', '3'])"
    done = degraded(lab, "mkdir#1=EPERM,mkdir#4=EPERM,until-execve", "/usr/bin/python3", "-c", script)
    assert done.out == "failed\n" and done.err == "", done
    assert sorted(p.name for p in lab.ws.iterdir()) == ["1", "2", "3"]


def test_from_execve_leaves_alone_what_comes_before(lab):
    done = degraded(lab, "from-execve,mkdir#1=EPERM", "/usr/bin/python3", "-c",
                    "import os, subprocess; os.mkdir('1'); subprocess.call(['mkdir', '2']); os.mkdir('3')")
    assert done.err.count("not permitted") == 1
    assert sorted(p.name for p in lab.ws.iterdir()) == ["1", "3"]


@pytest.mark.parametrize("rule, made", [
    ("supervisor/mkdir=EPERM", "1 2 3 4"), ("relay/mkdir=EPERM", "2 4"), ("init/mkdir=EPERM", "1 3 4"),
    ("command/mkdir=EPERM", "1 2 3"), ("relay/mkdir#2=EPERM", "1 2 4"), ("relay/mkdir@1:0x1ff#2=EPERM", "1 2 4")])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="mkdir has another number")
def test_a_rule_for_one_process_of_a_launch(lab, rule, made):
    inside = "/usr/bin/python3 -c \"import os, subprocess\ntry: os.mkdir('2')\nexcept OSError: pass\n" \
             "subprocess.call(['mkdir', '4'])\""
    degraded(lab, rule, "sh", "-c", f"mkdir 1; unshare --user --pid --fork {inside}; mkdir 3; :")
    assert " ".join(sorted(p.name for p in lab.ws.iterdir())) == made


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="mkdir has another number")
def test_calls_are_written_down_with_who_made_them(lab):
    record = lab.scratch.path / "record"
    done = degraded(lab, f"record:{record}", "sh", "-c", "mkdir -m 700 1; unshare --user --pid --fork rmdir 1; :")
    assert done.code == 0 and not (lab.ws / "1").exists(), done
    lines = [line.split(" ") for line in record.read_text().splitlines()]
    assert ["relay", "mkdir"] in [line[:2] for line in lines if line[2].split(",")[1] == "1c0"]
    assert "init" in [role for role, name, _ in lines if name == "rmdir"]
    assert [role for role, name, _ in lines if name == "exit_group"][-1] == "supervisor"


def test_a_delay_waits_and_then_the_call_works(lab):
    start = time.monotonic()
    assert degraded(lab, "mkdir=delay:300", "mkdir", "x").code == 0
    assert 0.3 <= time.monotonic() - start < 2
    assert (lab.ws / "x").is_dir()


def test_kill_ends_the_first_process_and_the_call_goes_on(lab):
    done = degraded(lab, "mkdir#2=kill", "sh", "-c", "mkdir 1; mkdir 2; mkdir 3")
    assert done.code == -signal.SIGKILL
    assert (lab.ws / "1").exists() and not (lab.ws / "3").exists()
    for _ in range(100):
        if (lab.ws / "2").exists():
            return
        time.sleep(0.01)
    raise AssertionError("the call that was held did not go on")


def test_kill_of_a_process_in_its_own_call(lab):
    assert degraded(lab, "mkdir=kill", "mkdir", "x").code == -signal.SIGKILL
    assert not (lab.ws / "x").exists()


def test_delays_of_two_processes_run_at_once(lab):
    start = time.monotonic()
    done = degraded(lab, "mkdir=delay:500", "sh", "-c", "mkdir 1 & mkdir 2 & mkdir 3 & mkdir 4 & wait")
    assert done.code == 0 and 0.5 <= time.monotonic() - start < 1
    assert len(list(lab.ws.iterdir())) == 4


@pytest.mark.parametrize("rules, argv", [
    ("clone3=ENOSYS,clonens=EPERM", ["unshare", "--user", "--fork", "true"]),
    ("unsharens=EPERM", ["unshare", "--user", "true"]),
    ("unsharens=ENOSPC", ["unshare", "--user", "--mount", "true"]),
])
def test_namespaces_are_refused(lab, rules, argv):
    assert lab.plain(argv).code == 0, "control: namespaces can be made"
    result = degraded(lab, rules, *argv)
    expected = 0 if "clonens" in rules else 1   # unshare(1) clones without a namespace flag
    assert result.code == expected, result


def test_threads_and_forks_are_no_namespaces(lab):
    script = "import threading, subprocess; threading.Thread(target=print).start(); subprocess.check_call('true')"
    done = degraded(lab, "clone3=ENOSYS,clonens=EPERM,unsharens=EPERM", "/usr/bin/python3", "-c", script)
    assert done.code == 0, done


def filter_script(how):
    """Install an allow-all filter: sock_fprog with one BPF_RET SECCOMP_RET_ALLOW."""
    return f"""
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
fprog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)))
libc.prctl(38, 1, 0, 0, 0)
print(libc.{how}, ctypes.get_errno())
"""


@pytest.mark.parametrize("how", ["syscall(317, 1, 0, fprog)", "prctl(22, 2, fprog, 0, 0)"])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="seccomp has another number")
def test_filters_are_refused_by_either_call(lab, how):
    argv = ["/usr/bin/python3", "-c", filter_script(how)]
    assert lab.plain(argv).out == "0 0\n"
    assert degraded(lab, "seccomp-filter=EINVAL", *argv).out == "-1 22\n"


def test_the_command_takes_over_the_process(lab):
    """A test that kills the pid it started must hit the command, not degrade."""
    for rule in ("mkdir=EPERM", "mkdir=delay:1"):
        with subprocess.Popen(lab.user.argv([DEGRADE, rule, "sh", "-c", "echo $$"]), stdout=subprocess.PIPE) as started:
            assert int(started.communicate()[0]) == started.pid


def test_the_command_inherits_no_descriptor_and_no_child(lab):
    script = "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])\n" \
             "try: os.wait()\nexcept ChildProcessError: print('childless')"
    for rule in ("mkdir=EPERM", "mkdir=delay:1"):
        assert degraded(lab, rule, "/usr/bin/python3", "-c", script).out == "[0, 1, 2]\nchildless\n"


def supervisors_of(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            continue
    return found


def test_the_supervisor_is_not_found_by_the_commands_arguments(lab):
    mark = f"degrade-mark-{os.getpid()}-{lab.user.name}"
    argv = [DEGRADE, "mkdir=delay:1", "sh", "-c", "echo; read line", mark]
    with subprocess.Popen(lab.user.argv(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        started.stdout.readline()
        assert supervisors_of(mark) == [started.pid]
        started.communicate(b"\n")


def test_the_supervisor_ends_with_the_command(lab):
    """It holds the last write end of nothing: a reader of the command's output sees the end of file at once."""
    start = time.monotonic()
    assert degraded(lab, "mkdir=delay:60000", "true").code == 0
    assert time.monotonic() - start < 2


def test_root_needs_no_new_privileges_only_when_not_root(lab):
    done = degraded(lab, "mkdir=EPERM", "grep", "NoNewPrivs", "/proc/self/status")
    assert done.out.split() == ["NoNewPrivs:", "0" if lab.user.uid == 0 else "1"]


@pytest.mark.parametrize("argv, words", [
    ([], "usage"),
    (["mkdir=EPERM"], "usage"),
    (["mkdir=EPERM", "--"], "usage"),
    (["", "true"], "NAME=ERRNO"),
    (["mkdir", "true"], "NAME=ERRNO"),
    (["mkdir=EPERM,", "true"], "NAME=ERRNO"),
    (["mkdr=EPERM", "true"], "unknown call: mkdr"),
    (["=EPERM", "true"], "unknown call"),
    (["mkdir=EPREM", "true"], "unknown error: EPREM"),
    (["mkdir=", "true"], "unknown error"),
    (["mkdir=0", "true"], "unknown error"),
    (["mkdir=4096", "true"], "unknown error"),
    (["mkdir=-1", "true"], "unknown error"),
    (["mkdir= 1", "true"], "unknown error"),
    (["mkdir=1x", "true"], "unknown error"),
    (["mkdir=delay:", "true"], "delay"),
    (["mkdir=delay:0", "true"], "delay"),
    (["mkdir=delay:1s", "true"], "delay"),
    (["mkdir#0=EPERM", "true"], "number of a call"),
    (["mkdir#=EPERM", "true"], "number of a call"),
    (["shell/mkdir=EPERM", "true"], "unknown role: shell"),
    (["any/mkdir=EPERM", "true"], "unknown role: any"),
    (["record:file", "true"], "absolute path"),
    (["mkdir@6:1=EPERM", "true"], "ARGUMENT:VALUE"),
    (["mkdir@0=EPERM", "true"], "ARGUMENT:VALUE"),
    (["mkdir@0:0x100000000=EPERM", "true"], "ARGUMENT:VALUE"),
    (["clonens@0:1=EPERM", "true"], "already"),
    (["seccomp-filter#1=EPERM", "true"], "not counted together"),
    ([",".join(["mkdir=EPERM"] * 65), "true"], "more than 64"),
    (["mkdir=EPERM", "/nonexistent"], "No such file"),
    (["mkdir=EPERM", "nonexistent-command"], "not found"),
    (["mkdir=EPERM", "/etc/passwd"], "ermission denied"),
])
def test_a_mistake_is_exit_125(lab, argv, words):
    done = lab.plain([DEGRADE, *argv])
    assert done.code == 125 and words in done.err and done.out == "", done
    assert done.err.startswith("degrade: ") and done.err.count("\n") == 1
