"""Files in the box: nothing left behind, temporary folders, links, renames, ancestors, grants on single files."""
import os
import shutil

import pytest

import harness
from workbench import PATH, PYTHON, end, eventually, keeps, node_keeps, python_keeps, repository, shell, started


def names(*folders):
    return [[p for p in os.listdir(f)] for f in folders]


def test_nothing_appears_in_workspace_or_home(lab):
    """Before, during and after a run, and after pinfold was killed: the same tree, and the same to git."""
    repository(lab, lab.ws)
    before = harness.tree(lab.ws), harness.tree(lab.home)
    look = lambda: (harness.tree(lab.ws), harness.tree(lab.home))
    for kill in (False, True):
        with started(lab, ["sleep", "30" if kill else "0.6"]) as process:
            assert not eventually(lambda: process.poll() is not None, 0.4)
            assert look() == before, "during the run"
            end(process) if kill else process.wait(20)
        assert eventually(lambda: look() == before, 1), f"after the run, killed: {kill}"
    inside = lab.run(["git", "status", "--porcelain", "--ignored"], env={"PATH": PATH})
    assert (inside.code, inside.out, inside.err) == (0, "", "")


@pytest.mark.parametrize("value", [None, "/tmp", "own", "own/"])
def test_temporary_folder_whatever_tmpdir_says(lab, value):
    if value and value.startswith("own"):
        own = lab.scratch.path / "tmp"
        own.mkdir()
        lab.own(own)
        value = os.fspath(own) + value[3:]
    env = {} if value is None else {"TMPDIR": value}
    script = 'd=$(mktemp -d) && echo hi >"$d/x" && cat "$d/x" && ls "$d" && rm -r "$d"'
    assert keeps(lab, ["sh", "-c", script], env=env, same=True).out == "hi\nx\n"
    python_keeps(lab, "import tempfile; f = tempfile.NamedTemporaryFile(); f.write(b'x'); f.flush(); "
                      "assert open(f.name).read() == 'x'", env=env)
    keeps(lab, ["sh", "-c", "f=/tmp/hard-wired.$$; echo x >$f && rm $f"], env=env)


def test_missing_tmpdir_does_not_matter(lab):
    result = shell(lab, "mktemp", env={"TMPDIR": os.fspath(lab.scratch.path / "no" / "such")})
    assert result.code == 0, result


def test_starts_where_well_known_names_are_symbolic_links(lab):
    """Shared hooks, a linked .env, linked dot files, dangling and circular links: none keeps it from starting."""
    repository(lab, lab.ws)
    rc = lab.file(lab.scratch.path / "dots" / "rc", "")
    lab.file(lab.ws / "secrets" / "env", "K=1\n")
    (lab.ws / "hooks-shared").mkdir()
    (lab.ws / ".claude").mkdir()
    shutil.rmtree(lab.ws / ".git" / "hooks", ignore_errors=True)
    links = {".git/hooks": "../hooks-shared", ".env": "secrets/env", ".claude/skills": "../skills",
             ".idea": "/nonexistent/x", ".vscode": "loop", "loop": ".vscode"}
    for name, target in links.items():
        (lab.ws / name).symlink_to(target)
    for name in (".bashrc", ".zshrc", ".profile", ".gitconfig", ".npmrc"):
        (lab.home / name).symlink_to(rc)
    assert keeps(lab, ["sh", "-c", "echo ok; git status >/dev/null"]).out == "ok\n"
    (lab.ws / ".git").rename(lab.scratch.path / "realgit")
    (lab.ws / ".git").symlink_to(lab.scratch.path / "realgit")
    keeps(lab, ["true"])


def test_rename_and_link_between_folders(lab):
    def prepare():
        for name in ("x", "y"):
            shutil.rmtree(lab.ws / name, ignore_errors=True)
            (lab.ws / name).mkdir()
            lab.own(lab.ws / name)
        shutil.rmtree(lab.outside)
        lab.outside.mkdir()
        lab.own(lab.outside)

    python_keeps(lab, """if True:
        import os
        open("x/f", "w").write("1"); os.rename("x/f", "y/f"); os.link("y/f", "x/g"); os.mkdir("x/d")
        os.rename("x/d", "y/d"); os.replace("x/g", "y/f2"); assert open("y/f2").read() == "1"
        """, prepare=prepare)
    python_keeps(lab, """if True:
        import os, shutil, sys
        open("x/a", "w").close()
        shutil.move("x/a", sys.argv[1]); shutil.move(sys.argv[1], "y/a"); shutil.move("y/a", sys.argv[1])
        """, "--write", lab.outside, args=[lab.outside / "a"], prepare=prepare)
    assert (lab.outside / "a").exists()


def test_ancestors_can_be_passed_and_opened(lab):
    """Programs that walk up to the root find a folder at each step."""
    deep = lab.ws / "a" / "b"
    deep.mkdir(parents=True)
    lab.own(deep, deep.parent)
    node_keeps(lab, "const fs = require('fs'), path = require('path');"
                    "fs.realpathSync('.'); fs.realpathSync.native('.');"
                    "for (let d = process.cwd(); d != '/'; d = path.dirname(d)) fs.statSync(d)", cwd=deep)
    python_keeps(lab, """if True:
        import os
        os.path.realpath("."); here = os.getcwd()
        while here != "/":
            here = os.path.dirname(here)
            os.close(os.open(here, os.O_RDONLY | os.O_DIRECTORY)); os.listdir(here)
        """, cwd=deep)
    keeps(lab, ["sh", "-c", 'cd "$PWD" && cd .. && pwd -P'], cwd=deep, same=True)
    node_keeps(lab, "require('fs').realpathSync.native(require('os').homedir())")


def test_own_identity_and_owner(lab):
    """The same ids and names as outside, and one's own files look one's own. ssh accepts its configuration."""
    lab.file(lab.ws / "mine")
    script = 'id -u; id -un; id -g; stat -c %u:%g mine; >new; stat -c %u:%g new; stat -c %u "$HOME"'
    keeps(lab, ["sh", "-c", script], same=True)
    keeps(lab, ["ssh", "-G", "example.invalid"])
    assert os.stat(lab.ws / "new").st_uid == lab.user.uid


def test_grant_on_one_file_writes_in_place(lab):
    target = lab.file(lab.outside / "c.json", "1\n")
    keeps(lab, ["sh", "-c", 'echo 2 >"$0"', target], "--write", target, prepare=lambda: target.write_text("1\n"))
    assert target.read_text() == "2\n"
    code = "import os, sys; p = sys.argv[1]; open(p + '.tmp', 'w').write('3'); os.replace(p + '.tmp', p)"
    result = lab.run([PYTHON, "-c", code, target], "--write", target)
    if result.code == 0:
        assert target.read_text() == "3", "replaced only inside"
    else:
        assert target.read_text() == "2\n" and os.listdir(lab.outside) == ["c.json"], result


def test_grants_inside_the_workspace_get_in_no_way(lab):
    """A folder that is granted although it is in the workspace can still be removed and renamed."""
    def prepare():
        for name in ("build", "node_modules"):
            shutil.rmtree(lab.ws / name, ignore_errors=True)
        lab.file(lab.ws / "build" / "o" / "f")
        lab.file(lab.ws / "node_modules" / "x" / "f")

    script = "rm -rf build && mkdir build && mv node_modules nm2 && mkdir node_modules && rm -rf nm2"
    keeps(lab, ["sh", "-c", script], "--write", lab.ws / "build", "--write", lab.ws / "node_modules", prepare=prepare)
    assert os.listdir(lab.ws / "build") == [] and not (lab.ws / "nm2").exists()


def test_home_that_is_absent_empty_or_odd(lab):
    empty, absent = lab.scratch.path / "empty", lab.scratch.path / "absent"
    empty.mkdir()
    lab.own(empty)
    for home in (empty, absent, "/", "/root", ""):
        result = lab.run(["true"], env={"PATH": PATH, "HOME": os.fspath(home)}, timeout=20)
        assert result.code == 0 and result.err == "", f"HOME={home}: {result}"
    line = ["env", "-u", "HOME", lab.pinfold, "run", "--workspace", lab.ws, "--", "true"]
    result = lab.plain(line, timeout=20)
    assert result.code == 0, f"HOME unset: {result}"
    assert os.listdir(empty) == [] and not absent.exists()


def test_devices_that_every_box_has(lab):
    """A grant of one adds nothing and is no mistake; one that the box can't have is named."""
    grants = [w for device in ("null", "tty", "ptmx", "urandom") for w in ("--write", f"/dev/{device}")]
    keeps(lab, ["sh", "-c", "echo x >/dev/null && : <>/dev/ptmx && head -c 9 /dev/urandom | wc -c"], *grants, same=True)
    keeps(lab, ["cat", "/sys/devices/system/cpu/online"], "--read", "/sys", same=True)
    for device in ("/dev/nvidia-absent0", "/dev/fuse" if os.path.exists("/dev/fuse") else "/dev/mem"):
        result = lab.run(["true"], "--write", device)
        assert result.code == 125 and device in result.err and "--create" not in result.err, result


def test_missing_path_that_the_user_named_is_an_error(lab):
    for option in ("--read", "--write", "--unix-socket"):
        result = lab.run(["true"], option, lab.outside / "absent")
        assert result.code == 125 and os.fspath(lab.outside / "absent") in result.err, f"{option}: {result}"
