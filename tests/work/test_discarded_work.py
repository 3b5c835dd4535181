"""Real programs in a workspace whose changes are gone at the end (--mode discard): each does what it does without a
box, in the folders that it finds and in those that it makes, and the host's folder is as it was before."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import harness
from workbench import PATH, PYTHON, end, installed, keeps, pinfold_line, raw, repository, run_with_mounts, started

DISCARD = ["--mode", "discard"]


def discards(lab, script, prepare, *options, same=True, **more):
    """The script does the same in the box as without, and leaves the host's folder as it was."""
    before = []

    def scene():
        for entry in lab.ws.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        prepare()
        before[:] = [harness.tree(lab.ws)]

    result = keeps(lab, ["/bin/sh", "-ec", script], *DISCARD, *options, prepare=scene, same=same, timeout=200, **more)
    assert harness.tree(lab.ws) == before[0], "the host's folder changed"
    return result


def built(lab, argv):
    done = lab.plain(["/bin/sh", "-ec", argv], env={"PATH": PATH}, timeout=200)
    assert done.code == 0, f"scene: {done}"


def test_files_and_folders(lab):
    """What programs do to files that were there before: every kind of change, by the shell's own tools."""
    def prepare():
        for name in ("f", "old", "dir/a", "dir/sub/b", "gone/x", "gone/y/z"):
            lab.file(lab.ws / name, name + "\n")
        (lab.ws / "link").symlink_to("f")
        lab.own(lab.ws / "link")
        os.link(lab.ws / "f", lab.ws / "hard")

    result = discards(lab, """
        echo more >>f; cat f link; : >old; chmod 600 dir/a; stat -c '%a %s' dir/a old; touch -d 2001-02-03 dir/a
        stat -c %Y dir/a; rm -r gone; mkdir gone; ls -A gone; echo n >gone/n; mv gone/n dir/sub/n; mv dir/sub/b b; cat b
        mv dir moved; find . | sort; ln b h2; stat -c %h h2; ln -sf old link; readlink link; sed -i s/b/B/ b; cat b
        mkfifo p; { echo through >p & } ; cat p; mkdir new; mv new newer; rmdir newer; rm -r moved; ls; cp -a f copy
        echo over >copy.tmp; mv copy.tmp f; cat f; dd if=/dev/zero of=big bs=1M count=8 status=none; stat -c %s big
        truncate -s 3 big; stat -c %s big; (flock -n 9 && echo locked) 9<f; tar cf t.tar f b; tar tf t.tar""", prepare)
    assert result.out.endswith("locked\nf\nb\n"), result


def test_python_files(lab):
    """The same by calls that the shell doesn't make: maps, locks, attributes, nameless files, copies in the kernel."""
    script = lab.file(lab.scratch.path / "files.py", """if True:
        import fcntl, mmap, os, tempfile
        with open("f", "r+b") as f:
            m = mmap.mmap(f.fileno(), 0); m[0:1] = b"F"; m.flush(); fcntl.lockf(f, fcntl.LOCK_EX); print(f.read())
        os.setxattr("f", "user.a", b"v"); print(os.listxattr("f"), os.getxattr("f", "user.a"))
        os.mkdir("made"); os.rename("made", "named"); os.replace("named", "empty"); print(sorted(os.listdir(".")))
        with tempfile.TemporaryFile(dir=".") as t: t.write(b"x"); print(t.tell())
        with open("f", "rb") as a, open("copy", "wb") as b: os.sendfile(b.fileno(), a.fileno(), 0, 100)
        with open("f", "rb") as a, open("copy2", "wb") as b: print(os.copy_file_range(a.fileno(), b.fileno(), 100))
        s = os.stat("f"); os.utime("f", ns=(1, 2)); print(os.stat("f").st_mtime_ns, os.stat("f").st_ino == s.st_ino)
        d = os.open(".", os.O_RDONLY); os.fsync(d); os.posix_fallocate(os.open("f", os.O_RDWR), 0, 4096)
        print(os.stat("f").st_size); os.chdir("dir"); os.unlink("g"); print(os.listdir(".")); print(os.getcwd())
    """)

    def prepare():
        lab.file(lab.ws / "f", "file\n")
        lab.file(lab.ws / "dir" / "g", "g\n")
        (lab.ws / "empty").mkdir()
        lab.own(lab.ws / "empty")

    discards(lab, f"{PYTHON} {script}", prepare, "--read", script)


def test_make(lab):
    """A build in parallel, from nothing and over what an earlier build left."""
    def prepare():
        lab.file(lab.ws / "Makefile", "prog: a.o b.o\n\t$(CC) -o $@ $^\n%.o: %.c h.h\n\t$(CC) -c -o $@ $<\n"
                 "clean:\n\trm -f *.o prog\n.PHONY: clean\n")
        lab.file(lab.ws / "h.h", "int b(void);\n")
        lab.file(lab.ws / "a.c", '#include "h.h"\n#include <stdio.h>\nint main(void) { printf("%d\\n", b()); }\n')
        lab.file(lab.ws / "b.c", '#include "h.h"\nint b(void) { return 42; }\n')

    script = "make -s -j2 && ./prog && sed -i s/42/43/ b.c && touch -d '2 seconds' b.c && make -s -j2 2>/dev/null && " \
             "./prog && make -s clean && ls"
    assert discards(lab, script, prepare).out.startswith("42\n43\n")
    assert discards(lab, script, lambda: (prepare(), built(lab, "make -s"))).out.startswith("42\n43\n")


def test_git(lab):
    """A repository that was there: commit, branch, stash, merge, gc, worktree, clone."""
    script = """
        git status --short; echo two >>a.txt; git stash -q; git stash pop -q; git commit -qam c2; git checkout -q -b side
        echo s >s.txt; git add s.txt; git commit -qm side; git checkout -q main; echo m >m.txt; git add .
        git commit -qm m; git merge -q --no-edit side; git gc -q; git fsck --strict --no-dangling; git worktree add -q wt side
        git -C wt status --short; git log --format=%s --topo-order; git clone -q . copy; git -C copy status --short
        mkdir d; echo d >d/f; git add d; git mv d e; git commit -qm mv; git checkout -q HEAD~1; ls; git clean -qdfx"""
    result = discards(lab, script, lambda: repository(lab, lab.ws))
    assert "Merge branch 'side'\n" in result.out, result


def test_git_moves_of_a_folder_that_was_there(lab):
    """A folder that the host had can't be renamed, as between disks, EXDEV: mv copies, git mv says so, and git's own
    work on such folders goes by files."""
    def prepare():
        repository(lab, lab.ws)
        lab.file(lab.ws / "d" / "sub" / "f", "f\n")
        built(lab, "git add . && git commit -qm d && git branch before HEAD~1")

    script = "mv d e && git add -A && git commit -qm moved && git checkout -q before && ls && git checkout -q main && ls -R e"
    discards(lab, script, prepare)
    before = harness.tree(lab.ws)
    result = lab.run(["/bin/sh", "-c", "git mv e d2 2>&1; git mv d e2 2>&1; ls"], *DISCARD, env={"PATH": PATH})
    assert "ross-device" in result.out, result
    code = "import os\ntry: os.rename('d', 'x')\nexcept OSError as e: print(e.errno)"
    assert lab.run([PYTHON, "-c", code], *DISCARD).out == "18\n"
    assert harness.tree(lab.ws) == before


def test_git_work_tree_around_it(lab):
    """A workspace in a repository, and one whose .git is a file: git finds what is around it."""
    top = repository(lab, lab.outside / "top")
    built(lab, f"cd {top} && git worktree add -q {lab.outside}/tree")
    inner = lab.file(top / "inner" / "f", "f\n").parent
    before = harness.tree(lab.outside)
    for folder, options in ((inner, []), (lab.outside / "tree", ["--read", top])):
        line = [lab.pinfold, "run", *DISCARD, *options, "--", "git", "log", "--format=%s"]
        result = lab.plain(line, cwd=folder, env={"PATH": PATH})
        assert (result.code, result.out) == (0, "c1\n"), result
    assert harness.tree(lab.outside) == before


@pytest.mark.slow
def test_npm(lab):
    """npm install from folders, first and again over what is there, and its scripts."""
    def prepare():
        lab.file(lab.ws / "dep" / "package.json", '{"name": "dep", "version": "1.0.0", "bin": {"say": "./say.js"}}')
        lab.file(lab.ws / "dep" / "say.js", "#!/usr/bin/env node\nconsole.log('said')\n", 0o755)
        lab.file(lab.ws / "package.json", '{"name": "top", "version": "1.0.0", "dependencies": {"dep": "1.0.0"}, '
                 '"scripts": {"test": "say"}}')
        built(lab, "cd dep && npm pack --silent >/dev/null && mv dep-1.0.0.tgz ..")

    install = "npm install --silent --offline --no-audit --no-fund --prefer-offline ./dep-1.0.0.tgz"
    script = f"{install} && npm test --silent && rm -r node_modules && {install} && npm test --silent"
    assert discards(lab, script, prepare).out == "said\nsaid\n"
    again = f"npm test --silent && {install} --force && npm test --silent && npm rm --silent --offline dep && ls"
    assert discards(lab, again, lambda: (prepare(), built(lab, install))).out.startswith("said\nsaid\n")


def test_pytest_and_its_caches(lab):
    def prepare():
        lab.file(lab.ws / "m.py", "def twice(x): return 2 * x\n")
        lab.file(lab.ws / "test_m.py", "import m\ndef test_twice(tmp_path): assert m.twice(2) == 4\n")

    script = f"for i in 1 2; do {PYTHON} -m pytest -q -p no:xdist >log && tail -1 log | cut -c1-8; done; ls -A; ls __pycache__"
    assert ".pytest_cache" in discards(lab, script, lambda: (prepare(), built(lab, script))).out


@pytest.mark.slow
def test_cargo(lab):
    """A build from nothing, then one over an earlier build's folder, incremental, whose folders cargo renames."""
    def prepare():
        lab.file(lab.ws / "Cargo.toml", '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n')
        lab.file(lab.ws / "src" / "main.rs", 'fn main() { println!("{}", 42); }\n')

    build = "cargo build --offline --quiet && ./target/debug/sample"
    again = f"{build} && sed -i s/42/43/ src/main.rs && touch -d '2 seconds' src/main.rs && {build} && " \
            "cargo clean --offline --quiet && ls"
    assert discards(lab, again, prepare).out.startswith("42\n43\n")
    assert discards(lab, again, lambda: (prepare(), built(lab, build))).out.startswith("42\n43\n")


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_sqlite(lab, journal):
    code = f"""if True:
        import sqlite3
        a, b = sqlite3.connect("db", isolation_level=None), sqlite3.connect("db", isolation_level=None)
        print(a.execute("pragma journal_mode={journal}").fetchone(), b.execute("select count(*) from t").fetchone())
        a.execute("begin immediate"); a.executemany("insert into t values (?)", [(i,) for i in range(1000)])
        b.execute("pragma busy_timeout=10")
        try: b.execute("insert into t values (1)")
        except sqlite3.OperationalError as e: print(e)
        a.execute("commit"); print(b.execute("select count(*) from t").fetchone()); a.execute("vacuum")
        print(b.execute("pragma integrity_check").fetchone())"""
    make = f"{PYTHON} -c \"import sqlite3; c = sqlite3.connect('db'); c.execute('create table t(x)'); c.commit()\""
    script = lab.file(lab.scratch.path / "db.py", code)
    discards(lab, f"{PYTHON} {script}", lambda: built(lab, make), "--read", script)


def test_pinfold_in_its_own_checkout(lab):
    """The folder that pinfold lies in can be a workspace that the command can't change on the host."""
    own = installed(lab)
    lab.own(own.parent, own)
    for mode, status in (("discard", 0), ("readonly", 1), ("direct", 125)):
        line = [own, "run", "--mode", mode, "--", "/bin/sh", "-c", "echo x 2>/dev/null >pinfold || exit 1; cat pinfold"]
        result = lab.plain(line, cwd=own.parent, env={"PATH": PATH, "HOME": "/nonexistent"})
        assert result.code == status and own.stat().st_size > 1000, result
        assert result.out == ("x\n" if mode == "discard" else ""), result


def test_workspace_on_other_file_systems(lab):
    """A workspace on a tmpfs and on an overlay; one that has a mount below it is refused, since that would be hidden."""
    places = lab.scratch.path / "places"
    for name in ("tmp", "low", "up", "over", "full"):
        folder = places / name
        folder.mkdir(parents=True)
        lab.own(folder)
    mounts = f"""cd '{places}'; mount -t tmpfs t tmp; mount -t tmpfs t up; mkdir up/u up/w; echo host >tmp/f; echo host >low/f
        mount -t overlay -o lowerdir=low,upperdir=up/u,workdir=up/w,userxattr o over; mkdir -p full/sub; mount -t tmpfs t full/sub
        chown -R {lab.user.uid}:{lab.user.uid} tmp low over; cd '{lab.ws}'"""
    script = "cat f; echo box >f; cat f; echo n >n; mkdir d; mv d e; rm f; ls"
    for name in ("tmp", "over"):
        if name == "over" and lab.user.uid == 0:
            continue   # owners can't be mapped there: refused for a root caller, as in mode direct
        line = pinfold_line(lab, "run", "--workspace", places / name, *DISCARD, "--", "sh", "-c", script)
        code, out, err = run_with_mounts(lab, mounts, ["sh", "-c", 'cd "$0" && "$@" && cat f', places / name, *line])
        assert (code, out) == (0, "host\nbox\ne\nn\nhost\n"), (name, code, out, err)
    line = pinfold_line(lab, "run", "--workspace", places / "full", *DISCARD, "--", "echo", "ran")
    code, out, err = run_with_mounts(lab, mounts, ["sh", "-c", 'cd "$0" && exec "$@"', places / "full", *line])
    assert code == 126 and out == "" and "mounted below" in err and "--mode readonly" in err, (code, out, err)


def test_workspace_of_another_group(lab):
    """A user's box can't copy files of a group that isn't in its map: refused, with what to type."""
    if lab.user.uid in (0, 65534) or os.geteuid():
        return   # root's box maps all ids; to the overflow id, others' files look like its own
    os.chown(lab.ws, lab.user.uid, 4242)
    result = lab.run(["/bin/echo", "ran"], *DISCARD)
    assert result.code == 126 and not result.out and "EOVERFLOW" in result.err and "sg GROUP" in result.err, result
    assert lab.run(["/bin/echo", "ran"], "--mode", "readonly").out == "ran\n"


def test_a_box_that_is_killed_leaves_nothing(lab):
    """pinfold killed while the command writes: the host's folder is as it was, and no mount or memory of it is left."""
    lab.file(lab.ws / "f", "host\n")
    before, mounts = harness.tree(lab.ws), os.listdir(lab.scratch.path)
    script = "echo x >f; mkdir d; echo began; while :; do echo y >>d/g; done"
    with started(lab, ["/bin/sh", "-c", script], *DISCARD, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"began\n"
        end(process)
    assert harness.tree(lab.ws) == before and os.listdir(lab.scratch.path) == mounts
    assert os.fspath(lab.scratch.path) not in Path("/proc/self/mountinfo").read_text()


def test_two_boxes_in_one_workspace(lab):
    """What one writes, the other doesn't see; what the host writes may be seen by both."""
    lab.file(lab.ws / "f", "host\n")
    before = harness.tree(lab.ws)
    line = lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, *DISCARD, "--", "sh", "-c", "echo $$ >f; echo x >n; cat f"])
    first, second = raw(lab, line), raw(lab, line)
    assert first.stdout == second.stdout == b"2\n" and harness.tree(lab.ws) == before
