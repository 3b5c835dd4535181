"""What a granted path means, as pinfold-policy(5) defines it: folders, single files, symlinks, what is mounted below."""
import os
import time

import pytest

from workbench import PATH, PYTHON, eventually, pinfold_line, run_mounted, shell, started

REPLACE = "import os, sys; p = sys.argv[1]; open(p + '.new', 'w').write('new\\n'); os.replace(p + '.new', p)"


def save(lab, path, *options):
    """A save by rename, as most editors do it."""
    return lab.run([PYTHON, "-c", REPLACE, path], *options)


def test_a_file_is_written_in_place(lab):
    file = lab.file(lab.outside / "c.json", "old\n")
    assert lab.plain([PYTHON, "-c", REPLACE, file]).code == 0 and file.read_text() == "new\n"   # control leg
    file = lab.file(file, "old\n")
    assert shell(lab, f"echo more >>{file}", "--write", file).code == 0 and file.read_text() == "old\nmore\n"
    assert shell(lab, f"echo more >>{file}", "--read", file).code != 0
    result = save(lab, file, "--write", file)
    assert result.code == 1 and "[Errno 16]" in result.err and file.read_text() == "old\nmore\n", result
    assert os.listdir(lab.outside) == ["c.json"]
    plan = lab.plain([lab.pinfold, "explain", "--workspace", lab.ws, "--write", file])
    assert f"{file}  (--write; a file: written in place, and not replaced by rename)" in plan.out, plan
    result = save(lab, file, "--read", lab.outside, "--write", file)   # no new file can be made beside it
    assert result.code == 1 and "[Errno 30]" in result.err and file.read_text() == "old\nmore\n", result
    assert save(lab, file, "--write", lab.outside).code == 0 and file.read_text() == "new\n"


def test_a_file_of_the_workspace_granted_again(lab):
    """It adds nothing, so that it can be replaced."""
    file = lab.file(lab.ws / "f", "old\n")
    assert save(lab, file, "--write", file).code == 0 and file.read_text() == "new\n"
    kept = save(lab, file, "--mode", "readonly")
    assert kept.code == 1 and "[Errno 30]" in kept.err, kept
    assert shell(lab, "echo in place >f", "--mode", "readonly", "--write", file).code == 0
    assert file.read_text() == "in place\n"


@pytest.mark.parametrize("below", [False, True], ids=["alone", "below-a-folder"])
def test_the_host_replaces_a_granted_file(lab, below):
    """The command keeps the one that was granted; below a readable folder it may see the new one. It never changes that."""
    file = lab.file(lab.outside / "f", "old\n")
    options = ["--write", file, *(["--read", lab.outside] if below else [])]
    script = 'until [ -e go ]; do sleep 0.02; done; cat "$0"; echo box >>"$0"; cat "$0"'
    with open(lab.scratch.path / "out", "w+", encoding="utf-8") as out:
        with started(lab, ["sh", "-c", script, file], *options, stdout=out) as process:
            time.sleep(0.3)
            assert lab.plain([PYTHON, "-c", REPLACE, file]).code == 0
            lab.file(lab.ws / "go")
            assert eventually(lambda: process.poll() is not None, 20)
        out.seek(0)
        told = out.read()
    assert file.read_text() == "new\n"
    assert told == "old\nold\nbox\n" or (below and told == "new\nnew\n"), told


def test_a_folder_inside_a_granted_one(lab):
    """One that allows more is a mount, which stays where it is; one that adds nothing is like all others."""
    inner = lab.file(lab.outside / "a" / "inner" / "f").parent
    move = f"cd {lab.outside} && : >a/inner/new && mv a/inner a/moved && mv a/moved a/inner"
    assert lab.plain(["sh", "-ec", move]).code == 0   # control leg
    assert shell(lab, move, "--write", lab.outside, "--write", inner).code == 0
    assert shell(lab, move, "--write", lab.outside, "--read", inner).code == 0
    result = shell(lab, f"cd {lab.outside} && : >a/inner/new && ! touch a/new && ! mv a/inner a/moved", "--read", lab.outside,
                   "--write", inner)
    assert result.code == 0 and (inner / "new").exists() and not (lab.outside / "a" / "new").exists(), result
    result = shell(lab, f"rm {inner}/*; rmdir {inner}", "--mode", "readonly", "--write", inner, "--read", lab.outside)
    assert ("busy" in result.err or "Read-only" in result.err) and os.listdir(inner) == [], result


def test_links_in_and_on_the_way(lab):
    """A path through a link is refused with the one to type; a link that is granted leads as far as its target is."""
    lab.file(lab.outside / "real" / "f", "text\n")
    hidden = lab.file(lab.scratch.path / "hidden" / "f", "hidden\n")
    for name, target in (("link", "real"), ("away", hidden.parent), ("file", "real/f")):
        (lab.outside / name).symlink_to(target)
        lab.own(lab.outside / name)
    for path, real in (("link", "real"), ("link/f", "real/f"), ("file", "real/f")):
        for option in ("--read", "--write"):
            result = lab.run(["true"], option, lab.outside / path)
            assert result.code == 125 and "leads through the symlink" in result.err, result
            assert result.err.endswith(f": {option} {lab.outside / real}\n"), result
            assert lab.run(["cat", lab.outside / real], option, lab.outside / real).code == (0 if real.endswith("f") else 1)
    control = lab.plain(["cat", lab.outside / "away" / "f", lab.outside / "link" / "f"])
    assert control.out == "hidden\ntext\n"
    result = lab.run(["cat", lab.outside / "away" / "f", lab.outside / "link" / "f"], "--read", lab.outside)
    assert result.code == 1 and result.out == "text\n" and "No such file" in result.err, result
    result = lab.run(["cat", lab.outside / "away" / "f"], "--read", lab.outside, "--read", hidden.parent)
    assert (result.code, result.out) == (0, "hidden\n"), result


def test_mounts_of_the_host_during_the_run(lab):
    """What is mounted below a granted folder while the command runs isn't seen, and what is unmounted stays."""
    for name in ("before", "later"):
        (lab.outside / name).mkdir()
        lab.own(lab.outside / name)
    mounts = f"mount -t tmpfs t {lab.outside}/before; echo shown >{lab.outside}/before/f"
    script = f": >{lab.ws}/ready; until [ -e {lab.ws}/go ]; do sleep 0.02; done; cat {lab.outside}/*/f"
    line = pinfold_line(lab, "run", "--workspace", lab.ws, "--read", lab.outside, "--", "sh", "-c", script)
    if lab.user.uid:   # it may not mount there itself: what it sees is what the box sees
        code, out, err = run_mounted(lab, mounts + f"\ntouch {lab.ws}/go", line)
        assert (code, out) == (0, "shown\n"), (code, out, err)
        return
    host = f'"$@" & until [ -e {lab.ws}/ready ]; do sleep 0.02; done; umount -l {lab.outside}/before; ' \
           f'mount -t tmpfs t {lab.outside}/later; echo later >{lab.outside}/later/f; cat {lab.outside}/*/f; touch {lab.ws}/go; wait'
    code, out, err = run_mounted(lab, mounts, ["bash", "-c", host, "bash", *line])
    assert (code, out) == (0, "later\nshown\n"), (code, out, err)


def test_a_mount_point_and_what_is_below_one(lab):
    disk = lab.outside / "disk"
    disk.mkdir()
    lab.own(disk)
    mounts = f"mount -t tmpfs t {disk}; mkdir {disk}/in; echo on >{disk}/in/f; chown -R {lab.user.uid} {disk}"
    for grant in (disk, disk / "in"):
        line = pinfold_line(lab, "run", "--workspace", lab.ws, "--write", grant, "--", "sh", "-ec",
                            f"cat {disk}/in/f; cd {disk}/in; echo x >n; mv n f; cat f")
        code, out, err = run_mounted(lab, mounts, line, env={"PATH": PATH})
        assert (code, out) == (0, "on\nx\n"), (grant, code, out, err)
