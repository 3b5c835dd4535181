"""pinfold doctor as a command: what it prints, its status, what it leaves behind (nothing) and starts (nothing)."""
import json
import os
import re
import subprocess

import pytest

from harness import tree

GUARANTEES = ["fs-read", "fs-write", "fs-metadata", "fs-secret", "fs-protect", "fs-settle", "net-egress", "net-local", "unix-socket", "process", "ipc",
              "privilege", "kernel-surface", "environment", "descriptors", "no-survivors"]
KEYS = {"doctor", "version", "status", "starts", "verdict", "instead", "cause", "complete", "temporary", "workspace",
        "host", "caller", "guarantees", "steps", "missing", "warnings"}


def doctor(lab, *options, **more):
    return lab.plain([lab.pinfold, "doctor", *options], **more)


def report(lab, *options, **more):
    result = doctor(lab, "--json", *options, **more)
    assert result.err == "", result
    told = json.loads(result.out)
    assert set(told) == KEYS and told["doctor"] == 1 and told["status"] == result.code, told
    return told


def test_it_starts_here(lab):
    before = tree(lab.scratch.path)
    told = report(lab)
    assert told["starts"] and told["status"] == 0 and told["cause"] is None and told["instead"] is None
    assert told["workspace"] == os.fspath(lab.ws) and not told["temporary"] and told["complete"]
    assert list(told["guarantees"]) == GUARANTEES and told["missing"] == []
    for name, one in told["guarantees"].items():
        assert one["state"] == "held" and not one["waived"] and one["missing"] == [] and one["layers"], (name, one)
        assert one["proof"] in ("tried", "read back", "probed") and one["promise"], (name, one)
    assert told["caller"]["root"] == ("user" if lab.user.uid else "root-mapped"), told["caller"]
    assert told["caller"]["uid"] == lab.user.uid and set(told["steps"].values()) <= {"held", "not needed"}
    assert tree(lab.scratch.path) == before, "something of the user's was changed"


# What no box can be without, and what each guarantee rests on beside that. The overlay is mode discard's.
BOX = ["user-namespace", "mount-namespace", "pid-namespace", "uts-namespace", "id-maps", "life-pipe", "relay", "mounts",
       "mounts-readonly", "proc", "pivot-root", "loopback", "hostname", "session", "descriptors", "capabilities",
       "no-new-privs", "verify"]
LAYERS = {"fs-read": "", "fs-write": "mounts-readonly, landlock", "fs-metadata": "mounts-readonly", "fs-secret": "",
          "fs-protect": "mounts-readonly", "fs-settle": "settlement",
          "net-egress": "net-namespace, seccomp", "net-local": "net-namespace, loopback, seccomp",
          "unix-socket": "net-namespace, sockets", "process": "cgroup-namespace, session",
          "ipc": "ipc-namespace, keyring, seccomp", "privilege": "limits, capabilities, seccomp",
          "kernel-surface": "seccomp", "environment": "", "descriptors": "relay, descriptors", "no-survivors": ""}


def test_what_each_guarantee_rests_on(lab):
    told = dict(re.findall(r"^  (\S+) +held +[a-z ]+; the box(?:, and (.*))?$", doctor(lab).out, re.M))
    mapped = {"privilege": "id-mapped-mounts, " + LAYERS["privilege"]} if lab.user.uid == 0 else {}
    assert told == {**LAYERS, **mapped}
    assert report(lab)["guarantees"]["fs-read"]["layers"] == BOX


def test_the_words_tell_what_the_json_tells(lab):
    told, words = report(lab), doctor(lab)
    lines = words.out.splitlines()
    assert words.code == 0 and words.err == "" and lines[0] == told["verdict"]
    assert lines[0] == "the default policy starts here: every guarantee is held"
    assert f"Host: {told['host']['words']}" in lines and f"Tried in: {lab.ws}" in lines
    assert f"Linux {told['host']['kernel']}, Landlock ABI {told['host']['landlock']['abi']}" in words.out
    for name in GUARANTEES:
        assert re.search(rf"^  {name} +held  ", words.out, re.M), words.out
    for one in told["warnings"]:
        assert f"  {one['name']}: {one['text']}" in lines


def test_host_and_evidence(lab):
    host = report(lab)["host"]
    assert host["kernel"] == os.uname().release and host["ci"] is None and host["words"]
    assert {"source": "/proc/version", "says": open("/proc/version").read().strip()} in host["evidence"]
    for one in host["landlock"]["higher"]:
        assert one["abi"] > host["landlock"]["abi"] and one["kernel"] and one["adds"]


@pytest.mark.parametrize("place", ["home", "root"])
def test_a_folder_that_cannot_be_a_workspace(lab, place):
    """As run there; what the host can is tried in a folder of its own, which is gone afterwards."""
    folder = {"home": lab.home, "root": "/"}[place]
    before = tree(lab.scratch.path)
    ran = lab.plain([lab.pinfold, "run", "--", "true"], cwd=folder)
    told = report(lab, cwd=folder)
    assert ran.code == told["status"] == 125 and not told["starts"], (ran, told)
    assert ran.err.removeprefix("pinfold: ").strip() in told["verdict"], (ran.err, told["verdict"])
    assert told["temporary"] and told["workspace"].startswith("/tmp/pinfold-doctor-"), told["workspace"]
    assert told["instead"] == "tried in a temporary folder instead: every guarantee is held there", told["instead"]
    assert {one["state"] for one in told["guarantees"].values()} == {"held"} and told["complete"]
    assert not os.path.exists(told["workspace"]) and tree(lab.scratch.path) == before
    words = doctor(lab, cwd=folder).out.splitlines()
    assert words[1] == told["instead"] and any(line.endswith(", a folder made for it and removed") for line in words)


def test_a_workspace_that_is_not_there(lab):
    told = report(lab, "--workspace", lab.scratch.path / "nowhere")
    assert told["status"] == 125 and "nowhere" in told["verdict"] and told["temporary"]
    assert told["instead"].endswith(": every guarantee is held there")


def test_another_workspace(lab):
    folder = lab.outside / "other"
    lab.file(folder / "file")
    ran = lab.plain([lab.pinfold, "run", "--workspace", folder, "--", "true"], cwd=folder)
    told = report(lab, "--workspace", folder, cwd=folder)
    assert told["status"] == ran.code == 0 and told["workspace"] == os.fspath(folder)


@pytest.mark.parametrize("words, wanted", [
    (["true"], "takes no command"),
    (["--", "true"], "takes no command"),
    (["--jsn"], "did you mean --json"),
    (["--read", "/tmp"], "unknown option --read"),
    (["--waive", "ipc"], "unknown option --waive"),
    (["--receipt", "x"], "unknown option --receipt"),
    (["--workspace"], "needs a value"),
])
def test_wrong_use(lab, words, wanted):
    result = doctor(lab, *words)
    assert result.code == 125 and result.out == "" and wanted in result.err and result.err.count("\n") == 1, result


def test_a_misspelt_subcommand(lab):
    result = lab.plain([lab.pinfold, "docter"])
    assert result.code == 125 and "did you mean doctor?" in result.err, result


def test_no_program_is_started(lab):
    """What makes the box is all of a launch; strace sees no exec but doctor's own."""
    log = lab.scratch.path / "log"
    argv = ["strace", "-f", "-qq", "-o", log, "-e", "trace=execve,execveat", lab.pinfold, "doctor"]
    result = lab.plain(argv, env={"SHELL": "/bin/sh"})
    lines = [line for line in log.read_text().splitlines() if "exec" in line]
    assert len(lines) == 1 and "pinfold" in lines[0], lines
    assert result.code in (0, 126), result   # traced, a launch may be refused


def test_output_that_cannot_be_written(lab):
    with open("/dev/full", "w") as full:
        for options in ([], ["--json"]):
            done = subprocess.run(lab.user.argv([lab.pinfold, "doctor", *options]), cwd=lab.ws, stdout=full,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=lab.environment(), text=True)
            assert done.returncode in (125, 126), done
            assert done.stderr.startswith("pinfold: "), done


def test_on_a_terminal(lab):
    """With a terminal the pty is made and its relay confined as for a run, and the terminal is as it was."""
    import pty
    import termios
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    if lab.user.uid:
        os.fchown(slave, lab.user.uid, -1)
    with subprocess.Popen(lab.user.argv([lab.pinfold, "doctor"]), cwd=lab.ws, stdin=slave, stdout=slave, stderr=slave,
                          env=lab.environment()) as started:
        assert started.wait(timeout=20) == 0
    assert termios.tcgetattr(slave) == before
    text = os.read(master, 65536).decode()
    assert text.startswith("the default policy starts here") and "no-terminal" not in text, text
    os.close(master), os.close(slave)


def test_input_is_not_read(lab):
    with open(lab.file(lab.home / "input", "first\nsecond\n")) as file:
        assert doctor(lab, stdin=file).code == 0
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 0
