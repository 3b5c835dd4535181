"""Making a set-user-ID program in the workspace (entry 21): it would be a trap for whoever else runs it on the host.

The set-user-ID bit is refused by seccomp in every box. The set-group-ID bit is refused only where the caller is root,
since a user's file has one of that user's own groups, and folders of a team carry the bit.
"""
import os
import stat

import pytest

SET_BITS = stat.S_ISUID | stat.S_ISGID
FCHMODAT, WORKING_FOLDER = "268", "-100"


def spellings(path, mode):
    """Every call that sets the mode of a file that is there."""
    number = str(int(mode, 8))
    yield from ([name, path, mode] for name in ("chmod", "fchmod", "fchmodat2", "chmod-opath", "chmod-opath-empty"))
    yield ["call", "90", f"={path}", number]
    yield ["call", FCHMODAT, WORKING_FOLDER, f"={path}", number]
    yield ["fchmodat2", path, mode, "nofollow"]
    yield ["make-setuid", path, mode]


def bits(path):
    return path.stat().st_mode & SET_BITS


@pytest.mark.parametrize("mode", ["04755", "02755", "06755", "04111", "04000", "07777"])
def test_e021_make_set_user_id(lab, mode):
    """No spelling of chmod sets the bit."""
    program = lab.ws / "program"
    for words in spellings(program, mode):
        def scene():
            program.unlink(missing_ok=True)
            lab.file(program, "#!/bin/sh\n", 0o755)

        scene()
        control = lab.plain([lab.attacker, *words])
        assert control.verdict == "ok" and bits(program) == int(mode, 8) & SET_BITS, (words, control)
        if mode != "02755" or lab.user.uid == 0:
            lab.legs(words, {"EPERM"}, control=False, prepare=scene, witness=lambda: bits(program),
                     without=("landlock",))
        else:
            lab.legs(words, {"ok"}, control=False, prepare=scene)
            assert bits(program) == stat.S_ISGID


def test_e021_set_bits_of_a_folder(lab):
    """A folder's set-user-ID bit means nothing to Linux, and is refused like a file's."""
    lab.file(lab.ws / "dir" / "f")
    lab.legs(["chmod", lab.ws / "dir", "04755"], {"EPERM"}, without=("landlock",),
             prepare=lambda: (lab.ws / "dir").chmod(0o755), witness=lambda: bits(lab.ws / "dir"))


CREATE = """
import ctypes, os, stat, sys
libc, mode, name = ctypes.CDLL(None, use_errno=True), int(sys.argv[1], 8), sys.argv[2]
os.umask(0)
def open_new(flags=os.O_CREAT | os.O_EXCL):
    return os.open(name, flags | os.O_RDWR, mode)
def nameless():
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, mode)
    libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, name.encode(), 0x400)
    return fd
def node():
    os.mknod(name, stat.S_IFREG | mode)
    return os.open(name, os.O_RDWR)
def old_creat():
    fd = libc.creat(name.encode(), mode)
    return fd if fd >= 0 else os.open(name, os.O_RDWR)
def openat2():
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_RDWR, mode, 0)
    return libc.syscall(437, -100, name.encode(), how, 24)
fd = {"open": open_new, "nameless": nameless, "mknod": node, "creat": old_creat, "openat2": openat2}[sys.argv[3]]()
fill = sys.argv[4]
text = b"#!/bin/sh\\nid\\n"
if fill == "write": os.write(fd, text)
if fill == "pwritev": os.pwritev(fd, [text], 0)
if fill == "truncate": os.ftruncate(fd, 4096)
if fill == "fallocate": os.posix_fallocate(fd, 0, 4096)
if fill in ("copy", "sendfile", "splice"):
    source = os.open("source", os.O_RDONLY)
    if fill == "copy": os.copy_file_range(source, fd, 100)
    if fill == "sendfile": os.sendfile(fd, source, 0, 100)
    if fill == "splice":
        r, w = os.pipe()
        os.write(w, text)
        os.splice(r, fd, 100)
if fill == "mapping":
    import mmap
    os.ftruncate(fd, 4096)
    mmap.mmap(os.open(name, os.O_RDWR), 4096)[:len(text)] = text
if fill == "reflink":
    import fcntl
    try: fcntl.ioctl(fd, 0x40049409, os.open("source", os.O_RDONLY))
    except OSError: pass
print("ok", os.fstat(fd).st_size)
"""
FILLS = ["write", "pwritev", "truncate", "fallocate", "copy", "sendfile", "splice", "mapping", "reflink"]


@pytest.mark.parametrize("mode", ["04755", "06755", "04777"])
@pytest.mark.parametrize("make", ["open", "nameless", "mknod", "creat", "openat2"])
def test_e021_create_with_the_bit(lab, mode, make):
    """A file may be created with the bit, but is empty then; whatever gives it contents takes the bit away. The
    control is the empty file of a caller without a box, which has the bit."""
    lab.file(lab.ws / "source", "#!/bin/sh\nid\n")
    control = lab.plain(["/usr/bin/python3", "-c", CREATE, mode, "control", make, "none"])
    assert control.verdict == "ok" and bits(lab.ws / "control"), control
    if not lab.user.uid:
        # root's own later write would keep the bits, so a root caller's box can't make such a file at all
        result = lab.run(["/usr/bin/python3", "-c", CREATE, mode, "made", make, "none"])
        assert result.code != 0, result
        assert not (lab.ws / "made").exists() or not (lab.ws / "made").stat().st_mode & SET_BITS
        return
    line = 'for fill in "$@"; do python3 -c "$0" ' + f'{mode} made-$fill {make} $fill || exit 1; done'
    result = lab.run(["/bin/sh", "-c", line, CREATE, "none", *FILLS])
    assert result.code == 0 and result.verdict == "ok", result
    for fill in ("none", *FILLS):
        made = (lab.ws / f"made-{fill}").stat()
        assert not made.st_size or not made.st_mode & SET_BITS, (fill, oct(made.st_mode), made.st_size)
        assert made.st_size or fill in ("none", "reflink"), fill


def test_e021_set_bits_that_are_there_stay_away(lab):
    """Writing to a set-user-ID program that the workspace holds takes its bit away, and no link, rename or copy that
    keeps modes brings it back."""
    program = lab.file(lab.ws / "program", "#!/bin/sh\n", 0o755)
    program.chmod(0o4755)
    line = "echo evil >program; ln program other; mv other third; cp -p third fourth; echo ok"
    result = lab.run(["/bin/sh", "-c", line])
    assert result.verdict == "ok" and program.read_text() == "evil\n", result
    assert not [name for name in os.listdir(lab.ws) if (lab.ws / name).stat().st_mode & stat.S_ISUID]
