"""FIFOs of the host (entries 44 and 156): a read-only mount does not keep anybody from writing to one."""
import contextlib
import os

import pytest

from places import far_place


@pytest.fixture(params=["near", "far"])
def fifo(lab, request):
    """A FIFO outside that a host process reads: (its folder, its path, a function that gives what has arrived).

    near: below /var/tmp, which in the box is a writable place; far: with nothing writable above it.
    """
    with contextlib.ExitStack() as stack:
        folder = lab.outside if request.param == "near" else stack.enter_context(far_place(lab))
        path = folder / "fifo"
        os.mkfifo(path)
        lab.own(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        stack.callback(os.close, reader)

        def arrived():
            try:
                return os.read(reader, 100)
            except BlockingIOError:
                return b""

        yield folder, path, arrived


@pytest.mark.parametrize("attack", ["write-nonblock", "readwrite", "append"])
def test_e044_hidden_fifo(lab, fifo, attack):
    """A host FIFO is not there without a grant; --write of its folder gives it."""
    folder, path, arrived = fifo
    lab.legs([attack, path], {"ENOENT"}, prepare=arrived, witness=arrived, grant=["--write", folder])


@pytest.mark.parametrize("attack", ["write-nonblock", "readwrite", "append"])
def test_e044_readable_fifo(lab, fifo, attack):
    """Where the grant is to read, a FIFO can't be written: Landlock holds it, the mounts don't, so the layer that may
    be missing is theirs."""
    folder, path, arrived = fifo
    lab.legs([attack, path], {"EACCES"}, options=["--read", folder], prepare=arrived, witness=arrived,
             without=("mounts-readonly",))


def test_e044_fifo_through_symlink(lab, fifo):
    """A link in the workspace to the FIFO gives no way."""
    folder, path, arrived = fifo
    (lab.ws / "l").symlink_to(path)
    lab.legs(["write-nonblock", lab.ws / "l"], {"ENOENT"}, prepare=arrived, witness=arrived)
    lab.legs(["write-nonblock", lab.ws / "l"], {"EACCES"}, options=["--read", folder], prepare=arrived, witness=arrived)


def test_e044_link_fifo_into_workspace(lab, fifo):
    """The FIFO can't get a second name in the workspace."""
    folder, path, arrived = fifo

    def scene():
        (lab.ws / "h").unlink(missing_ok=True)

    same_disk = os.stat(folder).st_dev == os.stat(lab.ws).st_dev
    lab.legs(["link", path, lab.ws / "h"], {"EXDEV"}, options=["--read", folder], prepare=scene, witness=arrived,
             control=same_disk)


def test_e044_fifo_granted_by_itself(lab, fifo):
    """A grant that names the FIFO itself is refused."""
    _, path, _ = fifo
    for option in ("--read", "--write"):
        result = lab.run([lab.attacker, "write-nonblock", path], option, path)
        assert result.code == 125 and not result.out and result.err.startswith("pinfold: "), result
