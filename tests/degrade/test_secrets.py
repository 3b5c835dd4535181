"""Hosts that can't hide what is denied: refused, or given up by name; and those that only say that they did."""
import os

import pytest

import receipts
from hosts import assert_ran, assert_refused, degraded, in_box
from rounds import calls_before_command

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="calls have other numbers")

WHITEOUT = "mknodat@2:0x2000"
SECRET = "secret-" + "w" * 8


@pytest.fixture
def denied(lab):
    lab.file(lab.outside / "k", SECRET)
    lab.file(lab.outside / "beside")
    return ["--read", lab.outside, "--deny", lab.outside / "k"]


@pytest.mark.parametrize("error", ["EPERM", "EINVAL", "ENODEV"])
def test_whiteouts_can_not_be_made(lab, denied, error):
    """The step is missing: the guarantee is refused by its name, with what mends it and the waiver."""
    result = in_box(lab, *denied, inner=degraded(f"{WHITEOUT}={error}"))
    assert_refused(lab, result, f"can't hide what is denied .*{error}.* fs-secret can't be promised", "--waive fs-secret")


def test_whiteouts_given_up(lab, denied):
    """With the waiver the file is covered as well as it can be, and the receipt says that it isn't held."""
    receipt = lab.scratch.path / "receipt.json"
    result = in_box(lab, *denied, "--waive", "fs-secret", "--receipt", receipt, inner=degraded(f"{WHITEOUT}=EPERM"))
    assert_ran(lab, result)
    told = receipts.read(receipt)
    assert told["guarantees"]["fs-secret"]["state"] == "waived"
    assert told["denied"] == [{"path": os.fspath(lab.outside / "k"), "way": "not held", "why": "--deny"}]
    shown = in_box(lab, *denied, "--waive", "fs-secret", command=["/bin/cat", lab.outside / "k"],
                   inner=degraded(f"{WHITEOUT}=EPERM"))
    assert SECRET not in shown.out, shown


def test_a_run_without_secrets_needs_no_whiteouts(lab):
    assert_ran(lab, in_box(lab, "--read", lab.outside, inner=degraded(f"{WHITEOUT}=EPERM")))


@pytest.mark.parametrize("mode", [None, "readonly", "discard"])
def test_a_whiteout_that_was_not_made_is_found(lab, mode):
    """A kernel that says yes and makes none: the file is there, and verify sees it."""
    folder = lab.ws if mode else lab.outside
    lab.file(folder / "k", SECRET)
    options = ["--mode", mode] if mode else ["--read", folder]
    result = in_box(lab, *options, "--deny", folder / "k", inner=degraded(f"{WHITEOUT}=done"))
    assert_refused(lab, result, r"fs-secret: /\S+/k gave success where ENOENT", "report this")


def test_an_overlay_that_is_not_there_is_found(lab):
    """What isn't there outside can't be tried: the overlay must be there."""
    result = in_box(lab, "--read", lab.outside, "--deny", lab.outside / "absent", inner=degraded("statfs=EPERM"))
    assert_refused(lab, result, r"fs-secret: /\S+/outside is not so", "report this")


def test_a_cover_that_was_not_laid_is_found(lab):
    """Below a writable root: the last mount is the cover's."""
    lab.file(lab.ws / "keys" / "k", SECRET)
    told, last = [], calls_before_command(lab, "move_mount", "--deny", lab.ws / "keys")
    for count in range(last + 3, 10, -1):   # a launch can make one more or less
        result = in_box(lab, "--deny", lab.ws / "keys", command=["true"], inner=degraded(f"move_mount#{count}=done"))
        told.append(result.err)
        if "fs-secret" in result.err:
            return assert_refused(lab, result, r"fs-secret: /\S+/keys is not so", "report this")
    raise AssertionError(f"no refusal names it: {told}")
