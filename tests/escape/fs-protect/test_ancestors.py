"""Folders above a protected path, what must go on working beside them, and the host's own changes (entries 9, 241)."""
import subprocess
import time

import pytest

import harness
from places import clear
from repositories import folder
from workbench import box_argv


def scene(lab):
    def back():
        clear(lab.ws)
        lab.file(lab.ws / "a" / "b" / "c" / "keep", "kept\n")
        lab.file(lab.ws / "a" / "b" / "free")
        lab.file(lab.ws / "a" / "x" / "f")
        folder(lab, lab.ws / "other")
    return back


PROTECT = ("--protect", "a/b/c")


@pytest.mark.parametrize("words", [["rename", "a", "z"], ["rename", "a/b", "z"], ["rename", "a/b/c", "z"], ["exchange", "a", "other"],
                                   ["exchange", "other", "a/b"], ["rename", "a/b", "other/b"]], ids=lambda w: "-".join(w).replace("/", "."))
def test_e009_move_an_ancestor(lab, words):
    """No folder above it can be moved, from the top of the workspace down."""
    lab.legs(words, {"EBUSY"}, options=PROTECT, grant=[], prepare=scene(lab), witness=lambda: harness.tree(lab.ws))


@pytest.mark.parametrize("words, expect", [(["write", "a/b/c/keep"], "EROFS"), (["create", "a/b/c/new"], "EROFS"),
                                           (["unlink", "a/b/c/keep"], "EROFS")], ids=["write", "create", "unlink"])
def test_e009_change_what_is_protected(lab, words, expect):
    """Nor can it be changed itself; a single file as little as a folder."""
    lab.legs(words, {expect}, options=PROTECT, grant=[], prepare=scene(lab), witness=lambda: harness.tree(lab.ws))
    lab.legs(words, {"EROFS", "EBUSY"} if words[0] != "create" else {"ok"}, options=["--protect", "a/b/c/keep"], grant=[],
             prepare=scene(lab), witness=lambda: (lab.ws / "a/b/c/keep").read_text())


def test_e009_move_an_ancestor_by_the_other_view(lab):
    """What is mounted to hold the folders lies under /proc, and no path leads there: the workspace isn't found."""
    scene(lab)()
    script = ("for p in /proc/a /proc/../proc/a /proc/self/../a /proc/self/root/proc/a /proc/1/root/proc/a; do "
              "[ -e $p ] && echo found $p; done; cd /proc; cd ..; [ -e a ] && echo found; echo end")
    assert lab.run(["/bin/sh", "-c", script], *PROTECT).out == "end\n"


HONEST = """
import os, shutil
os.rename("a/x/f", "a/b/f"); os.rename("a/b/f", "other/f"); os.link("other/f", "a/b/g"); os.rename("a/b/free", "free")
os.mkdir("a/b/new"); os.rename("a/b/new", "a/new"); os.rename("a/new", "other/new"); os.rename("a/x", "a/b/x")
os.rename("other", "a/other"); os.replace("free", "a/b/g"); os.rename("a/b/x", "x")
devices = {os.stat(p).st_dev for p in (".", "a", "a/b", "a/b/c", "x")}
assert len(devices) == 1, devices
shutil.rmtree("x"); shutil.rmtree("a/other"); os.remove("a/b/g")
print("ok")
"""


def test_e009_honest_renames_beside_it(lab):
    """Files and folders move between pinned folders and others in one step, links too: no EXDEV, no EBUSY."""
    back = scene(lab)
    back()
    assert lab.plain(["/usr/bin/python3", "-c", HONEST]).out == "ok\n", "control leg"
    back()
    result = lab.run(["/usr/bin/python3", "-c", HONEST], *PROTECT)
    assert result.out == "ok\n", result
    assert (lab.ws / "a/b/c/keep").read_text() == "kept\n"


def test_e009_many_paths(lab):
    """Fifty protected paths, each with folders of its own above it."""
    options = []
    for i in range(50):
        lab.file(lab.ws / f"d{i}" / "e" / "f")
        options += ["--protect", f"d{i}/e/f"]
    before = harness.tree(lab.ws)
    script = "for i in $(seq 0 49); do mv d$i x 2>/dev/null; mv d$i/e x 2>/dev/null; echo 1 2>/dev/null >d$i/e/f; done; echo end"
    result = lab.run(["/bin/sh", "-c", script], *options)
    assert result.code == 0 and "end" in result.out, result
    after = [row[:4] + row[5:] for row in harness.tree(lab.ws)]
    assert after == [row[:4] + row[5:] for row in before]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_e241_the_host_replaces_it_during_the_run(lab, kind):
    """What the host puts there during the run is not held; that is told, on stderr and by the receipt. What it changes
    in place stays held."""
    path = lab.file(lab.ws / (".mcp.json" if kind == "file" else ".vscode/tasks.json"))
    top = path if kind == "file" else path.parent
    receipt = lab.scratch.path / "receipt.json"
    script = "until [ -e go ]; do sleep 0.05; done; echo box >" + str(path)
    for replace in (False, True):
        (lab.ws / "go").unlink(missing_ok=True)
        argv = box_argv(lab, ["/bin/sh", "-c", "touch begun; " + script], "--receipt", receipt, "--waive", "fs-settle")
        run = subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not (lab.ws / "begun").exists() and run.poll() is None:
            time.sleep(0.02)
        if replace and kind == "file":
            lab.file(lab.ws / "new", "new\n").rename(path)
        elif replace:
            path.unlink(), top.rmdir(), lab.file(path, "new\n")
        else:
            path.write_text("changed\n")
        lab.file(lab.ws / "go")
        err = run.communicate(timeout=60)[1]
        told = __import__("json").loads(receipt.read_text())["protected"]
        assert (f"{top} was replaced" in err) == replace and told["replaced"] == ([str(top)] if replace else []), (err, told)
        assert path.read_text() == ("box\n" if replace else "changed\n")
        (lab.ws / "begun").unlink()
