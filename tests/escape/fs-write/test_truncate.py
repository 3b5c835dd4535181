"""Emptying files outside the writable roots, and writing to the pages of files opened to be read (10, 11, 63)."""
import pytest

from places import hold, prepare


def test_e010_truncate(lab):
    """truncate(2) of a file outside is denied, by the mounts and by Landlock."""
    hold(lab, ["truncate", lab.outside / "f"])


@pytest.mark.parametrize("attack", ["open-truncate", "creat"])
def test_e011_open_and_truncate(lab, attack):
    """Opening for reading with O_TRUNC, and creat(2) of an existing file, are denied."""
    hold(lab, [attack, lab.outside / "f"])


def test_e063_mapping_made_writable(lab):
    """A shared mapping of a file opened to be read can't be made writable; the control opens it for writing."""
    lab.legs(["mmap-protect", lab.outside / "f"], {"EACCES"}, options=["--read", lab.outside],
             control_argv=["mmap-protect", lab.outside / "f", "rw"], prepare=lambda: prepare(lab),
             witness=lambda: (lab.outside / "f").read_bytes(), without=("landlock", "mounts-readonly", "seccomp"))


@pytest.mark.parametrize("attack", ["dirty-pipe", "vmsplice", "self-mem"])
def test_e063_page_cache(lab, attack):
    """The pages of a file that may be read can't be written by pipes or /proc/self/mem.

    It is the kernel that holds this: there is no control on a kernel without the bug. The attack must have run to its
    end (EUNCHANGED: the file is as it was), or be denied before.
    """
    lab.legs([attack, lab.outside / "f"], {"EUNCHANGED", "EIO", "EPERM"}, options=["--read", lab.outside],
             control=False, prepare=lambda: prepare(lab), witness=lambda: (lab.outside / "f").read_bytes())
