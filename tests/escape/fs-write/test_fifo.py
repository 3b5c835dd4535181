"""FIFOs of the host (entries 44 and 156): a read-only mount does not keep anybody from writing to one."""
import contextlib
import os

import pytest

from places import far_place


@contextlib.contextmanager
def watched_fifo(lab, where):
    """A FIFO outside that a host process reads: (its folder, its path, a function that gives what has arrived).

    near: below /var/tmp, which in the box is a writable place; far: with nothing writable above it.
    """
    with contextlib.ExitStack() as stack:
        folder = lab.outside if where == "near" else stack.enter_context(far_place(lab))
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


@pytest.fixture(params=["near", "far"])
def fifo(lab, request):
    with watched_fifo(lab, request.param) as one:
        yield one


@pytest.fixture
def near_fifo(lab):
    with watched_fifo(lab, "near") as one:
        yield one


@pytest.fixture
def far_fifo(lab):
    with watched_fifo(lab, "far") as one:
        yield one


WAYS = ["write-nonblock", "readwrite", "append"]


def leads_nowhere(lab, attack, fifo, options, *, workspace=None):
    """The control's byte arrives; in the box the FIFO is one of the view's own: no byte arrives, whatever the open says
    (without a reader it may wait for one, hence the bound)."""
    _, path, arrived = fifo
    assert lab.plain([lab.attacker, attack, path]).verdict == "ok" and arrived() == b"x", "control leg"
    for layer in None, "landlock", "mounts-readonly":
        how = {"binary": lab.layers_off, "env": {"PINFOLD_WITHOUT": layer}} if layer else {}
        result = lab.run(["/usr/bin/timeout", "1", lab.attacker, attack, path], *options, **how)
        assert arrived() == b"", f"without {layer}: the host's reader got something: {result}"
        assert result.code == 124 or result.verdict in {"ok", "ENXIO", "EROFS", "EACCES"}, (layer, result)


@pytest.mark.parametrize("attack", WAYS)
def test_e044_hidden_fifo(lab, fifo, attack):
    """A host FIFO is not there without a grant; --write of its folder gives it."""
    folder, path, arrived = fifo
    lab.legs([attack, path], {"ENOENT"}, prepare=arrived, witness=arrived, grant=["--write", folder])


@pytest.mark.parametrize("attack", WAYS)
def test_e044_readable_fifo(lab, far_fifo, attack):
    """Where the grant is to read, a FIFO can't be written: Landlock holds it, the mounts don't, so the layer that may
    be missing is theirs."""
    folder, path, arrived = far_fifo
    lab.legs([attack, path], {"EACCES"}, options=["--read", folder], prepare=arrived, witness=arrived,
             without=("mounts-readonly",))


@pytest.mark.parametrize("attack", WAYS)
def test_e044_readable_fifo_below_a_writable_folder(lab, near_fifo, attack):
    """Below a writable folder, where Landlock can't hold it, a readable root is a view, whose FIFOs lead nowhere."""
    leads_nowhere(lab, attack, near_fifo, ["--read", near_fifo[0]])


def test_e044_what_a_readable_fifo_says(lab, near_fifo):
    """Nor does anything come in by such a FIFO: what the host writes stays for the host's reader."""
    folder, path, arrived = near_fifo
    script = (f"import os; r = os.open({str(path)!r}, os.O_RDONLY | os.O_NONBLOCK); print('read', os.read(r, 9))")
    writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    try:
        for run, options, expect in (lab.plain, [], "read b'mine'\n"), (lab.run, ["--read", folder], "read b''\n"):
            os.write(writer, b"mine")
            result = run(["/usr/bin/python3", "-c", script], *options)
            assert result.out == expect, result
    finally:
        os.close(writer)
    assert arrived() == b"mine"


@pytest.mark.parametrize("attack", WAYS)
@pytest.mark.parametrize("where", ["near", "far"])
def test_e044_fifo_in_the_work_tree(lab, where, attack):
    """A FIFO in the git work tree around the workspace, which is readable without a grant."""
    with watched_fifo(lab, where) as fifo:
        folder, path, arrived = fifo
        lab.file(folder / ".git" / "HEAD", "ref: refs/heads/main\n")
        lab.ws = lab.file(folder / "sub" / "f").parent
        assert lab.run(["/bin/cat", folder / ".git" / "HEAD"]).out.startswith("ref"), "the work tree is not seen"
        if where == "near":
            leads_nowhere(lab, attack, fifo, [])
        else:
            lab.legs([attack, path], {"EACCES"}, prepare=arrived, witness=arrived, without=("mounts-readonly",))


def test_e044_fifo_through_symlink(lab, fifo):
    """A link in the workspace to the FIFO gives no way."""
    folder, path, arrived = fifo
    (lab.ws / "l").symlink_to(path)
    lab.legs(["write-nonblock", lab.ws / "l"], {"ENOENT"}, prepare=arrived, witness=arrived)
    expect = {"ENXIO"} if folder == lab.outside else {"EACCES"}
    lab.legs(["write-nonblock", lab.ws / "l"], expect, options=["--read", folder], prepare=arrived, witness=arrived)


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
