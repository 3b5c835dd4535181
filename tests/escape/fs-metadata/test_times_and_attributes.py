"""Times, extended attributes, access lists and inode flags outside the writable roots (entries 15 to 17)."""
import fcntl
import os

import pytest

from places import far_base, far_place, hold, prepare


@pytest.mark.parametrize("attack", ["utimes", "utimes-now", "lutimes", "futimes"])
@pytest.mark.parametrize("name", ["f", "dir"])
def test_e015_times(lab, attack, name):
    """Times can't be set, by path, through nothing but a descriptor opened to read, or to now."""
    hold(lab, [attack, lab.outside / name], landlock=None)


def test_e015_times_of_symlink(lab):
    """The times of a symbolic link can't be set."""
    hold(lab, ["lutimes", lab.outside / "link"], landlock=None)


def attributes(place):
    """Witness: the extended attributes outside."""
    return {name: os.getxattr(place / "f", name) for name in os.listxattr(place / "f")}


@pytest.mark.parametrize("attack", ["setxattr", "lsetxattr", "fsetxattr", "setxattrat"])
def test_e016_set_attribute(lab, attack):
    """An extended attribute of a user's can't be set."""
    hold(lab, [attack, lab.outside / "f", "user.pinfold", "x"], landlock=None, witness=attributes)


@pytest.mark.parametrize("name", ["security.pinfold", "trusted.pinfold"])
@pytest.mark.parametrize("attack", ["setxattr", "lsetxattr", "fsetxattr", "setxattrat"])
def test_e016_set_privileged_attribute(lab, attack, name):
    """security.* and trusted.* can't be set; the control is root's, and no grant gives them."""
    hold(lab, [attack, lab.outside / "f", name, "x"], landlock=None, witness=attributes,
         control=lab.user.uid == 0, grant=False)


@pytest.mark.parametrize("attack", ["removexattr", "removexattrat"])
def test_e016_remove_attribute(lab, attack):
    """An extended attribute can't be removed."""
    def scene(lab, place):
        prepare(lab, place)
        os.setxattr(place / "f", "user.pinfold", b"host")

    hold(lab, [attack, lab.outside / "f", "user.pinfold"], landlock=None, scene=scene, witness=attributes)


def test_e016_access_list(lab):
    """A POSIX access list can't be set."""
    hold(lab, ["set-acl", lab.outside / "f"], landlock=None)


def test_e016_file_capability(lab):
    """File capabilities can't be set; the control is root's, and no grant gives them."""
    hold(lab, ["set-capability", lab.outside / "f"], landlock=None, witness=attributes,
         control=lab.user.uid == 0, grant=False)


@pytest.mark.parametrize("attack", ["setflags", "fssetxattr", "file-setattr"])
@pytest.mark.parametrize("name", ["f", "dir"])
def test_e017_inode_flags(lab, attack, name):
    """Inode flags (chattr) can't be set by either ioctl or by file_setattr(2)."""
    flags = ["/usr/bin/lsattr", "-d", lab.outside / name]
    hold(lab, [attack, lab.outside / name], landlock=None, witness=lambda _: lab.plain(flags).out)


def test_e017_write_hint(lab):
    """The write hint can't be set where the mount is the host's own; a read-only one lets it through, the filter doesn't."""
    if not far_base():
        pytest.skip("the user has no folder outside those that are writable in a box")

    def hint(place, value=None):
        with open(place / "f", "rb") as file:
            if value is not None:
                fcntl.fcntl(file, 1036, value.to_bytes(8, "little"))   # F_SET_RW_HINT; 1035 is F_GET_RW_HINT
            return fcntl.fcntl(file, 1035, bytes(8))

    with far_place(lab) as far:
        def scene():
            prepare(lab, far)
            hint(far, 0)

        scene()
        assert lab.plain([lab.attacker, "write-hint", far / "f"]).verdict == "ok" and hint(far) == bytes([5, *bytes(7)])
        lab.legs(["write-hint", far / "f"], {"EINVAL"}, options=["--read", far], prepare=scene,
                 witness=lambda: hint(far), without=("landlock", "mounts-readonly"))
