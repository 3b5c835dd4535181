"""Hosts on which a workspace can't lie under an overlay: --mode discard is refused, never a plain folder instead."""
import pytest

from harness import tree
from hosts import assert_refused, degraded, in_box
from rounds import recorded

DISCARD = ["--mode", "discard"]
CAUSE, REMEDY = "overlay over the workspace", "6.6.*--mode direct or --mode readonly"
NO_NEW_CALLS = "fsopen=ENOSYS,fsconfig=ENOSYS,fsmount=ENOSYS,open_tree=ENOSYS,move_mount=ENOSYS,mount_setattr=ENOSYS," \
               "open_tree_attr=ENOSYS"
SCRIPT = ["sh", "-c", "echo ran; echo x >f; echo y >new; cat f"]


def refused_unchanged(lab, rules, cause=CAUSE, remedy=REMEDY, options=()):
    lab.file(lab.ws / "f", "host\n")
    before = tree(lab.ws)
    assert_refused(lab, in_box(lab, *DISCARD, *options, inner=degraded(rules), command=SCRIPT), cause, remedy)
    assert tree(lab.ws) == before


@pytest.mark.parametrize("rules, error", [
    ("fsconfig@1:0=EINVAL", "EINVAL"),       # no userxattr: before 5.11
    ("fsetxattr=EOPNOTSUPP", "EOPNOTSUPP"),  # no attributes user.* on tmpfs: before 6.6
    ("fsetxattr=EPERM", "EPERM"), ("fremovexattr=EPERM", "EPERM"), ("fchmod=EPERM", "EPERM"), ("utimensat=EPERM", "EPERM"),
    ("unlinkat=EPERM", "EPERM"),
])
def test_what_an_overlay_needs_is_missing(lab, rules, error):
    refused_unchanged(lab, rules, f"{CAUSE}.*{lab.ws}: {error}")


def test_no_waiver_helps(lab):
    waived = [w for name in ("fs-write", "fs-metadata", "privilege") for w in ("--waive", name)]
    refused_unchanged(lab, "fsetxattr=EOPNOTSUPP", options=waived)


@pytest.mark.parametrize("error", ["EPERM", "ENODEV", "EINVAL"])
def test_the_overlay_itself_is_missing(lab, error):
    """The last file systems of a launch are what lies under the overlay, the overlay, and /proc: fsopen fails with
    each errno."""
    record = lab.scratch.path / "record"
    in_box(lab, *DISCARD, inner=degraded(f"record:{record}"), command=SCRIPT)
    last = recorded(record)[0].count("init/fsopen") - 1
    refused_unchanged(lab, f"fsopen#{last}={error}", f"{CAUSE}.*{error}")
    refused_unchanged(lab, f"fsopen#{last - 1}={error}", f"{CAUSE}.*{error}")


def test_the_overlay_by_the_old_calls(lab):
    """Where the new mount calls are missing it is made by mount(2), each of whose calls can fail. A root
    caller has no mapped owners then: that refuses, and with privilege given up the overlay maps root alone."""
    options = [*DISCARD, "--toolchains", "none", *(["--waive", "privilege"] if lab.user.uid == 0 else [])]
    run = lambda more: in_box(lab, *options, inner=degraded(NO_NEW_CALLS + more), command=SCRIPT)
    if lab.user.uid == 0:
        refused_unchanged(lab, NO_NEW_CALLS, "map the owners", "ordinary user")
    lab.file(lab.ws / "f", "host\n")
    before = tree(lab.ws)
    result = run("")
    assert (result.code, result.out) == (0, "ran\nx\n") and tree(lab.ws) == before, result
    causes = {}
    for number in range(3, 200):   # after / and the root, which can be made in three places
        result = run(f",mount#{number}=EPERM")
        if result.code == 0:
            break
        assert_refused(lab, result)
        causes[number] = CAUSE in result.err
    assert number > 10 and sum(causes.values()) >= 3, causes   # tmpfs, bind and its flags, overlay
    assert tree(lab.ws) == before


def test_the_proof_cannot_be_made(lab):
    """What keeps verify from seeing that the workspace is an overlay refuses the run."""
    refused_unchanged(lab, "statfs=EACCES", "fs-write: the workspace is an overlay is not so.*EACCES", "report")


@pytest.mark.parametrize("layers", ["overlay", "overlay,mounts-readonly", "overlay,mounts-readonly,landlock"])
def test_the_proof_finds_a_plain_folder(lab, layers):
    """A pinfold that binds the folder itself, read-only or writable, is stopped by its own proof."""
    lab.file(lab.ws / "f", "host\n")
    before = tree(lab.ws)
    result = in_box(lab, *DISCARD, binary=lab.layers_off, command=SCRIPT, env={"PINFOLD_WITHOUT": layers})
    assert_refused(lab, result, "the workspace is an overlay is not so", "report")
    assert tree(lab.ws) == before
    assert in_box(lab, *DISCARD, command=SCRIPT, env={"PINFOLD_WITHOUT": layers}).out == "ran\nx\n"   # pinfold itself


@pytest.mark.parametrize("rules", ["mkdir=EACCES", "chmod=EACCES", "mkdir=EEXIST"])
def test_the_proof_of_a_readonly_workspace(lab, rules):
    result = in_box(lab, "--mode", "readonly", inner=degraded(rules), command=["sh", "-c", "echo ran"])
    assert_refused(lab, result, "fs-write|fs-metadata", "report")
