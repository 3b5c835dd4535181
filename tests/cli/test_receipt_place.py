"""Where a receipt goes: a FILE is whole and true at every moment, and says killed until the end."""
import fcntl
import os
import signal
import stat
import subprocess

import pytest

import receipts
from workbench import PATH, box_argv, end, eventually, raw, run_with_mounts, started

WAIT = ["sh", "-c", "until test -e go; do sleep .02; done"]


def place(lab):
    return lab.outside / "r.json"


def test_says_killed_until_the_end(lab):
    path = lab.file(place(lab), "of an earlier run\n")
    with started(lab, WAIT, "--receipt", path) as process:
        assert eventually(lambda: path.read_text().startswith("{"))
        receipt = receipts.read(path)
        assert (receipt["outcome"], receipt["confined"], receipt["command"]) == ("killed", "unknown", WAIT)
        assert "exit" not in receipt and "guarantees" not in receipt
        lab.file(lab.ws / "go")
        assert process.wait(20) == 0
    assert receipts.read(path)["outcome"] == "exited" and os.listdir(lab.outside) == ["r.json"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_pinfold_that_is_killed_leaves_it_so(lab, number):
    path = place(lab)
    with started(lab, WAIT, "--receipt", path) as process:
        assert eventually(path.exists)
        end(process, number)
    assert receipts.read(path)["outcome"] == "killed" and os.listdir(lab.outside) == ["r.json"]


def test_every_moment_of_a_run_shows_a_whole_one(lab):
    """Read without a pause while run follows run."""
    path = place(lab)
    assert lab.run(["true"], "--receipt", path).code == 0
    seen = set()
    for _ in range(8):
        process = subprocess.Popen(box_argv(lab, ["true"], "--receipt", path), cwd=lab.ws, env=lab.environment())
        while process.poll() is None:
            seen.add(receipts.read(path)["outcome"])
        assert process.returncode == 0
    assert seen == {"killed", "exited"} and os.listdir(lab.outside) == ["r.json"]


def test_many_runs_with_one_file(lab):
    """Each leaves a whole receipt, and none of them what it was written to first."""
    path = place(lab)
    lines = [box_argv(lab, ["sh", "-c", f"exit {n}"], "--receipt", path) for n in range(20)]
    running = [subprocess.Popen(line, cwd=lab.ws, env=lab.environment({"PATH": PATH})) for line in lines]
    assert [process.wait(30) for process in running] == list(range(20))
    receipt = receipts.read(path)
    assert receipt["outcome"] == "exited" and receipt["command"] == ["sh", "-c", f"exit {receipt['exit']}"]
    assert os.listdir(lab.outside) == ["r.json"]


@pytest.mark.parametrize("which", [1, 2])
def test_killed_between_writing_and_renaming(lab, which):
    """What lies there under another name then is removed by the next run with the same FILE."""
    path = place(lab)
    inject = f"inject=renameat,renameat2:signal=KILL:when={which}"
    line = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=renameat,renameat2", "-e", inject, lab.pinfold, "run",
            "--workspace", lab.ws, "--receipt", path, "--", "true"]
    done = raw(lab, lab.user.argv(line))
    assert done.returncode == -signal.SIGKILL or done.returncode == 128 + signal.SIGKILL, done
    left = sorted(os.listdir(lab.outside))
    # a kernel may do the rename before it delivers the signal
    assert len(left) in (1, 2) and all(name == "r.json" or name.startswith(".pinfold-receipt-") for name in left), left
    assert which == 1 or receipts.read(path)["outcome"] in ("killed", "exited")
    lab.file(lab.outside / left[0].replace("r.json", ".other"), "not ours\n")
    assert lab.run(["true"], "--receipt", path).code == 0
    assert receipts.read(path)["outcome"] == "exited"
    assert [n for n in os.listdir(lab.outside) if n.startswith(".pinfold")] == []


def test_what_another_run_is_writing_is_not_removed(lab):
    """A file under the other name that is locked belongs to somebody alive."""
    path = place(lab)
    assert lab.run(["true"], "--receipt", path).code == 0
    other = lab.file(receipts.other_names(path)[0], "being written\n", 0o600)
    with open(other, encoding="utf-8") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert lab.run(["true"], "--receipt", path).code == 0 and other.read_text() == "being written\n"
    assert lab.run(["true"], "--receipt", path).code == 0 and receipts.read(path)["outcome"] == "exited"
    assert os.listdir(lab.outside) == ["r.json"]


FULL = """
"$1" run --receipt "$2/r.json" -- sh -c 'until test -e go; do sleep .02; done; exit '$3 &
for n in $(seq 500); do test ! -s "$2/r.json" || break; sleep .02; done
dd if=/dev/zero of="$2/fill" bs=512 2>/dev/null
touch go; wait $!; echo $?; ls -A "$2"; cat "$2/r.json"
"""


@pytest.mark.parametrize("code,told", [(0, 125), (7, 7)])
def test_disk_that_is_full_at_the_end(lab, code, told):
    small = lab.scratch.path / "small"
    small.mkdir(), lab.own(small)
    mounts = f"mount -t tmpfs -o size=64k,mode=777 none {small}"
    line = ["bash", "-c", FULL, "bash", os.fspath(lab.pinfold), os.fspath(small), str(code)]
    status, out, err = run_with_mounts(lab, mounts, line, timeout=30)
    first, *files = out[:out.index("{")].split()
    assert (status, int(first), sorted(files)) == (0, told, ["fill", "r.json"]), (out, err)
    assert receipts.check(out[out.index("{"):])["outcome"] == "killed"
    assert "pinfold: the receipt could not be written" in err, err


def test_disk_that_is_full_at_the_start(lab):
    small = lab.scratch.path / "small"
    small.mkdir(), lab.own(small)
    mounts = f"mount -t tmpfs -o size=4k,mode=777 none {small}; dd if=/dev/zero of={small}/fill bs=4k 2>/dev/null || true"
    line = [lab.pinfold, "run", "--workspace", lab.ws, "--receipt", small / "r.json", "--", "touch", "ran"]
    status, _, err = run_with_mounts(lab, mounts, [os.fspath(word) for word in line])
    assert status == 125 and "No space left" in err and not (lab.ws / "ran").exists(), err


def has_writer(reader):
    """Of a FIFO that is read without waiting: end of file says that there is none yet."""
    try:
        return os.read(reader, 1) != b""
    except BlockingIOError:
        return True


def test_fifo_gets_one_at_the_end(lab):
    path = place(lab)
    os.mkfifo(path), lab.own(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with started(lab, WAIT, "--receipt", path) as process:
        assert eventually(lambda: has_writer(reader))
        os.set_blocking(reader, True)
        lab.file(lab.ws / "go")
        with os.fdopen(reader) as stream:
            assert receipts.check(stream.read())["outcome"] == "exited"
        assert process.wait(20) == 0
    assert stat.S_ISFIFO(os.stat(path).st_mode) and os.listdir(lab.outside) == ["r.json"]


def test_fifo_without_a_reader(lab):
    path = place(lab)
    os.mkfifo(path), lab.own(path)
    result = lab.run(["touch", "ran"], "--receipt", path)
    assert result.code == 125 and not (lab.ws / "ran").exists(), result


@pytest.mark.parametrize("code,told", [(0, 125), (7, 7)])
def test_reader_that_has_gone(lab, code, told):
    """No death by SIGPIPE, but a word."""
    reader, writer = os.pipe()
    process = subprocess.Popen(box_argv(lab, ["sh", "-c", WAIT[2] + f"; exit {code}"], "--receipt", f"fd:{writer}"),
                               cwd=lab.ws, env=lab.environment({"PATH": PATH}), pass_fds=[writer],
                               stderr=subprocess.PIPE, text=True)
    os.close(writer), os.close(reader)
    lab.file(lab.ws / "go")
    err = process.communicate(timeout=20)[1]
    assert process.returncode == told and "receipt could not be written" in err, (process.returncode, err)


@pytest.mark.parametrize("blocking", [True, False])
def test_reader_that_does_not_read(lab, blocking):
    """A receipt that finds no room is waited for; a signal ends that."""
    for number in (None, signal.SIGTERM, signal.SIGINT):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writer, blocking)
        process = subprocess.Popen(box_argv(lab, ["touch", "ran"], "--receipt", f"fd:{writer}"), cwd=lab.ws,
                                   env=lab.environment({"PATH": PATH}), pass_fds=[writer])
        os.close(writer)
        assert eventually(lambda: (lab.ws / "ran").exists())
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        if number:
            process.send_signal(number)
            assert process.wait(5) in {-number, 128 + number}
            os.close(reader)
        else:
            with os.fdopen(reader) as stream:
                assert receipts.check(stream.read())["exit"] == 0 and process.wait(5) == 0
        (lab.ws / "ran").unlink()


def test_descriptor_without_one_means_killed(lab):
    reader, writer = os.pipe()
    with started(lab, WAIT, "--receipt", f"fd:{writer}", pass_fds=[writer]) as process:
        os.close(writer)
        assert eventually(lambda: os.path.exists(f"/proc/{process.pid}/task"))
        end(process)
        with os.fdopen(reader) as stream:
            assert stream.read() == ""


def test_device(lab):
    assert lab.run(["true"], "--receipt", "/dev/null").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    result = lab.run(["true"], "--receipt", "/dev/full")
    assert result.code == 125 and "receipt could not be written" in result.err, result


def test_remedies_that_can_be_followed(lab):
    """With / as workspace no file is outside; who gave a descriptor is not told to give one; who has none, how."""
    everywhere = lab.run(["true"], "--workspace", "/", "--receipt", place(lab))
    assert everywhere.code == 125 and "name the folder that the command works in" in everywhere.err, everywhere
    assert "outside /," not in everywhere.err, everywhere
    inside = lab.plain(["sh", "-c", 'exec "$@" 3>r.json', "sh", lab.pinfold, "run", "--receipt", "fd:3", "--", "true"])
    assert inside.code == 125 and "open a file outside" in inside.err and "or use a pipe" in inside.err, inside
    closed = lab.run(["true"], "--receipt", "fd:9")
    assert closed.code == 125 and "open one in the shell: --receipt fd:3 3>FILE" in closed.err, closed


def test_file_in_a_folder_that_cannot_be_written(lab):
    """A file alone isn't enough: a receipt that can't be replaced as a whole is refused, and nothing is changed."""
    path = lab.file(place(lab), "mine\n")
    os.chmod(lab.outside, 0o555)
    if lab.user.uid == 0:
        mounts = f"mount --bind {path} {path}"   # root writes anywhere; nobody renames over a mount
        status, _, err = run_with_mounts(lab, mounts, box_argv(lab, ["touch", "ran"], "--receipt", path))
    else:
        result = lab.run(["touch", "ran"], "--receipt", path)
        status, err = result.code, result.err
    assert status == 125 and "fd:N" in err and not (lab.ws / "ran").exists(), err
    assert path.read_text() == "mine\n" and os.listdir(lab.outside) == ["r.json"]


def test_names_that_are_hard_to_write_beside(lab):
    for name in ("x" * 255, os.fsdecode(b"\xff\n"), "-", " ", ".hidden", "a'b\"c"):
        path = lab.outside / name
        assert lab.run(["true"], "--receipt", path).code == 0, name
        assert receipts.read(path)["outcome"] == "exited"
        path.unlink()
    assert os.listdir(lab.outside) == []
    for name in (".", "..", "", "./"):
        result = lab.run(["true"], "--receipt", f"{lab.outside}/{name}")
        assert result.code == 125 and "name a file" in result.err, result
