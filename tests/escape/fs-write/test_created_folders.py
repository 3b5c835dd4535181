"""Creating and writing files outside the writable roots (entries 1 to 3)."""
import os

import pytest

from places import hold, prepare


@pytest.mark.parametrize("attack", ["create", "create-follow", "creat", "mknod-regular"])
def test_e001_create_outside(lab, attack):
    """A new file outside the writable roots can't be made by any call that makes files."""
    hold(lab, [attack, lab.outside / "new"])


def test_e001_create_by_openat2(lab):
    """The same by openat2, which a root caller's box doesn't have: its mode is behind a pointer."""
    attack = ["create-openat2", lab.outside / "new"]
    if lab.user.uid:
        return hold(lab, attack)
    lab.legs(attack, {"ENOSYS"}, options=["--read", lab.outside], prepare=lambda: prepare(lab, lab.outside))


@pytest.mark.parametrize("attack", ["write", "append", "readwrite", "mmap-write"])
def test_e001_write_outside(lab, attack):
    """An existing file outside the writable roots can't be opened for writing."""
    hold(lab, [attack, lab.outside / "f"])


def test_e001_tmpfile_outside(lab):
    """A nameless file can't be made in a folder outside the writable roots."""
    hold(lab, ["tmpfile", lab.outside])


def test_e001_write_below_readable_root(lab):
    """A readable root is read-only in its depth too."""
    hold(lab, ["create", lab.outside / "dir" / "new"])


def make_folder(lab, folder, expect, control):
    """The legs of mkdir in a folder of the system; what the control made is removed again."""
    path = f"{folder.rstrip('/')}/{lab.scratch.path.name}"

    def remove():
        if os.path.isdir(path):
            os.rmdir(path)

    try:
        lab.legs(["mkdir", path], {expect}, control=control, prepare=remove, options=["--toolchains", "none"], witness=lambda: os.path.lexists(path))
    finally:
        remove()


@pytest.mark.parametrize("folder", ["/", "/usr", "/etc", "/opt", "/usr/bin", "/etc/ssl"])
def test_e001_create_in_system_root(lab, folder):
    """The system roots and the root itself are read-only; the control is root's, since others may not write there."""
    make_folder(lab, folder, "EROFS" if os.path.isdir(folder) else "ENOENT", lab.user.uid == 0)


@pytest.mark.parametrize("folder", ["/var/lib", "/root", "/srv", "/boot", "/mnt", "/var/log"])
def test_e001_create_in_hidden_system_folder(lab, folder):
    """Folders of the system that are no system roots don't exist in the box; the control is root's."""
    make_folder(lab, folder, "ENOENT", lab.user.uid == 0 and os.path.isdir(folder))


def test_e002_symlink_to_file(lab):
    """A link in the workspace gives no way to write to what it points to."""
    hold(lab, ["symlink-write", lab.outside / "f", lab.ws / "l"])


def test_e002_relative_symlink(lab):
    """The same with a link that climbs out of the workspace."""
    hold(lab, ["symlink-write", "../outside/f", lab.ws / "l"], landlock=None)


def test_e002_symlink_existing_before(lab):
    """A link that was in the workspace before the start gives no way either."""
    def scene(lab, place):
        prepare(lab, place)
        (lab.ws / "l").symlink_to(place / "f")

    hold(lab, ["write", lab.ws / "l"], scene=scene)


@pytest.mark.parametrize("links", ["1", "2", "20"])
def test_e003_symlink_chain(lab, links):
    """A chain of links, each to the one before, gives no way out. The kernel follows 40, but counts a link twice when
    it walks again because a mount or a rename came between, so that only half of that is sure to be followed."""
    hold(lab, ["symlink-chain", lab.outside / "f", lab.ws, links])


def test_e003_symlink_chain_too_long(lab):
    """One link more than the kernel follows is ELOOP; the control is a chain that it surely follows."""
    for options in ([], ["--read", lab.outside]):
        lab.legs(["symlink-chain", lab.outside / "f", lab.ws, "41"], {"ELOOP"}, options=options,
                 prepare=lambda: prepare(lab), witness=lambda: (lab.outside / "f").read_bytes(),
                 control_argv=["symlink-chain", lab.outside / "f", lab.ws, "20"])


def test_e003_dangling_symlink(lab):
    """Creating through a dangling link makes no file where it points."""
    hold(lab, ["symlink-write", lab.outside / "new", lab.ws / "l"])


def test_e003_symlink_with_dots(lab):
    """Dots and doubled slashes in the target and in the path change nothing."""
    hold(lab, ["symlink-write", f"{lab.outside}//./dir/..//f", lab.ws / "l"])
    hold(lab, ["symlink-directory", lab.outside, lab.ws / "d", "f"])
    hold(lab, ["symlink-directory", f"{lab.outside}//", lab.ws / "d", "new"])


def test_e003_path_that_climbs(lab):
    """A path that climbs out of the workspace by `..` leads to what is there, which is nothing, or read-only."""
    hold(lab, ["create-follow", f"{lab.ws}/dir/../../outside/new"], landlock=None)
    hold(lab, ["create-follow", "../outside/new"], landlock=None)
    hold(lab, ["mkdir", f"{lab.ws}/../outside/new/"], landlock=None)
