"""Workspaces that must stay as they are on the host (entries 242 to 244): --mode readonly, where nothing in it can be
changed, and --mode discard, where everything can, in an overlay that ends with the box."""
import contextlib
import os
import socket
import subprocess

import pytest

import harness
from places import attack_without, far_base, far_place, in_namespace, prepare
from workbench import PATH, PYTHON

READONLY, DISCARD, DIRECT = (["--mode", mode] for mode in ("readonly", "discard", "direct"))
OFF = ("landlock", "mounts-readonly")   # discard: with either gone the host's folder still stays

CHANGES = {
    "create": ["create", "{}/new"], "write": ["write", "{}/f"], "append": ["append", "{}/dir/g"],
    "map": ["mmap-write", "{}/f"], "truncate": ["truncate", "{}/f"], "open-truncate": ["open-truncate", "{}/f"],
    "mkdir": ["mkdir", "{}/new"], "rmdir": ["rmdir", "{}/empty"], "unlink": ["unlink", "{}/f"],
    "rename": ["rename", "{}/f", "{}/new"], "exchange": ["exchange", "{}/f", "{}/dir/g"],
    "link": ["link", "{}/f", "{}/new"], "link-write": ["link-write", "{}/f", "{}/new"],
    "symlink": ["symlink", "f", "{}/new"], "fifo": ["mkfifo", "{}/new"], "socket": ["mksocket", "{}/new"],
    "nameless": ["link-tmpfile", "{}", "{}/new"], "descriptor": ["link-fd", "{}/f", "{}/new"],
}
METADATA = {
    "chmod": ["chmod", "{}/f", "0700"], "chmod-top": ["chmod", "{}", "0700"], "fchmod": ["fchmod", "{}/f", "0700"],
    "utimes": ["utimes", "{}/f"], "lutimes": ["lutimes", "{}/link"], "setxattr": ["setxattr", "{}/f", "user.a", "b"],
    "set-acl": ["set-acl", "{}/f"],
}


def words_of(attack, folder):
    return [word.format(folder) for word in attack]


def exact(folder):
    """Everything that is to be known of a folder, but for access times."""
    rows = []
    for row in harness.tree(folder):
        s = os.lstat(row[0])
        attributes = [(n, os.getxattr(row[0], n, follow_symlinks=False))
                      for n in os.listxattr(row[0], follow_symlinks=False)]
        rows.append((*row, s.st_ino, s.st_nlink, s.st_ctime_ns, s.st_blocks, attributes))
    return rows


def scene_of(lab):
    """Workspace and outside as places.prepare makes them, and an attribute to be changed."""
    prepare(lab)
    os.setxattr(lab.ws / "f", "user.a", b"host")


@contextlib.contextmanager
def workspace_at(lab, folder):
    before, lab.ws = lab.ws, folder
    try:
        yield
    finally:
        lab.ws = before


@pytest.mark.parametrize("attack", {**CHANGES, **METADATA}.values(), ids={**CHANGES, **METADATA})
def test_e242_change_a_readonly_workspace(lab, attack):
    """Every change of a read-only workspace is denied; with --mode direct it is made."""
    expect = {"EROFS"} | ({"EXDEV"} if attack[0] == "link-fd" else set())
    lab.legs(words_of(attack, lab.ws), expect, options=READONLY, grant=DIRECT, prepare=lambda: scene_of(lab),
             witness=lambda: exact(lab.ws), without=("landlock",))


@pytest.mark.parametrize("attack", CHANGES.values(), ids=CHANGES)
def test_e242_landlock_alone_holds_a_readonly_workspace(lab, attack):
    """Where nothing above it is writable, Landlock holds a read-only workspace without the mounts."""
    if not far_base():
        pytest.skip("the user has no folder outside those that are writable in a box")
    with far_place(lab) as far, workspace_at(lab, far):
        attack_without(lab, "mounts-readonly", words_of(attack, far), {"EACCES"}, *READONLY,
                       scene=lambda: scene_of(lab), witness=lambda: exact(far))


@pytest.mark.parametrize("attack", {**CHANGES, **METADATA}.values(), ids={**CHANGES, **METADATA})
def test_e243_change_a_discarded_workspace(lab, attack):
    """Every change of a workspace in mode discard is made inside, and the host's folder is as it was, to the inode and
    the change time; so it is with any layer gone. With --mode direct the host's folder changes."""
    lab.legs(words_of(attack, lab.ws), {"ok"}, options=DISCARD, prepare=lambda: scene_of(lab),
             witness=lambda: exact(lab.ws), without=OFF)
    scene_of(lab)
    before = exact(lab.ws)
    assert lab.run([lab.attacker, *words_of(attack, lab.ws)], *DIRECT).verdict == "ok"
    assert exact(lab.ws) != before, "the witness sees no change where one was made"


def test_e243_set_user_id_in_a_discarded_workspace(lab):
    """Set-ID bits are closed there too, and the mount gives them no effect."""
    lab.legs(["make-setuid", lab.ws / "f", "04755"], {"EPERM"}, options=DISCARD, prepare=lambda: scene_of(lab),
             witness=lambda: exact(lab.ws))
    result = lab.run(["/bin/grep", f" {lab.ws} ", "/proc/self/mountinfo"], *DISCARD)
    assert "nosuid,nodev" in result.out, result


def test_e243_a_write_grant_is_the_way_out(lab):
    """A folder in the workspace with --write is the host's own; everything around it is not."""
    for mode, around in ((DISCARD, "ok"), (READONLY, "EROFS")):
        scene_of(lab)
        before = exact(lab.ws)
        assert lab.run([lab.attacker, "create", lab.ws / "new"], *mode, "--write", lab.ws / "dir").verdict == around
        assert exact(lab.ws) == before
        assert lab.run([lab.attacker, "create", lab.ws / "dir" / "new"], *mode, "--write", lab.ws / "dir").verdict == "ok"
        assert (lab.ws / "dir" / "new").read_bytes() == b"x"
        for words in (["rename", lab.ws / "dir", lab.ws / "moved"], ["exchange", lab.ws / "dir", lab.ws / "empty"]):
            assert lab.run([lab.attacker, *words], *mode, "--write", lab.ws / "dir").verdict in {"EBUSY", "EROFS", "EXDEV"}


@pytest.mark.parametrize("how", ["umount", "umount-detach", "remount-rw", "mount-setattr", "open-tree-move"])
def test_e244_take_the_overlay_off(lab, how):
    """The overlay can't be taken away, changed or put elsewhere, also with a layer missing."""
    words = {"umount": ["umount", lab.ws], "umount-detach": ["umount", lab.ws, "2"], "remount-rw": ["remount-rw", lab.ws],
             "mount-setattr": ["mount-setattr", lab.ws], "open-tree-move": ["open-tree-move", lab.ws, "/tmp"]}[how]
    control = in_namespace(lab, words, f"mount --bind {lab.ws} {lab.ws} && cd /")
    lab.legs(words, {"EPERM"}, options=DISCARD, prepare=lambda: scene_of(lab), witness=lambda: exact(lab.ws),
             control_argv=control, without=("seccomp", "landlock", "capabilities"))


def test_e244_below_the_overlay_by_handle(lab):
    """A file handle opens nothing of the host's folder: neither call is there."""
    lab.legs(["open-by-handle", lab.ws / "f", lab.ws], {"EPERM", "EOPNOTSUPP"}, options=DISCARD,
             prepare=lambda: scene_of(lab), witness=lambda: exact(lab.ws), control=lab.user.uid == 0,
             without=("seccomp", "landlock"))


# Looks everywhere that a mount or a folder of the layers could be: the names that mountinfo has for them, the box's
# root, what every process has as root, folder and descriptors. Prints where the marks of both layers were found.
SEARCH = r"""
import os, re, sys
ws, host = sys.argv[1], int(sys.argv[2])
open(ws + "/changed", "w").write("mark-upper")
open(ws + "/f", "a").write("!")
table = open("/proc/self/mountinfo").read()
print("mounts", [line.split()[4] for line in table.splitlines() if int(os.major(host)) == int(line.split()[2].split(":")[0])
                 and int(os.minor(host)) == int(line.split()[2].split(":")[1]) and line.split()[4].startswith(ws)])
names = re.findall(r"(?:lowerdir|upperdir|workdir)=([^, \n]+)", table)
starts = {"/", *names, *(n + "/.." for n in names), "/.pinfold-overlay", "/.pinfold-overlay/upper", "/proc/1/root",
          "/proc/1/cwd", *(f"/proc/{p}/{n}" for p in os.listdir("/proc") if p.isdigit() for n in ("root", "cwd"))}
for p in [p for p in os.listdir("/proc") if p.isdigit()]:
    try:
        starts |= {f"/proc/{p}/fd/{n}" for n in os.listdir(f"/proc/{p}/fd")}
    except OSError:
        pass
found = set()
for start in starts:
    for base, folders, files in os.walk(start):
        if base.startswith(("/proc", "/usr", "/etc", "/opt", "/sys")) and base != start:
            folders[:] = []
            continue
        for name in files:
            try:
                s = os.lstat(os.path.join(base, name))
                text = open(os.path.join(base, name), "rb").read(64) if os.path.isfile(os.path.join(base, name)) else b""
            except OSError:
                continue
            if text.startswith((b"mark-upper", b"box\n")):
                found.add(os.path.realpath(os.path.join(base, name)))
print("found", sorted(found))
"""


def test_e244_no_path_leads_to_the_layers(lab):
    """Neither what is below the overlay nor what holds the changes has a path in the box: what was written, and what
    the host has, are found in the workspace and nowhere else; and no mount of the host's disk stands there."""
    device = os.stat(lab.ws).st_dev
    script = lab.file(lab.scratch.path / "search.py", SEARCH)
    inside = sorted(os.fspath(lab.ws / n) for n in ("changed", "f", "dir/g"))
    for mode, mounts in ((DIRECT, [os.fspath(lab.ws)]), (DISCARD, [])):   # direct: the control
        scene_of(lab)
        before = exact(lab.ws)
        result = lab.run([PYTHON, script, lab.ws, str(device)], *mode, "--toolchains", "none", "--read", script)
        assert result.code == 0 and result.out == f"mounts {mounts}\nfound {inside}\n", result
        assert (exact(lab.ws) == before) == (mode == DISCARD)


@pytest.mark.parametrize("mode", [READONLY, DISCARD], ids=["readonly", "discard"])
@pytest.mark.parametrize("attack", ["write-nonblock", "readwrite", "append"])
def test_e244_fifo_in_the_workspace(lab, mode, attack):
    """A FIFO of the host in the workspace leads nowhere; in mode direct it leads to the host's reader."""
    scene_of(lab)
    path = lab.ws / "fifo"
    os.mkfifo(path)
    lab.own(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        def arrived():
            with contextlib.suppress(BlockingIOError):
                return os.read(reader, 100)
            return b""

        assert lab.run([lab.attacker, attack, path], *DIRECT).verdict == "ok" and arrived() == b"x", "control"
        for layer in (None, "landlock", "mounts-readonly"):
            how = {"binary": lab.layers_off, "env": {"PINFOLD_WITHOUT": layer}} if layer else {}
            result = lab.run(["/usr/bin/timeout", "1", lab.attacker, attack, path], *mode, **how)
            assert arrived() == b"" and (result.code == 124 or result.verdict in {"ok", "ENXIO", "EROFS"}), (layer, result)
    finally:
        os.close(reader)


@pytest.mark.parametrize("mode", [READONLY, DISCARD], ids=["readonly", "discard"])
def test_e244_socket_in_the_workspace(lab, mode):
    """A socket of the host in the workspace, also one made after the start, is reached in neither mode; one granted is."""
    prepare(lab)
    code = ("import socket, sys, time\ns = socket.socket(socket.AF_UNIX)\n"
            "try: s.connect(sys.argv[1]); print('ok')\nexcept OSError as e: print(__import__('errno').errorcode[e.errno])")
    path = lab.ws / "late"
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as host:
        host.bind(os.fspath(path))
        host.listen(5)
        lab.own(path)
        assert lab.plain([PYTHON, "-c", code, path]).out == "ok\n"
        assert lab.run([PYTHON, "-c", code, path], *mode).out == "ECONNREFUSED\n"
        assert lab.run([PYTHON, "-c", code, path], *mode, "--unix-socket", path).out == "ok\n"
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as unlisted:   # as one that the host makes later
            argv = [lab.pinfold, "run", "--workspace", lab.ws, *mode, "--", "/bin/sh", "-c",
                    f"echo ready; read x; exec {PYTHON} -c \"$1\" {lab.ws}/later", "sh", code]
            box = subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment({"PATH": PATH}), text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert box.stdout.readline() == "ready\n"
            unlisted.bind(os.fspath(lab.ws / "later"))
            unlisted.listen(5)
            lab.own(lab.ws / "later")
            out, _ = box.communicate("go\n", timeout=20)
            assert out in ("ECONNREFUSED\n", "ENOENT\n"), out
            assert lab.plain([PYTHON, "-c", code, lab.ws / "later"]).out == "ok\n"


def test_e244_attributes_that_steer_an_overlay(lab):
    """Attributes with which a layer of an overlay says where its files are: one that a command left in the workspace
    leads a later run in mode discard nowhere."""
    secret = lab.file(lab.outside / "f", "secret\n")
    for name, value in (("redirect", os.fspath(secret.parent)), ("redirect", "/../../outside"), ("redirect", "../outside"),
                        ("metacopy", ""), ("opaque", "y"), ("whiteout", "y")):
        scene_of(lab)
        for target in ("dir", "f"):
            os.setxattr(lab.ws / target, "user.overlay." + name, os.fsencode(value))
        before = exact(lab.ws)
        result = lab.run(["/bin/sh", "-c", "cat f dir/*; ls dir; echo x >>dir/g && cat dir/g"], *DISCARD)
        assert "secret" not in result.out and result.out.endswith("g\nbox\nx\n"), (name, value, result)
        assert exact(lab.ws) == before
