"""Modes and owners outside the writable roots (entries 13, 14, 18). Only the mounts hold these: Landlock has no right
for them, so there is no leg with the mounts left writable."""
import pytest

from harness import tree
from places import attack_without, hold, prepare


@pytest.mark.parametrize("attack", ["chmod", "fchmod", "fchmodat2"])
@pytest.mark.parametrize("name", ["f", "dir", "."])
def test_e013_chmod(lab, attack, name):
    """The mode of a file, a folder or the root itself can't be changed, also not by a descriptor opened to read."""
    hold(lab, [attack, lab.outside / name, "0700"], landlock=None)


def test_e013_chmod_same_mode(lab):
    """A change to the mode that the file has already is denied like any other."""
    hold(lab, ["chmod", lab.outside / "f", "0644"], landlock=None)


def test_e013_chmod_nofollow(lab):
    """fchmodat2 with AT_SYMLINK_NOFOLLOW on a file is denied."""
    hold(lab, ["fchmodat2", lab.outside / "f", "0700", "nofollow"], landlock=None)


def test_e013_chmod_through_symlink(lab):
    """A link in the workspace gives no way to the mode of its target."""
    def scene(lab, place):
        prepare(lab, place)
        (lab.ws / "l").symlink_to(place / "f")

    hold(lab, ["chmod", lab.ws / "l", "0700"], landlock=None, scene=scene)


@pytest.mark.parametrize("attack", ["chown", "lchown", "fchown", "chown-opath"])
def test_e014_chown_to_oneself(lab, attack):
    """An owner can't be set outside, also not to the one that is there: every user may do that without a box."""
    uid = str(lab.user.uid)
    hold(lab, [attack, lab.outside / "f", uid, uid], landlock=None)


def test_e014_lchown_of_symlink(lab):
    """The owner of a symbolic link outside can't be set."""
    uid = str(lab.user.uid)
    hold(lab, ["lchown", lab.outside / "link", uid, uid], landlock=None)


@pytest.mark.parametrize("attack", ["chown", "lchown", "fchown", "chown-opath"])
def test_e014_chown_to_another(lab, attack):
    """An owner can't be changed outside; the control is root's, since nobody else may do it, and no grant gives it.

    For others seccomp says EPERM when the call is made, which is before the path is looked at; without it the mounts
    hold."""
    words = [attack, lab.outside / "f", "12345", "12345"]
    root = lab.user.uid == 0
    more = {} if root else {"hidden": "EPERM" if attack in ("chown", "lchown") else "ENOENT", "read": "EPERM"}
    hold(lab, words, landlock=None, control=root, grant=False, **more)
    attack_without(lab, "seccomp", words, {"EROFS"}, "--read", lab.outside, scene=lambda: prepare(lab),
                   witness=lambda: tree(lab.outside))


@pytest.mark.parametrize("attack", ["chmod-opath", "chmod-opath-empty"])
def test_e018_chmod_opath(lab, attack):
    """A descriptor that only names a file gives no way to its mode."""
    hold(lab, [attack, lab.outside / "f", "0700"], landlock=None)
