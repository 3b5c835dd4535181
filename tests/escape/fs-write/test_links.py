"""Hard links and renames across the border of the workspace, and changes of names outside it (entries 4 to 7, 19)."""
import pytest

import harness
from places import clear, hold, prepare


@pytest.mark.parametrize("attack", ["link", "link-write", "link-fd"])
def test_e004_link_outside_file_into_workspace(lab, attack):
    """A file outside can't be given a second name in the workspace, through which it would be writable."""
    hold(lab, [attack, lab.outside / "f", lab.ws / "h"], read="EXDEV", landlock="EXDEV", grant=False)


def test_e005_link_workspace_file_to_outside(lab):
    """A file of the workspace can't be given a name outside."""
    hold(lab, ["link", lab.ws / "f", lab.outside / "new"], landlock="EXDEV", grant=False)


@pytest.mark.parametrize("way", [[], ["empty"]], ids=["proc-name", "empty-path"])
def test_e005_link_nameless_file_to_outside(lab, way):
    """A nameless file made in the workspace can't be given a name outside."""
    hold(lab, ["link-tmpfile", lab.ws, lab.outside / "new", *way], landlock="EXDEV", grant=False)


@pytest.mark.parametrize("way", [[], ["empty"]], ids=["proc-name", "empty-path"])
def test_e005_link_nameless_outside_file(lab, way):
    """A nameless file can't be made and named outside."""
    hold(lab, ["link-tmpfile", lab.outside, lab.outside / "new", *way])


def test_e005_link_within_outside(lab):
    """A file outside can't be given a second name outside."""
    hold(lab, ["link", lab.outside / "f", lab.outside / "new"])


@pytest.mark.parametrize("attack", ["rename", "rename-noreplace"])
def test_e006_rename_to_outside(lab, attack):
    """A file can't be moved out of the workspace."""
    hold(lab, [attack, lab.ws / "f", lab.outside / "new"], read="EXDEV", landlock="EXDEV", grant=False)


def test_e006_rename_over_outside(lab):
    """A file of the workspace can't replace one outside."""
    hold(lab, ["rename", lab.ws / "f", lab.outside / "f"], read="EXDEV", landlock="EXDEV", grant=False)


def test_e006_exchange_with_outside(lab):
    """A file of the workspace can't trade places with one outside."""
    hold(lab, ["exchange", lab.ws / "f", lab.outside / "f"], read="EXDEV", landlock="EXDEV", grant=False)


def test_e006_exchange_folders(lab):
    """A folder of the workspace can't trade places with one outside."""
    hold(lab, ["exchange", lab.ws / "dir", lab.outside / "dir"], read="EXDEV", landlock="EXDEV", grant=False)


def test_e007_steal(lab):
    """A file outside can't be moved into the workspace."""
    hold(lab, ["rename", lab.outside / "f", lab.ws / "stolen"], read="EXDEV", landlock="EXDEV", grant=False)


def test_e007_steal_folder(lab):
    """A folder outside can't be moved into the workspace."""
    hold(lab, ["rename", lab.outside / "dir", lab.ws / "stolen"], read="EXDEV", landlock="EXDEV", grant=False)


@pytest.mark.parametrize("attack", ["rename", "rename-noreplace"])
def test_e007_rename_within_outside(lab, attack):
    """A file outside can't get another name outside."""
    hold(lab, [attack, lab.outside / "f", lab.outside / "new"])


def test_e007_whiteout(lab):
    """No whiteout can be left in a file's place, whatever the mounts say: the filter knows the flag."""
    lab.legs(["whiteout", lab.outside / "f", lab.outside / "new"], {"EINVAL"}, options=["--write", lab.outside],
             prepare=lambda: prepare(lab, lab.outside), witness=lambda: harness.tree(lab.outside))


def test_e007_exchange_within_outside(lab):
    """Two things outside can't trade places."""
    hold(lab, ["exchange", lab.outside / "f", lab.outside / "dir"])


@pytest.mark.parametrize("attack, name", [("unlink", "f"), ("unlink", "link"), ("rmdir", "empty"), ("mkdir", "new"),
                                          ("mkfifo", "new"), ("mksocket", "new")])
def test_e019_names_outside(lab, attack, name):
    """Nothing outside can be removed, and nothing can be made there: folders, FIFOs, sockets."""
    hold(lab, [attack, lab.outside / name])


def test_e019_symlink_outside(lab):
    """No symbolic link can be made outside."""
    hold(lab, ["symlink", "/etc/passwd", lab.outside / "new"])


@pytest.mark.parametrize("attack", ["rename", "rmdir"])
def test_e019_remove_the_root_itself(lab, attack):
    """A granted root itself can't be removed or renamed, not even where the grant is to write in it: it is a mount."""
    gone = lab.scratch.path / "gone"

    def scene():
        if gone.exists():
            gone.rename(lab.outside)
        lab.outside.mkdir(exist_ok=True)
        clear(lab.outside)
        lab.own(lab.outside)

    words = [attack, lab.outside, *([gone] if attack == "rename" else [])]
    for options, expect in (([], "ENOENT"), (["--read", lab.outside], "EBUSY"), (["--write", lab.outside], "EBUSY")):
        lab.legs(words, {expect}, options=options, prepare=scene,
                 witness=lambda: (lab.outside.is_dir(), gone.exists()))
