"""The mount tree, the root and file handles (entries 23 to 27). Controls run in namespaces of their own.

seccomp, Landlock and the missing capabilities each deny alone, so every test leaves them out one by one.
"""
import pytest

from places import attack_without, far_place, in_namespace, prepare

LAYERS = ("seccomp", "landlock", "capabilities")


def deny(lab, attack, *, before=":", without=LAYERS, **more):
    """EPERM in the box, also with a layer missing; the control is in namespaces where the attack is powerful."""
    more.setdefault("control_argv", in_namespace(lab, attack, before))
    lab.legs(attack, {"EPERM"}, options=["--read", lab.outside], prepare=lambda: prepare(lab), without=without,
             witness=lambda: lab.plain(["/bin/cat", "/proc/self/mountinfo"]).out, **more)


@pytest.mark.parametrize("attack", ["mount-tmpfs", "fsmount"])
def test_e023_mount_tmpfs(lab, attack):
    """Nothing can be mounted over a folder, by the old call or by the new ones."""
    deny(lab, [attack, lab.ws / "dir"])


@pytest.mark.parametrize("attack", ["mount-bind", "mount-move", "open-tree-move"])
def test_e023_mount_of_a_tree(lab, attack):
    """No tree can be bound or moved to another place."""
    deny(lab, [attack, lab.ws / "dir", lab.ws / "empty"])


def test_e023_mount_hides_or_copies_root(lab):
    """The root of the box can't be bound into the workspace."""
    deny(lab, ["mount-bind", "/", lab.ws / "empty"], control_argv=in_namespace(
        lab, ["mount-bind", lab.ws, lab.ws / "empty"]))


def test_e023_mount_proc(lab):
    """No second /proc can be mounted, one without the covers; the control makes a pid namespace for it."""
    control = ["/usr/bin/unshare", "-Urmpf", lab.attacker, "mount-proc", lab.ws / "dir"]
    deny(lab, ["mount-proc", lab.ws / "dir"], control_argv=control)


@pytest.mark.parametrize("attack", ["remount-rw", "mount-setattr"])
def test_e023_make_writable(lab, attack):
    """A read-only root can't be made writable."""
    deny(lab, [attack, lab.outside], before=f"mount --bind {lab.outside} {lab.outside}")


@pytest.mark.parametrize("attack", ["remount-rw", "mount-setattr"])
@pytest.mark.parametrize("place", ["/", "/usr", "/proc/sys", "/etc"])
def test_e023_make_system_writable(lab, attack, place):
    """The system roots can't be made writable; the control remounts a folder of its own."""
    deny(lab, [attack, place], control_argv=in_namespace(lab, [attack, lab.ws], f"mount --bind {lab.ws} {lab.ws}"))


def test_e023_propagation(lab):
    """Propagation of mounts can't be changed."""
    deny(lab, ["mount-propagation", "/"])


@pytest.mark.parametrize("flags", ["0", "2", "8"], ids=["plain", "detach", "nofollow"])
@pytest.mark.parametrize("place", ["/proc/sys", "/tmp", "/dev", "/"])
def test_e023_umount(lab, place, flags):
    """No mount of the box can be taken away, which would show what it covers."""
    control = in_namespace(lab, ["umount", lab.ws, flags], f"mount -t tmpfs none {lab.ws}")
    deny(lab, ["umount", place, flags], control_argv=control)


def test_e023_umount_root_of_grant(lab):
    """A granted root can't be unmounted."""
    deny(lab, ["umount", lab.outside, "2"], before=f"mount --bind {lab.outside} {lab.outside}")


def test_e023_pivot_root(lab):
    """The root can't be exchanged."""
    deny(lab, ["pivot-root", lab.ws], before=f"mount --bind {lab.ws} {lab.ws}")


@pytest.mark.parametrize("kind", ["tmpfs", "proc"])
def test_e024_fsopen(lab, kind):
    """The new mount interface gives no descriptor of a new file system."""
    deny(lab, ["fsopen", kind])


@pytest.mark.parametrize("attack", ["open-tree", "open-tree-attr"])
@pytest.mark.parametrize("place", ["/", "ws"])
def test_e024_copy_of_a_tree(lab, attack, place):
    """No tree can be copied; the control copies the workspace, since / holds mounts that are locked there."""
    deny(lab, [attack, lab.ws if place == "ws" else place], control_argv=in_namespace(lab, [attack, lab.ws]))


def test_e024_fspick(lab):
    """An existing file system can't be picked up to be reconfigured; the control picks its own tmpfs."""
    deny(lab, ["fspick", lab.ws], before=f"mount -t tmpfs none {lab.ws}")


@pytest.mark.parametrize("attack", [["fsconfig-alone"], ["fsmount-alone"], ["move-mount-alone", "/usr", "/opt"]],
                         ids=" ".join)
def test_e024_new_interface_alone(lab, attack):
    """Each call of the new interface is closed by itself: no control, the arguments are wrong on purpose, and an open
    call would say so by EBADF or EINVAL."""
    deny(lab, attack, control=False, without=("landlock", "capabilities"))
    assert lab.plain([lab.attacker, *attack]).verdict in ("EBADF", "EINVAL", "EPERM")


def test_e024_listmount(lab):
    """The list of mounts by listmount(2) is closed by seccomp alone; it would show the box's own mounts only."""
    deny(lab, ["listmount"], control_argv=["listmount"], without=("landlock", "capabilities"))


@pytest.mark.parametrize("flags", ["0x10000000", "0x10020000", "0x50000000", "0x20000000", "0x7e020000"])
def test_e025_unshare(lab, flags):
    """No namespace can be made: user, user and mount, user and net, pid, all."""
    user = int(flags, 16) & 0x10000000
    more = {"control_argv": ["unshare", flags]} if user else {}
    deny(lab, ["unshare", flags], without=("landlock", "capabilities"), **more)


@pytest.mark.parametrize("attack", ["unshare-mount", "unshare-remount", "unshare-umount"])
def test_e025_unshare_and_mount(lab, attack):
    """Without seccomp no user namespace can be made either (ENOSPC, a limit of the box's), or Landlock lets nothing be
    mounted in it (EPERM).

    A user's own namespace may not undo a mount it was given, so only the tmpfs has a control.
    """
    place = lab.ws / "dir" if attack == "unshare-mount" else "/"
    deny(lab, [attack, place], without=("landlock", "capabilities"), control=attack == "unshare-mount",
         control_argv=[attack, place])
    attack_without(lab, "seccomp", [attack, place], {"EPERM", "ENOSPC"}, scene=lambda: prepare(lab),
                   witness=lambda: None)


def test_e026_chroot(lab):
    """The root can't be changed, with or without capabilities."""
    deny(lab, ["chroot", lab.ws])


def test_e027_open_by_handle(lab):
    """A file can't be opened by its handle, which knows no paths; the control is root's, who alone may do it."""
    prepare(lab)
    deny(lab, ["open-by-handle", lab.ws / "f", lab.ws], control=lab.user.uid == 0,
         control_argv=["open-by-handle", lab.ws / "f", lab.ws])


def test_e027_handle_of_outside(lab):
    """A file of a readable root can't be opened by its handle either. Where the root is shown through a view, which it
    is below a writable folder, there are no handles at all."""
    with far_place(lab) as far:
        for place, denial in (lab.outside, "EOPNOTSUPP"), (far, "EPERM"):
            attack = ["open-by-handle", place / "f", place]
            lab.legs(attack, {denial}, options=["--read", place], prepare=lambda: prepare(lab, place), without=LAYERS,
                     control=lab.user.uid == 0)
