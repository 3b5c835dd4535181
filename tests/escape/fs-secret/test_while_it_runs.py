"""What the host does with a denied name while the command runs (entries 53, 241): it stays absent."""
import contextlib
import os
import subprocess
import time

import pytest

from workbench import PATH

SECRET = "secret-" + "y" * 8
MAKES = {"write": lambda path: path.write_text(SECRET),
         "rename": lambda path: (path.with_name("temporary").write_text(SECRET), path.with_name("temporary").rename(path)),
         "link": lambda path: (path.with_name("other").write_text(SECRET), os.link(path.with_name("other"), path),
                               path.with_name("other").unlink()),
         "folder": lambda path: (path.mkdir(), (path / "in").write_text(SECRET))}


@contextlib.contextmanager
def waiting(lab, script, *options, first="true"):
    """A box in which `script` runs once the block has ended: yields when it waits, after `first`; then its output is in
    the list."""
    signals = lab.scratch.path / "signals"
    signals.mkdir()
    lab.own(signals)
    whole = f"{first}; touch {signals}/ready; until [ -e {signals}/go ]; do sleep 0.05; done; {script}"
    front = [lab.pinfold, "run", "--workspace", lab.ws, "--write", signals, *options, "--", "/bin/sh", "-c", whole]
    process = subprocess.Popen(lab.user.argv(front), cwd=lab.ws, env=lab.environment({"PATH": PATH}), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told = []
    try:
        while not (signals / "ready").exists() and process.poll() is None:
            time.sleep(0.02)
        yield told
        (signals / "go").touch()
        told += process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()


def read_all(folder):
    return f"cat {folder}/token {folder}/token/in; ls -A {folder}; grep -r {SECRET} {folder}; true"


@pytest.mark.parametrize("touched", [False, True], ids=["", "looked-at"])
@pytest.mark.parametrize("how", MAKES)
@pytest.mark.parametrize("mode", ["read", "readonly", "discard"])
def test_e053_host_creates_a_denied_name(lab, mode, how, touched):
    """A name that wasn't there at the start is made by the host: the box doesn't see it, its neighbours it does."""
    folder = lab.outside if mode == "read" else lab.ws
    options = ["--read", folder] if mode == "read" else ["--mode", mode]
    lab.file(folder / "beside")
    first = f"cat {folder}/token; ls -l {folder}" if touched else "true"
    with waiting(lab, f"echo then; {read_all(folder)}", *options, "--deny", folder / "token", first=first) as told:
        MAKES[how](folder / "token")
        (folder / "new").write_text("new")
    then = told[0].partition("then")[2]
    assert "beside" in then and "new" in then and SECRET not in told[0] and "token" not in told[0], told


@pytest.mark.parametrize("mode", ["read", "readonly", "discard"])
def test_e053_host_creates_the_folder_of_a_denied_name(lab, mode):
    """Also where the folder of the name wasn't there."""
    folder = lab.outside if mode == "read" else lab.ws
    options = ["--read", folder] if mode == "read" else ["--mode", mode]
    lab.file(folder / "beside")
    with waiting(lab, f"cat {folder}/sub/deep/token; grep -r {SECRET} {folder}; ls {folder}", *options,
                 "--deny", folder / "sub" / "deep" / "token") as told:
        lab.file(folder / "sub" / "deep" / "token", SECRET)
    assert told[0].split() == ["beside"], told


def test_e053_discarded_name_that_the_command_made_and_removed(lab):
    """Mode discard: a file of the command's own at the name, removed again, opens nothing to the host's later one."""
    name = lab.ws / "token"
    first = f"echo mine > {name}; rm {name}; mkdir {lab.ws}/d; mv {lab.ws}/d {name}; rmdir {name}"
    with waiting(lab, read_all(lab.ws), "--mode", "discard", "--deny", name, first=first) as told:
        name.write_text(SECRET)
    assert SECRET not in told[0], told


@pytest.mark.parametrize("mode", ["read", "readonly", "discard"])
def test_e241_host_saves_a_denied_file(lab, mode):
    """An editor's save puts another file in place of a denied one: it stays absent."""
    folder = lab.outside if mode == "read" else lab.ws
    options = ["--read", folder] if mode == "read" else ["--mode", mode]
    path = lab.file(folder / "token", SECRET)
    with waiting(lab, read_all(folder), *options, "--deny", path) as told:
        for _ in range(3):
            MAKES["rename"](path)
    assert SECRET not in told[0], told


def test_e241_host_saves_in_a_covered_folder(lab):
    """Below a writable root a folder is covered: what is saved in it isn't seen."""
    path = lab.file(lab.ws / "keys" / "token", SECRET)
    with waiting(lab, read_all(lab.ws / "keys"), "--deny", lab.ws / "keys") as told:
        MAKES["rename"](path)
        lab.file(lab.ws / "keys" / "later", SECRET)
    assert told[0] == "", told


def test_e241_a_covered_file_would_be_uncovered(lab):
    """Why a file below a writable root is refused: with fs-secret waived it is covered until the host saves it."""
    path = lab.file(lab.ws / "token", SECRET)
    refused = lab.run(["/bin/true"], "--deny", path)
    assert refused.code == 125 and "--waive fs-secret" in refused.err, refused
    assert lab.run(["/bin/cat", path], "--deny", path, "--waive", "fs-secret").out == ""
    with waiting(lab, f"cat {path}", "--deny", path, "--waive", "fs-secret") as told:
        MAKES["rename"](path)
    assert told[0] == SECRET, told
