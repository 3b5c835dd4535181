"""Honest work meets neither EXDEV nor EBUSY: what is renamed, linked and removed is as it is without a box.

A program's status doesn't tell: npm, mv and editors copy where they can't rename. So strace watches these calls, without
a box and in it. The workspace is a repository with protected paths, and parts of it are granted once more.
"""
import os
import re
import subprocess
import time

import pytest

import harness
from repositories import fresh, git
from workbench import PATH, PYTHON, box_argv, eventually, raw, started

CALLS = "trace=rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir"
PACKAGE = '{"name": "dep", "version": "1.0.0", "bin": {"say": "./say.js"}}'


def broken(lab, script, *options, boxed=True, timeout=300):
    """The calls of a script that end with EXDEV or EBUSY: ["rename EBUSY"]. The script must succeed, but for those."""
    log = lab.ws / ".calls"
    argv = ["strace", "-f", "-qq", "-o", log, "-e", CALLS, "/bin/sh", "-ec", script]
    argv = box_argv(lab, argv, *options) if boxed else lab.user.argv(argv)
    done = raw(lab, [os.fspath(word) for word in argv], timeout=timeout)
    calls = log.read_text(errors="replace")
    log.unlink()
    found = re.findall(r"^\d+ +(\w+)\(.* = -1 (EXDEV|EBUSY)", calls, re.M)
    assert found or done.returncode == 0, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    return [" ".join(pair) for pair in found]


def scene(lab):
    """A repository with configuration of an editor, a submodule's worth of folders, and packages to install."""
    fresh(lab)()
    lab.file(lab.ws / ".vscode" / "tasks.json", "{}")
    lab.file(lab.ws / "node_modules" / ".keep")
    lab.file(lab.ws / "target" / ".keep")
    lab.file(lab.ws / "dep" / "package.json", PACKAGE)
    lab.file(lab.ws / "dep" / "say.js", "#!/usr/bin/env node\nconsole.log('said')\n", 0o755)
    lab.file(lab.ws / "package.json", '{"name": "top", "version": "1.0.0", "scripts": {"test": "say"}}')
    lab.file(lab.ws / "crate" / "Cargo.toml", '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n')
    lab.file(lab.ws / "crate" / "src" / "main.rs", 'fn main() { println!("{}", 42); }\n')


# Parts of the workspace that are granted a second time, or made for it, add nothing that gets in the way.
GRANTS = ("--write", "node_modules", "--write", "target", "--create", "--write", "out/new")
NPM = "npm install --silent --offline --no-audit --no-fund"
WORK = {
    "npm": f"(cd dep && npm pack --silent && mv dep-1.0.0.tgz ..) >/dev/null && {NPM} ./dep-1.0.0.tgz && npm test --silent && "
           f"{NPM} --force ./dep-1.0.0.tgz && rm -r node_modules && {NPM} ./dep && npm test --silent && npm rm --silent --offline dep",
    "cargo": "cd crate && export CARGO_TARGET_DIR=../target && cargo build --offline --quiet && touch -d '2 seconds' src/main.rs && "
             "cargo build --offline --quiet && ../target/debug/sample && cargo clean --offline --quiet && cargo build --offline --quiet",
    "mv": "mv src s2 && mv s2/deep . && mkdir -p a/b && mv deep a/b/ && mv a src && mv node_modules nm && mv nm node_modules && "
          "mv target t && mkdir target && mv t target/ && mv out o && mkdir out && mv o out/ && rm -r out target",
    "python": f"""{PYTHON} -c 'if True:
        import os, shutil, tempfile
        with tempfile.NamedTemporaryFile("w", dir="src", delete=False) as f: f.write("saved")
        os.replace(f.name, "a.txt"); os.link("a.txt", "src/deep/l"); os.rename("src/deep/l", "a.txt")
        os.makedirs("x/y"); os.rename("x/y", "src/y"); os.rename("src", "x/src"); os.rename("x/src", "src"); shutil.rmtree("x")'""",
    "vim": "for save in 'set backupcopy=no' 'set backupcopy=yes writebackup' 'set backup backupdir=.'; do "
           "vim -es -u NONE -c \"$save\" -c 'normal ox' -c 'w! | q' src/deep/b.txt; done; grep -q x src/deep/b.txt",
    "git": "git checkout -q moved && test -d source && git checkout -q main && test -d src && echo 1 >>a.txt && git stash -q && "
           "git stash pop -q && git commit -qam n && git mv src s2 && git reset -q --hard && git merge -q moved -m m && "
           "git worktree add -q wt && rm -rf wt && git gc -q && git clean -qfdx -e .calls -e .vscode",
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in ("npm", "cargo") else ()) for n in WORK])
def test_work_is_as_without_a_box(lab, name):
    if name in ("npm", "cargo") and lab.user.uid == 65534:
        return   # half a minute each; the two other users will do
    options = GRANTS if name != "git" else ("--git", "writable")
    for boxed in (False, True):
        scene(lab)
        (lab.ws / "out" / "new").mkdir(parents=True)
        lab.own(lab.ws / "out", lab.ws / "out" / "new")
        if name == "git":
            git(lab, "config", "user.name", "t")
            git(lab, "config", "user.email", "t@example.invalid")
            git(lab, "checkout", "-qb", "moved")
            git(lab, "mv", "src", "source")
            git(lab, "commit", "-qm", "moved")
            git(lab, "checkout", "-q", "main")
        assert broken(lab, WORK[name], *options, boxed=boxed) == [], f"boxed: {boxed}"


def test_only_above_what_is_protected(lab):
    """A folder that holds a protected path can't be moved or removed (EBUSY); plan and receipt name what holds it."""
    scene(lab)
    lab.file(lab.ws / "one" / "held" / "f")
    lab.file(lab.ws / "one" / "free" / "f")
    (lab.ws / "one" / "held" / "f").unlink()
    protect = ("--protect", "one/held")
    assert [call[-5:] for call in broken(lab, "mv one two", *protect)] == ["EBUSY"]
    assert broken(lab, "mv one/free two && mv two one/free && mv one/free/f f && mv f one/free", *protect) == []
    assert [call[-5:] for call in broken(lab, "rm -r one", *protect)] == ["EBUSY"]
    assert (lab.ws / "one" / "held").is_dir()
    _, told = lab.receipt(["true"], *protect)
    plan = lab.plain([lab.pinfold, "explain", "--workspace", lab.ws, *protect]).out
    assert f"{lab.ws}/one/held" in told["protected"]["paths"] and f"{lab.ws}/one/held  (--protect)" in plan
    assert broken(lab, "mv one two && rm -r two") == []


@pytest.mark.parametrize("editor", ["rename", "vim"])
def test_the_host_saves_while_a_box_runs(lab, editor):
    """An editor of the host replaces a file in the workspace and in a granted folder: the box has the new one, and its own
    next save replaces that."""
    files = [lab.file(lab.ws / "src" / "f", "old\n"), lab.file(lab.outside / "f", "old\n")]
    script = 'for f; do until grep -q new "$f"; do sleep 0.02; done; echo box >"$f.new" && mv "$f.new" "$f"; done'
    with started(lab, ["sh", "-ec", script, "sh", *files], "--write", lab.outside) as process:
        time.sleep(0.2)
        for file in files:
            line = [PYTHON, "-c", "import os, sys; p = sys.argv[1]; open(p + '#', 'w').write('new\\n'); os.replace(p + '#', p)", file]
            if editor == "vim":
                line = ["vim", "-es", "-u", "NONE", "-c", "set backupcopy=no", "-c", "%s/old/new/", "-c", "wq", file]
            assert lab.plain(line, env={"PATH": PATH}).code == 0
        assert eventually(lambda: process.poll() is not None, 20) and process.returncode == 0
    assert [f.read_text() for f in files] == ["box\n", "box\n"]
    assert sorted(os.listdir(lab.outside)) == ["f"]


def test_renames_between_two_roots_are_as_between_disks(lab):
    """Each granted folder is a mount: mv copies from one to the next, and within each it renames."""
    lab.file(lab.ws / "d" / "f", "text\n")
    script = f"mv d {lab.outside}/d && mv {lab.outside}/d {lab.outside}/e && mv {lab.outside}/e ."
    assert broken(lab, script, boxed=False) == []
    lab.plain(["mv", "e", "d"])
    assert {call[-5:] for call in broken(lab, script, "--write", lab.outside)} == {"EXDEV"}
    assert (lab.ws / "e" / "f").read_text() == "text\n"


def test_nothing_is_left_of_a_host_that_saves(lab):
    """What stands in the workspace afterwards is what was written there, and nothing else."""
    scene(lab)
    before = {row[0] for row in harness.tree(lab.ws)}
    subprocess.run(box_argv(lab, ["true"]), check=True, cwd=lab.ws, env=lab.environment())
    assert {row[0] for row in harness.tree(lab.ws)} == before
