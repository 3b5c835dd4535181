"""Descriptors besides 0 to 2 that pinfold was started with (entries 12 and 32 to 35)."""
import ctypes
import os
import select
import socket
import threading

import pytest

from places import prepare


def closed(lab, attack, fd, *, witness=None, grant=None, **more):
    """EBADF in the box, since the descriptor isn't there; --fd none closes it as well."""
    for options in ((), ("--fd", "none")):
        lab.legs(attack, {"EBADF"}, options=options, witness=witness, grant=grant, pass_fds=(fd,), **more)


@pytest.fixture
def log(lab):
    """A file outside, opened for writing and inherited: gives (descriptor, path)."""
    prepare(lab)
    path = lab.file(lab.outside / "log", "line one\nline two\n")
    fd = os.open(path, os.O_RDWR)
    yield fd, path
    os.close(fd)


@pytest.mark.parametrize("attack", ["fd-truncate", "fd-allocate", "fd-copy-range", "fd-splice", "fd-sendfile"])
def test_e012_change_through_descriptor(lab, log, attack):
    """No call that changes a file by its descriptor finds one that was inherited."""
    fd, path = log
    source = ["/etc/passwd"] if attack in ("fd-copy-range", "fd-sendfile") else []
    closed(lab, [attack, *source, str(fd)], fd, witness=path.read_bytes)


@pytest.mark.parametrize("attack", ["fd-write", "fd-pwrite", "fd-overwrite", "fd-read", "fd-chmod", "fd-stat"])
def test_e032_inherited_file(lab, log, attack):
    """A file that was open for writing when pinfold started is not open in the box."""
    fd, path = log
    closed(lab, [attack, str(fd)], fd, witness=lambda: (path.read_bytes(), path.stat().st_mode))


@pytest.mark.parametrize("how", ["read", "write", "truncate"])
def test_e032_reopen_inherited_file(lab, log, how):
    """Nor has it a name in /proc."""
    fd, path = log
    lab.legs(["fd-reopen", str(fd), how], {"ENOENT"}, witness=path.read_bytes, pass_fds=(fd,),
             prepare=lambda: path.write_text("line one\n"))


def test_e032_high_number(lab, log):
    """Descriptors with high numbers are closed like others."""
    fd, path = log
    high = 900
    os.dup2(fd, high, inheritable=True)
    try:
        closed(lab, ["fd-write", str(high)], high, witness=path.read_bytes)
    finally:
        os.close(high)


def test_e032_granted_file(lab, log):
    """--fd gives what the descriptor gives, one way and appended, and nothing more: no truncating, no re-opening."""
    _, path = log
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    number = str(fd)
    lab.legs(["fd-write", number], {"EBADF"}, grant=["--fd", number], pass_fds=(fd,), witness=path.read_bytes)
    start = path.read_bytes()
    for attack, expect in ((["fd-truncate", number], {"EINVAL", "EBADF"}), (["fd-overwrite", number], {"ESPIPE"}),
                           (["fd-pwrite", number], {"ESPIPE"})):
        lab.legs(attack, expect, options=["--fd", number], pass_fds=(fd,), prepare=lambda: path.write_bytes(start),
                 witness=path.read_bytes)
    lab.run([lab.attacker, "fd-reopen", number, "truncate"], "--fd", number, pass_fds=(fd,))
    assert path.read_bytes().startswith(start)
    os.close(fd)


@pytest.fixture
def folder(lab):
    """A folder outside, opened and inherited."""
    prepare(lab)
    fd = os.open(lab.outside, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


def test_e033_create_beneath_inherited_folder(lab, folder):
    """An inherited folder is no way to make a file in it; with the descriptor left open, Landlock holds."""
    attack = ["fd-create", str(folder), "new"]

    def scene():
        (lab.outside / "new").unlink(missing_ok=True)

    closed(lab, attack, folder, prepare=scene, witness=(lab.outside / "new").exists)
    result = lab.run([lab.attacker, *attack], binary=lab.layers_off, env={"PINFOLD_WITHOUT": "descriptors"},
                     pass_fds=(folder,))
    assert result.verdict == "EBADF" or result.verdict == "EACCES", result
    assert not (lab.outside / "new").exists()


@pytest.mark.parametrize("name", ["f", "../home/.ssh/id"])
def test_e034_read_beneath_inherited_folder(lab, folder, name):
    """Nor to read a file in it or above it; with the descriptor left open, Landlock holds."""
    lab.file(lab.home / ".ssh" / "id", "secret\n")
    attack = ["fd-open", str(folder), name]
    closed(lab, attack, folder)
    result = lab.run([lab.attacker, *attack], binary=lab.layers_off, env={"PINFOLD_WITHOUT": "descriptors"},
                     pass_fds=(folder,))
    assert result.verdict in ("EBADF", "EACCES"), result


def test_e034_change_to_inherited_folder(lab, folder):
    """Nor to make it the working directory."""
    closed(lab, ["fd-chdir", str(folder)], folder)


def test_e033_granted_folder_is_refused(lab, folder):
    """--fd does not give a folder: that is what --read and --write are for. pinfold says so and starts nothing."""
    result = lab.run([lab.attacker, "fd-stat", str(folder)], "--fd", str(folder), pass_fds=(folder,))
    assert result.code == 125 and not result.out and result.err.startswith("pinfold: "), result


def make_tree(lab):
    """A detached copy of a mount, which only root can make."""
    fd = ctypes.CDLL(None, use_errno=True).syscall(428, -100, os.fsencode(lab.outside), 1)
    assert fd >= 0, os.strerror(ctypes.get_errno())
    return fd


def make_listener(_):
    """A seccomp listener: of a thread that allows everything and ends."""
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    allow = ctypes.create_string_buffer((0x06).to_bytes(2, "little") + bytes(2) + (0x7fff0000).to_bytes(4, "little"))
    program = Program(1, ctypes.addressof(allow))
    found = []

    def install():
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(38, 1, 0, 0, 0)
        found.append(libc.syscall(317, 1, 8, ctypes.byref(program)))

    thread = threading.Thread(target=install)
    thread.start()
    thread.join()
    assert found[0] >= 0
    return found[0]


def make_epoll(_):
    """An epoll descriptor of its own: the object that made it closes its own when it goes."""
    with select.epoll() as made:
        return os.dup(made.fileno())


def make_pipe(_):
    """The write end of a pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def make_terminal(_):
    """The controlling side of a terminal."""
    master, slave = os.openpty()
    os.close(slave)
    return master


KINDS = {
    "path": lambda lab: os.open(lab.outside, os.O_PATH),
    "tree": make_tree,
    "mount-namespace": lambda lab: os.open("/proc/self/ns/mnt", os.O_RDONLY),
    "user-namespace": lambda lab: os.open("/proc/self/ns/user", os.O_RDONLY),
    "process": lambda lab: os.pidfd_open(os.getpid()),
    "memory": lambda lab: os.memfd_create("pinfold-test"),
    "listener": make_listener,
    "epoll": make_epoll,
    "event": lambda lab: os.eventfd(0),
    "socket": lambda lab: socket.socket(socket.AF_UNIX).detach(),
    "pipe": make_pipe,
    "proc": lambda lab: os.open("/proc", os.O_RDONLY),
    "device": lambda lab: os.open("/dev/zero", os.O_RDWR),
    "terminal": make_terminal,
}


@pytest.fixture(params=list(KINDS))
def other(lab, request):
    """A descriptor of each kind that programs leave open."""
    if request.param == "tree" and os.geteuid() != 0:
        pytest.skip("a detached mount can be made by root only")
    fd = KINDS[request.param](lab)
    yield request.param, fd
    os.close(fd)


def test_e035_other_kinds(lab, other):
    """No descriptor of any kind is inherited."""
    _, fd = other
    closed(lab, ["fd-stat", str(fd)], fd)
    closed(lab, ["fd-list"], fd)


def test_e035_other_kinds_refused(lab, other):
    """--fd gives pipes, sockets and one-way files; every other kind is refused before anything starts."""
    kind, fd = other
    if kind in ("socket", "pipe"):
        lab.legs(["fd-stat", str(fd)], {"EBADF"}, grant=["--fd", str(fd)], pass_fds=(fd,))
        return
    result = lab.run([lab.attacker, "fd-stat", str(fd)], "--fd", str(fd), pass_fds=(fd,))
    assert result.code == 125 and not result.out and result.err.startswith("pinfold: "), result


def test_e035_nothing_of_pinfold_itself(lab):
    """pinfold leaves none of its own descriptors open in the box."""
    result = lab.run([lab.attacker, "fd-list"])
    assert result.verdict == "EBADF", result
