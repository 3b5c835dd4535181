"""Can a command forge its receipt, or make away with it? Each act has a control, in which it works."""
import os
import subprocess
from contextlib import contextmanager

import pytest

import harness
import receipts
from workbench import PATH, box_argv, eventually, raw, run_with_mounts, started

FORGED = '{"receipt": 1, "forged": true}'
WAIT = ": >up; until test -e go; do sleep .02; done; rm up"


def forge(path):
    """A command that writes its own receipt, in place and by a new file, and takes rights away from what it can."""
    return ["sh", "-c", f"mkdir -p '{path.parent}'; echo '{FORGED}' >'{path}'; echo '{FORGED}' >'{path}.new'; "
                        f"mv -f '{path}.new' '{path}'; chmod 555 '{path.parent}'; cat '{path}'; : >ran"]


def control(lab, path):
    """Without a box the same command does it."""
    os.chmod(path.parent, 0o777)
    assert FORGED in lab.plain(forge(path), env={"PATH": PATH}).out and path.read_text() == FORGED + "\n"
    os.chmod(path.parent, 0o755)
    path.unlink(), (lab.ws / "ran").unlink()


def assert_true(path, code=0):
    receipt = receipts.read(path)
    assert receipt["outcome"] == "exited" and receipt["exit"] == code, receipt


def test_place_that_the_box_has_as_its_own(lab):
    """The lab lies in /var/tmp, which is private inside: the same path is another file there."""
    path = lab.outside / "r.json"
    control(lab, path)
    result = lab.run(forge(path), "--receipt", path, env={"PATH": PATH})
    assert result.code == 0 and FORGED in result.out, f"the box's own file can't be written: {result}"
    assert_true(path)
    assert os.listdir(lab.outside) == ["r.json"] and (lab.ws / "ran").exists()


def test_place_that_the_command_can_read(lab):
    path = lab.outside / "r.json"
    control(lab, path)
    result = lab.run(forge(path), "--read", lab.outside, "--receipt", path, env={"PATH": PATH})
    assert FORGED not in result.out, result
    assert_true(path)


def refused(lab, path, *options, mounts=None):
    """The run is refused, since the command could write there; with the receipt elsewhere it begins."""
    for where in (path, lab.home / "r.json"):
        line = [os.fspath(word) for word in (lab.pinfold, "run", "--workspace", lab.ws, *options, "--receipt", where, "--",
                                             "sh", "-c", ": >ran")]
        if mounts:
            status, _, err = run_with_mounts(lab, mounts, line)
        else:
            result = lab.plain(line, env={"PATH": PATH})
            status, err = result.code, result.err
        if where == path:
            assert status == 125 and "forge" in err and not (lab.ws / "ran").exists(), (status, err)
        else:
            assert status == 0 and (lab.ws / "ran").exists(), f"control: {status} {err}"


def test_workspace_and_writable_grants(lab):
    inner = lab.ws / "inner"
    inner.mkdir(), lab.own(inner)
    refused(lab, inner / "r.json")
    (lab.ws / "ran").unlink()
    refused(lab, lab.outside / "r.json", "--write", lab.outside)
    (lab.ws / "ran").unlink()
    file = lab.file(lab.home / "granted")
    result = lab.run(["true"], "--write", file, "--receipt", lab.home / "r.json")
    assert result.code == 0, f"a file beside a granted one is nobody's: {result}"


@pytest.mark.skipif("STEP(OVERLAY" not in (harness.ROOT / "src/plan/steps.def").read_text(), reason="no such modes yet")
@pytest.mark.parametrize("mode", ["readonly", "discard"])
def test_workspace_that_the_command_cannot_change(lab, mode):
    """There a receipt is as safe as outside."""
    path = lab.ws / "inner" / "r.json"
    path.parent.mkdir(), lab.own(path.parent)
    control(lab, path)
    assert lab.run(["true"], "--mode", "direct", "--receipt", path).code == 125
    result = lab.run(forge(path), "--mode", mode, "--receipt", path, env={"PATH": PATH})
    assert (FORGED in result.out) == (mode == "discard"), result
    assert_true(path, result.code)
    assert os.listdir(path.parent) == ["r.json"]


@pytest.mark.skipif(not (harness.ROOT / "src/policy/reader.c").exists(), reason="no policy files in this version")
def test_grant_of_a_policy_file(lab):
    """What a file grants counts as much as an option; a file that is broken has a receipt too."""
    file = lab.file(lab.home / "policy.json", f'{{"write": ["{lab.outside}"]}}', 0o600)
    refused(lab, lab.outside / "r.json", "--policy", file)
    lab.file(file, "{", 0o600)
    path = lab.scratch.path / "r.json"
    result = lab.run(["true"], "--policy", file, "--receipt", path)
    assert result.code == 125 and receipts.read(path)["outcome"] == "usage", result


def test_another_name_of_the_workspace(lab):
    """The same folder by a bind mount: whole, a part of it, and from above it."""
    inner, alias = lab.ws / "inner", lab.scratch.path / "alias"
    for folder in (inner, alias):
        folder.mkdir(), lab.own(folder)
    for source, path in ((lab.ws, alias / "r.json"), (inner, alias / "r.json"), (lab.ws, alias / "inner" / "r.json"),
                         (lab.scratch.path, alias / "ws" / "r.json")):
        mounts = f"mount --bind {source} {alias}"
        status, out, _ = run_with_mounts(lab, mounts, ["sh", "-c", f": >{path} && find {lab.ws} -name r.json"])
        assert status == 0 and "r.json" in out, "control: the alias doesn't show in the workspace"
        for found in lab.ws.rglob("r.json"):
            found.unlink()
        refused(lab, path, mounts=mounts)
        (lab.ws / "ran").unlink()


def test_workspace_into_which_the_folder_is_mounted(lab):
    inner = lab.ws / "inner"
    inner.mkdir(), lab.own(inner)
    refused(lab, lab.outside / "r.json", mounts=f"mount --bind {lab.outside} {inner}")
    (lab.ws / "ran").unlink()
    part = lab.outside / "part"
    part.mkdir(), lab.own(part)
    mounts = f"mount --bind {part} {inner}"
    refused(lab, part / "r.json", mounts=mounts)
    line = [os.fspath(lab.pinfold), "run", "--workspace", os.fspath(lab.ws), "--receipt",
            os.fspath(lab.outside / "r.json"), "--", "true"]
    status, _, err = run_with_mounts(lab, mounts, line)
    assert status == 0, f"what lies above the mounted part can't be reached from it: {err}"
    assert_true(lab.outside / "r.json")


def test_hard_link_in_the_workspace(lab):
    """The command has FILE's old inode; the receipt is a new one."""
    path = lab.file(lab.outside / "r.json", "old\n")
    os.link(path, lab.ws / "same")
    act = ["sh", "-c", f"echo '{FORGED}' >same; sleep .1; echo '{FORGED}' >>same"]
    assert lab.plain(act, env={"PATH": PATH}).code == 0 and FORGED in path.read_text(), "control"
    assert lab.run(act, "--receipt", path, env={"PATH": PATH}).code == 0
    assert_true(path)
    assert (lab.ws / "same").read_text() == f"{FORGED}\n{FORGED}\n"


def test_descriptor_of_a_file_with_another_name(lab):
    path = lab.file(lab.outside / "r.json", "")
    for links in (2, 1):
        if links == 2:
            os.link(path, lab.ws / "same")
        else:
            (lab.ws / "same").unlink()
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
        done = raw(lab, box_argv(lab, ["true"], "--receipt", f"fd:{fd}"), pass_fds=[fd])
        os.close(fd)
        assert done.returncode == (125 if links == 2 else 0), done
    assert b"hard links" not in done.stderr
    assert_true(path)


def test_descriptor_of_a_file_in_the_workspace(lab):
    for folder, code in ((lab.ws, 125), (lab.outside, 0)):
        path = lab.file(folder / "r.json", "")
        fd = os.open(path, os.O_WRONLY)
        done = raw(lab, box_argv(lab, ["true"], "--receipt", f"fd:{fd}"), pass_fds=[fd])
        os.close(fd)
        assert done.returncode == code, done
    assert_true(path)


def test_fifo_that_the_command_could_open(lab):
    """It has no content to be replaced, but whoever finds it writes to it as well."""
    for folder, link, way in ((lab.ws, None, "fd:{}"), (lab.outside, lab.ws / "same", "fd:{}"),
                              (lab.outside, lab.ws / "same", "path"), (lab.outside, None, "fd:{}")):
        path = folder / "fifo"
        os.mkfifo(path), lab.own(path)
        if link:
            os.link(path, link)
        fd = os.open(path, os.O_RDWR)
        act = ["sh", "-c", f"echo '{FORGED}' >{link or path}"]
        assert lab.plain(act, env={"PATH": PATH}).code == 0 and os.read(fd, 4096).decode() == FORGED + "\n", "control"
        receipt = path if way == "path" else way.format(fd)
        done = raw(lab, box_argv(lab, act, "--receipt", receipt), pass_fds=[fd])
        refused_here = folder == lab.ws or link
        assert (done.returncode == 125) == bool(refused_here), done
        text = "" if done.returncode == 125 else os.read(fd, 1 << 16).decode()
        assert FORGED not in text and (refused_here or receipts.check(text)["outcome"] == "exited"), text
        os.close(fd), path.unlink(), link and link.unlink()


def test_memory_as_descriptor(lab):
    """What has no name anywhere can't be reached by one."""
    fd = os.memfd_create("receipt")
    done = raw(lab, box_argv(lab, ["true"], "--receipt", f"fd:{fd}"), pass_fds=[fd])
    text = os.pread(fd, 1 << 20, 0).decode()
    os.close(fd)
    assert done.returncode == 0 and receipts.check(text)["exit"] == 0, done


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_same_file_as_an_output(lab, stream):
    path = lab.file(lab.outside / "r.json", "")
    fd = os.open(path, os.O_WRONLY)
    done = subprocess.run(box_argv(lab, ["echo", FORGED], "--receipt", path), cwd=lab.ws, env=lab.environment(),
                          stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: fd})
    os.close(fd)
    assert done.returncode == 125 and FORGED not in path.read_text(), done
    assert lab.run(["echo", FORGED], "--receipt", path).code == 0
    assert_true(path)


def test_links_to_descriptors(lab):
    """/dev/stdout and its like are links; fd:N is the way to name a descriptor."""
    fd = os.open(lab.file(lab.outside / "r.json", ""), os.O_WRONLY)
    for path in ("/dev/stdout", "/dev/fd/1", "/dev/stderr", f"/proc/self/fd/{fd}", f"/dev/fd/{fd}", "/proc/self/cwd"):
        done = raw(lab, box_argv(lab, ["echo", FORGED], "--receipt", path), pass_fds=[fd])
        assert done.returncode == 125 and not done.stdout, (path, done)
    assert raw(lab, box_argv(lab, ["true"], "--receipt", f"fd:{fd}"), pass_fds=[fd]).returncode == 0
    os.close(fd)
    assert_true(lab.outside / "r.json")


@contextmanager
def begun(lab, path):
    with started(lab, ["sh", "-c", WAIT], "--receipt", path) as process:
        assert eventually((lab.ws / "up").exists)
        yield process


def test_file_that_is_swapped_for_a_link(lab):
    """By somebody outside, while it runs: what the link names stays as it is, the receipt takes the link's place."""
    path, victim = lab.outside / "r.json", lab.file(lab.home / "victim", "precious\n")
    with begun(lab, path) as process:
        assert eventually(path.exists)
        path.unlink(), path.symlink_to(victim)
        lab.file(lab.ws / "go")
        assert process.wait(20) == 0
    assert victim.read_text() == "precious\n" and not path.is_symlink()
    assert_true(path)


def test_folder_that_is_swapped_for_a_link(lab):
    """The receipt stays in the folder that was named at the start, wherever that has gone."""
    folder = lab.outside / "folder"
    folder.mkdir(), lab.own(folder)
    with begun(lab, folder / "r.json") as process:
        assert eventually((folder / "r.json").exists)
        folder.rename(lab.outside / "moved")
        folder.symlink_to(lab.ws)
        lab.file(lab.ws / "go")
        assert process.wait(20) == 0
    assert_true(lab.outside / "moved" / "r.json")
    assert os.listdir(lab.ws) == ["go"] and os.listdir(lab.outside / "moved") == ["r.json"]


def test_folder_that_is_gone(lab):
    """Then there is no receipt, and the run says so."""
    folder = lab.outside / "folder"
    folder.mkdir(), lab.own(folder)
    with started(lab, ["sh", "-c", WAIT], "--receipt", folder / "r.json", stderr=subprocess.PIPE) as process:
        assert eventually((folder / "r.json").exists)
        (folder / "r.json").unlink(), folder.rmdir()
        lab.file(lab.ws / "go")
        err = process.communicate(timeout=20)[1]
    assert process.returncode == 125 and b"receipt could not be written" in err, err


def test_other_names_that_are_taken(lab):
    """Somebody who knows under which names a receipt is written can't have it written elsewhere."""
    path, victim = lab.outside / "r.json", lab.file(lab.home / "victim", "precious\n")
    names = receipts.other_names(path)
    for name in names[:-1]:
        name.symlink_to(victim)
    assert lab.run(["true"], "--receipt", path).code == 0
    assert_true(path)
    names[-1].symlink_to(lab.home / "nothing")
    result = lab.run(["touch", "ran"], "--receipt", path)
    assert result.code == 125 and not (lab.ws / "ran").exists(), result
    assert victim.read_text() == "precious\n" and all(name.is_symlink() for name in names)
    assert not (lab.home / "nothing").exists()


def test_descriptor_that_is_granted(lab):
    """The same open file, by its number and by another."""
    fd = os.open(lab.file(lab.outside / "r.json", ""), os.O_WRONLY)
    copy, other = os.dup(fd), os.open(lab.file(lab.outside / "other", ""), os.O_WRONLY)
    for granted, code in ((fd, 125), (copy, 125), (other, 0)):
        done = raw(lab, box_argv(lab, ["bash", "-c", f"echo '{FORGED}' >&{granted}"], "--fd", str(granted), "--receipt",
                                 f"fd:{fd}"), pass_fds=[fd, copy, other])
        assert done.returncode == code, done
    for number in (fd, copy, other):
        os.close(number)
    assert_true(lab.outside / "r.json")
    assert FORGED in (lab.outside / "other").read_text(), "control: what is granted can be written"
