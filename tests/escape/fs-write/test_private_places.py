"""/tmp, /var/tmp, /run and /dev/shm are the box's own (entries 47 and 49), and so is what lies beside the workspace."""
import os
import secrets
from pathlib import Path

import pytest

PLACES = ["/tmp", "/var/tmp", "/dev/shm"]


@pytest.fixture
def name():
    """A name in the shared places that no other test uses; removed from all of them afterwards."""
    word = f"pinfold-test-{secrets.token_hex(6)}"
    yield word
    for place in [*PLACES, "/run"]:
        Path(place, word).unlink(missing_ok=True)


@pytest.mark.parametrize("place", PLACES)
def test_e049_create_in_shared_place(lab, name, place):
    """What is made there in the box is never seen on the host; the control shows that without a box it is."""
    path = Path(place, name)
    assert lab.plain([lab.attacker, "create", path]).verdict == "ok" and path.exists()
    path.unlink()
    result = lab.run([lab.attacker, "create", path])
    assert result.verdict == "ok", result
    assert not path.exists()


@pytest.mark.parametrize("place", PLACES)
def test_e049_see_host_file_in_shared_place(lab, name, place):
    """What the host has there is not seen in the box, and can't be written."""
    path = lab.file(Path(place, name), mode=0o666)
    for attack in (["read", path], ["list-name", place, name], ["write", path], ["stat", path], ["unlink", path]):
        lab.legs(attack, {"ENOENT"}, prepare=lambda: lab.file(path, mode=0o666),
                 witness=lambda: (path.read_text(), path.stat().st_mtime_ns))


def test_e049_run(lab, name):
    """/run is the box's own: what the host has there is not seen; the control for making one is root's."""
    path = Path("/run", name)
    if os.geteuid() == 0:
        lab.file(path)
        lab.legs(["read", path], {"ENOENT"}, witness=path.read_text)
        lab.legs(["list-name", "/run", name], {"ENOENT"}, witness=path.read_text)
        path.unlink()
    result = lab.run([lab.attacker, "create", path])
    assert result.verdict in ("ok", "EROFS", "EACCES"), result
    assert not path.exists()
    assert lab.user.uid != 0 or lab.plain([lab.attacker, "create", path]).verdict == "ok"


@pytest.mark.parametrize("place", PLACES)
def test_e047_two_boxes_share_nothing(lab, name, place):
    """What one box leaves in its own place is gone for the next."""
    path = Path(place, name)
    assert lab.run([lab.attacker, "create", path]).verdict == "ok"
    lab.legs(["read", path], {"ENOENT"}, prepare=lambda: lab.file(path), witness=path.exists)


def test_e047_shared_memory_object(lab, name):
    """shm_open in the box and on the host are two namespaces: also where the host's object is open to everybody."""
    path = lab.file(Path("/dev/shm", name), mode=0o666)
    lab.legs(["mmap-write", path], {"ENOENT"}, prepare=lambda: lab.file(path, mode=0o666), witness=path.read_text)


def test_e049_beside_the_workspace(lab):
    """The folders above the workspace hold nothing but the way to it, and what is made there stays in the box."""
    for attack in (["create", lab.scratch.path / "new"], ["mkdir", lab.scratch.path / "new"]):
        result = lab.run([lab.attacker, *attack])
        assert result.verdict in ("ok", "EROFS", "EACCES"), result
        assert not (lab.scratch.path / "new").exists()
    lab.legs(["list-name", lab.scratch.path, "outside"], {"ENOENT"}, grant=["--read", lab.outside])


def test_e049_home_is_scratch(lab):
    """$HOME is an empty folder of the box's own: nothing of the real one is there, and nothing written stays."""
    secret = lab.file(lab.home / ".ssh" / "id")
    lab.legs(["read", secret], {"ENOENT"}, grant=["--waive", "fs-secret", "--read", secret])
    lab.legs(["list-any", lab.home], {"ENODATA"})
    result = lab.run([lab.attacker, "create", lab.home / ".bashrc"])
    assert result.verdict == "ok", result
    assert not (lab.home / ".bashrc").exists()
