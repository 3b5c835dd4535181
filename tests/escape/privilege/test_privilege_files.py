"""Files that give rights: device nodes, set-user-ID programs, file capabilities (entries 20 to 22)."""
import os
import shutil
import stat

import pytest

from places import in_namespace


def copy_attacker(lab, folder, mode, uid):
    """A copy of the attacker in a folder, with this mode and owner."""
    path = folder / "program"
    path.unlink(missing_ok=True)
    shutil.copy(lab.attacker, path)
    os.chown(path, uid, uid)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("kind, major, minor", [("char", "1", "3"), ("char", "1", "1"), ("block", "7", "0")])
def test_e020_make_device(lab, kind, major, minor):
    """No device node can be made in the workspace; the control is root's, who alone may make one. Landlock says EACCES,
    and without it the missing capability EPERM."""
    node = lab.ws / "node"
    control = lab.user.uid == 0 and (kind, minor) != ("char", "1")
    lab.legs(["mknod-device", node, kind, major, minor], {"EACCES"}, control=control,
             prepare=lambda: node.unlink(missing_ok=True), witness=lambda: os.path.lexists(node),
             without={"capabilities": {"EACCES"}, "landlock": {"EPERM"}})


@pytest.mark.parametrize("kind", ["char", "block"])
def test_e020_device_in_workspace(lab, kind):
    """A node that is in the workspace already can't be opened: the mount has nodev."""
    if os.geteuid() != 0:
        pytest.skip("making a device node needs root")
    node = lab.ws / "node"
    numbers = os.makedev(1, 5) if kind == "char" else os.makedev(7, 0)
    os.mknod(node, (stat.S_IFCHR if kind == "char" else stat.S_IFBLK) | 0o666, numbers)
    node.chmod(0o666)
    lab.legs(["open", node, "read"], {"EACCES"}, without=("seccomp", "landlock"))


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6755])
@pytest.mark.parametrize("place", ["ws", "read", "write"])
def test_e021_execute_set_user_id(lab, mode, place):
    """A set-user-ID or set-group-ID program of another user, in the workspace or in a granted root, gives nothing:
    the mounts have nosuid and the process can gain no privileges; each of the two is enough."""
    if os.geteuid() != 0:
        pytest.skip("a program that belongs to another user can be made by root only")
    folder = lab.ws if place == "ws" else lab.outside
    program = copy_attacker(lab, folder, mode, 1000 if lab.user.uid == 0 else 0)
    options = [] if place == "ws" else [f"--{place}", lab.outside]
    lab.legs([program, "gain-identity"], {"EPERM"}, options=options, without=("no-new-privs",))


@pytest.mark.parametrize("path", ["/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/usr/bin/newgrp"])
def test_e021_set_user_id_of_the_system(lab, path):
    """The set-user-ID programs of the system run as whoever starts them. The control is the file's own mode."""
    if not os.path.exists(path):
        path = "/bin/su"
    assert os.stat(path).st_mode & stat.S_ISUID, "control leg: the program is not set-user-ID"
    line = "grep ' /usr /usr ' /proc/self/mountinfo; grep NoNewPrivs /proc/self/status"
    flags = lab.run(["/bin/sh", "-c", line])
    assert "nosuid" in flags.out and "NoNewPrivs:\t1" in flags.out, flags


def test_e022_file_capability(lab):
    """A file in the workspace can't be given capabilities; the control is in a user namespace."""
    program = lab.file(lab.ws / "program", mode=0o755)
    attack = ["set-capability", program]
    lab.legs(attack, {"EPERM"}, control_argv=in_namespace(lab, attack), prepare=lambda: lab.file(program),
             witness=lambda: os.listxattr(program), without=("seccomp", "landlock"))


@pytest.mark.parametrize("place", ["ws", "read"])
def test_e022_execute_with_file_capability(lab, place):
    """A program that has file capabilities gains none of them in the box."""
    if os.geteuid() != 0:
        pytest.skip("giving a file capabilities needs root")
    folder = lab.ws if place == "ws" else lab.outside
    program = copy_attacker(lab, folder, 0o755, lab.user.uid)
    os.setxattr(program, "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))
    options = [] if place == "ws" else ["--read", lab.outside]
    lab.legs([program, "gain-capability"], {"EPERM"}, options=options, without=("no-new-privs",))
