"""Descriptors 0 to 2: no more than what each itself gives (entries 29 to 31)."""
import os
import shlex
import socket

import pytest

from places import prepare


def run_redirected(lab, redirection, words, boxed, options=(), without="", fds=()):
    """Run words with a shell's redirection around them, in a box (the redirection is around pinfold) or without."""
    front = []
    if boxed:
        binary = lab.layers_off if without else lab.pinfold
        front = [binary, "run", "--workspace", lab.ws, "--read", lab.attacker.parent, *options, "--"]
    shell = ["/bin/bash", "-c", f'exec "$@" {redirection}', "bash"]
    return lab.plain([*shell, *front, *words], pass_fds=fds, env={"PINFOLD_WITHOUT": without} if without else None)


def redirected(lab, redirection, attack, expect, witness, *, scene, fds=(), without=()):
    """Control and denied legs of an attack on a redirected descriptor. `ok` may be among the expected results: then
    the attack reached a pipe of the box's own, and it is the witness that says that nothing happened outside."""
    words = [lab.attacker, *attack]
    scene()
    before = witness()
    result = run_redirected(lab, redirection, words, False, fds=fds)
    assert result.verdict == "ok", f"control leg: {result}"
    assert witness() != before, "control leg: the witness saw nothing"
    for layer in ("", *without):
        scene()
        before = witness()
        result = run_redirected(lab, redirection, words, True, without=layer, fds=fds)
        assert result.verdict in expect, f"denied leg, without {layer or 'nothing'}: {result}"
        assert witness() == before, f"denied leg, without {layer or 'nothing'}: the witness changed"


@pytest.fixture
def file(lab):
    """A file of the user's outside: (path quoted for the shell, what it holds, a function that sets it back)."""
    prepare(lab)
    path = lab.file(lab.outside / "log", "line one\nline two\n")
    return shlex.quote(os.fspath(path)), path.read_bytes, lambda: path.write_text("line one\nline two\n")


OWN_PIPE = {"EACCES", "ok"}     # ok: a pipe of the box's own was written to; the witness says that the file was not


def test_e030_stdin_is_put_back_no_further_than_it_was(lab):
    """A command that fills its own input can't have the caller, such as a shell, read again what it has read."""
    path = lab.file(lab.outside / "input", "".join(f"line {number}\n" for number in range(20)))
    fill = "read -r line; printf %0100d 0 >/proc/self/fd/0"
    control = lab.plain(["bash", "-c", 'read -r line; "$@"; cat', "bash", "true"], stdin=path.open())
    assert control.out.startswith("line 1\n"), control
    words = [lab.pinfold, "run", "--workspace", lab.ws, "--", "bash", "-c", fill]
    result = lab.plain(["bash", "-c", 'read -r line; "$@"; cat', "bash", *words], stdin=path.open())
    assert result.out.startswith("line 1\n") and result.err == "", result


@pytest.mark.parametrize("how", ["write", "truncate"])
def test_e029_reopen_stdin(lab, file, how):
    """`pinfold run -- CMD < file` gives no way to write to the file or to empty it."""
    path, held, scene = file
    redirected(lab, f"0<{path}", ["fd-reopen", "0", how], OWN_PIPE, held, scene=scene, without=("landlock",))


def test_e029_reopen_stdin_without_relay(lab, file):
    """Where the file itself came into the box, Landlock would not let it be opened again."""
    path, held, scene = file
    redirected(lab, f"0<{path}", ["fd-reopen", "0", "write"], OWN_PIPE, held, scene=scene, without=("relay",))


def test_e029_dev_stdin(lab, file):
    """The same by the names /dev/stdin and /dev/fd/0."""
    path, held, scene = file
    for name in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"):
        redirected(lab, f"0<{path}", ["write-nonblock", name], OWN_PIPE, held, scene=scene)


@pytest.mark.parametrize("attack", ["fd-chmod"])
def test_e029_mode_of_stdin(lab, file, attack):
    """The mode of the file behind stdin can't be changed: fchmod finds a pipe of the box's own."""
    path, _, scene = file
    real = lab.outside / "log"

    def back():
        scene()
        real.chmod(0o644)

    redirected(lab, f"0<{path}", [attack, "0"], {"ok", "EPERM", "EACCES"}, lambda: real.stat().st_mode, scene=back)


@pytest.mark.parametrize("attack", [["fd-reopen", "2", "truncate"], ["open-truncate", "/dev/stderr"]], ids=" ".join)
def test_e031_empty_the_log(lab, file, attack):
    """A log that stderr is appended to can't be emptied."""
    path, held, scene = file
    redirected(lab, f"2>>{path}", attack, OWN_PIPE, held, scene=scene, without=("landlock",))


def test_e031_truncate_the_log(lab, file):
    """ftruncate on stderr finds no file."""
    path, held, scene = file
    redirected(lab, f"2>>{path}", ["fd-truncate", "2"], {"EINVAL"}, held, scene=scene)


@pytest.mark.parametrize("attack", ["fd-overwrite", "fd-pwrite", "fd-allocate"])
def test_e031_overwrite_the_log(lab, file, attack):
    """Nor can what is in it be overwritten, where it was opened without O_APPEND, or be made longer."""
    path, held, scene = file
    redirected(lab, f"2<>{path}", [attack, "2"], {"ESPIPE"}, held, scene=scene)


@pytest.mark.parametrize("redirection", [">>", "<>"])
def test_e031_log_on_stdout(lab, file, redirection):
    """`: > /proc/self/fd/1` leaves what a log holds as it was."""
    path, held, scene = file
    real = lab.outside / "log"
    words = ["/bin/sh", "-c", ": > /proc/self/fd/1"]
    scene()
    run_redirected(lab, f"1{redirection}{path}", words, False)
    assert held() == b"", "control leg: the log was not emptied"
    for without in ("", "landlock"):
        scene()
        run_redirected(lab, f"1{redirection}{path}", words, True, without=without)
        assert held() == b"line one\nline two\n"
    scene()
    result = run_redirected(lab, f"1>>{path}", ["/bin/echo", "line three"], True)
    assert result.code == 0 and real.read_text() == "line one\nline two\nline three\n", "the log still gets its lines"


def test_e030_steal_from_pipe(lab):
    """A pipe that stderr writes to can't be read from in the box: what others wrote to it stays there."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    if os.geteuid() == 0:
        os.fchown(writing, lab.user.uid, lab.user.uid)

    def waiting():
        try:
            data = os.read(reading, 100)
        except BlockingIOError:
            return b""
        os.write(writing, data)
        return data

    def scene():
        waiting() or os.write(writing, b"host")

    redirected(lab, f"2>&{writing}", ["fd-reopen", "2", "read"], {"EAGAIN", "EACCES"}, waiting, scene=scene,
               fds=(writing,))
    os.close(reading)
    os.close(writing)


def test_e030_write_to_stdin_pipe(lab):
    """A pipe that stdin reads from can't be written to in the box."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    if os.geteuid() == 0:
        os.fchown(reading, lab.user.uid, lab.user.uid)

    def waiting():
        try:
            return os.read(reading, 100)
        except BlockingIOError:
            return b""

    redirected(lab, f"0<&{reading}", ["fd-reopen", "0", "write"], OWN_PIPE, waiting, scene=waiting, fds=(reading,))
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("how", ["write", "truncate"])
def test_e030_reopen_memfd(lab, how):
    """A memfd on stdin, opened to be read, can't be opened again to be written."""
    held = os.memfd_create("pinfold-test")
    if os.geteuid() == 0:
        os.fchown(held, lab.user.uid, lab.user.uid)
        os.fchmod(held, 0o600)
    reading = os.open(f"/proc/self/fd/{held}", os.O_RDONLY)

    def scene():
        os.ftruncate(held, 0)
        os.pwrite(held, b"host", 0)

    redirected(lab, f"0<&{reading}", ["fd-reopen", "0", how], OWN_PIPE, lambda: os.pread(held, 100, 0), scene=scene,
               fds=(reading,))
    os.close(reading)
    os.close(held)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_e030_socket(lab, number):
    """A socket on 0 to 2 (Node gives them) works and is not the socket itself: no descriptors through it."""
    ours, theirs = socket.socketpair()
    ours.settimeout(10)
    words = [lab.attacker, "fd-socket", str(number)]
    redirection = f"{number}{'<' if number == 0 else '>'}&{theirs.fileno()}"
    control = run_redirected(lab, redirection, words, False, fds=(theirs.fileno(),))
    seen = control.out or ours.recv(100).decode()
    assert seen.split()[0] == "ok", control
    result = run_redirected(lab, redirection, words, True, fds=(theirs.fileno(),))
    theirs.close()
    seen = result.out or ours.recv(100).decode()
    assert seen.strip() == "ENOTSOCK", result
    ours.close()


def open_block_device():
    """A descriptor of any block device that can be opened, which only root can."""
    for name in ("loop0", "zram0", "vda", "sda", "nvme0n1"):
        try:
            return os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            continue
    pytest.skip("no block device can be opened")


REFUSED = ["folder", "zero", "full", "random", "urandom", "block", "path"]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("kind", REFUSED)
def test_e030_refused(lab, kind, number):
    """Folders, block devices, devices besides /dev/null and O_PATH descriptors on 0 to 2 are refused: 125, and
    nothing is started. The control shows that without a box they are handed on."""
    if kind == "block":
        fd = open_block_device()
    else:
        path = lab.outside if kind in ("folder", "path") else f"/dev/{kind}"
        fd = os.open(path, os.O_PATH if kind == "path" else os.O_RDONLY)
    redirection = f"{number}<&{fd}"
    marker = lab.ws / "marker"
    words = ["/usr/bin/touch", marker]
    assert run_redirected(lab, redirection, words, False, fds=(fd,)).code == 0 and marker.exists()
    marker.unlink()
    result = run_redirected(lab, redirection, words, True, fds=(fd,))
    os.close(fd)
    assert result.code == 125 and not marker.exists(), result
    assert number == 2 or result.err.startswith("pinfold: "), result


def test_e030_null_is_the_boxs_own(lab):
    """/dev/null on 0 to 2 stays a device with that behaviour, and it is the one of the box."""
    words = ["/usr/bin/stat", "-Lc", "%t:%T %d", "/proc/self/fd/0", "/dev/null"]
    host = run_redirected(lab, "0</dev/null", words, False).out.split("\n")
    inside = run_redirected(lab, "0</dev/null", words, True).out.split("\n")
    assert inside[0] == inside[1] and inside[0].startswith("1:3 "), inside
    assert host[0] == host[1]


@pytest.mark.parametrize("number, how", [(0, "<"), (2, ">>"), (2, ">"), (2, "<>")])
def test_e030_files_become_pipes(lab, number, how):
    """A file on 0 or 2 is a pipe in the box (for 1 see the log on stdout above)."""
    path = lab.file(lab.outside / "log")
    redirection, words = f"{number}{how}{shlex.quote(os.fspath(path))}", [lab.attacker, "fd-type", str(number)]
    assert run_redirected(lab, redirection, words, False).out.split() == ["ok", "file"]
    assert run_redirected(lab, redirection, words, True).out.split() == ["ok", "pipe"]


@pytest.mark.parametrize("number, how", [(0, ">>"), (1, "<"), (2, "<")])
def test_e030_wrong_way(lab, number, how):
    """A file that is open the wrong way for its number is refused: 125."""
    path = lab.file(lab.outside / "log")
    result = run_redirected(lab, f"{number}{how}{shlex.quote(os.fspath(path))}", ["/bin/true"], True)
    assert result.code == 125, result
