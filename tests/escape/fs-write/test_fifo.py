"""FIFOs of the host (entries 44 and 156): a read-only mount does not keep anybody from writing to one."""
import os

import pytest


@pytest.fixture
def fifo(lab):
    """A FIFO outside that a host process reads; gives what has arrived there."""
    path = lab.outside / "fifo"
    os.mkfifo(path)
    lab.own(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def arrived():
        try:
            return os.read(reader, 100)
        except BlockingIOError:
            return b""

    yield path, arrived
    os.close(reader)


def test_e044_write_fifo(lab, fifo):
    """A host FIFO is not there without a grant, and can't be written where the grant is to read (Landlock holds it,
    the mounts don't, so the only layer that may be missing is theirs)."""
    path, arrived = fifo
    lab.legs(["write-nonblock", path], {"ENOENT"}, prepare=arrived, witness=arrived, grant=["--write", lab.outside])
    lab.legs(["write-nonblock", path], {"EACCES"}, options=["--read", lab.outside], prepare=arrived, witness=arrived,
             without=("mounts-readonly",))


def test_e044_fifo_granted_by_itself(lab, fifo):
    """The same where the grant names the FIFO itself."""
    path, arrived = fifo
    lab.legs(["write-nonblock", path], {"EACCES"}, options=["--read", path], prepare=arrived, witness=arrived,
             without=("mounts-readonly",))


def test_e044_open_for_both(lab, fifo):
    """Opening a FIFO for reading and writing, which never blocks, is denied too."""
    path, arrived = fifo
    lab.legs(["readwrite", path], {"ENOENT"}, prepare=arrived, witness=arrived, grant=["--write", lab.outside])
    lab.legs(["readwrite", path], {"EACCES"}, options=["--read", lab.outside], prepare=arrived, witness=arrived)


def test_e044_fifo_through_symlink(lab, fifo):
    """A link in the workspace to the FIFO gives no way."""
    path, arrived = fifo
    (lab.ws / "l").symlink_to(path)
    lab.legs(["write-nonblock", lab.ws / "l"], {"ENOENT"}, prepare=arrived, witness=arrived)
    lab.legs(["write-nonblock", lab.ws / "l"], {"EACCES"}, options=["--read", lab.outside], prepare=arrived,
             witness=arrived)


def test_e044_link_fifo_into_workspace(lab, fifo):
    """The FIFO can't get a second name in the workspace."""
    path, arrived = fifo

    def scene():
        (lab.ws / "h").unlink(missing_ok=True)

    lab.legs(["link", path, lab.ws / "h"], {"EXDEV"}, options=["--read", lab.outside], prepare=scene, witness=arrived)
