"""Configuration and odd things that a box leaves (entries 52, 53, 80 to 82, 87, 90, 91, 94 to 97, 99, 100, 241)."""
import os
import re
import stat
import subprocess
import time

import pytest

import harness
from repositories import canary, git, make
from settling import ENV, calls, git_in, settling, vim  # noqa: F401 (a fixture)

TABLE = (harness.ROOT / "src/plan/protected.c").read_text().partition("protected_names[]")[2].partition("NULL")[0]
NAMES = [n for n in re.findall(r'"([^"]+)"', re.sub(r"/\*.*?\*/", "", TABLE)) if n != ".pinfold.json"]


def test_e052_e087_e090_e091_every_name_of_the_table(lab, settling):
    """Each that wasn't there is put aside, as a file, a folder or a link: 52, 87, 90, 91."""
    makes = """
import os, sys
for i, name in enumerate(sys.argv[2:]):
    os.makedirs(os.path.dirname(name) or '.', exist_ok=True)
    how = (i + int(sys.argv[1])) % 3
    open(name, 'w').close() if how == 0 else os.mkdir(name) if how == 1 else os.symlink('../outside', name)
"""
    for how in "012":
        receipt = settling.run(["/usr/bin/python3", "-c", makes, how, "keep", *NAMES, "x.code-workspace"])
        settled = set(settling.aside(receipt))
        assert settled == {*NAMES, "x.code-workspace"}, settled ^ set(NAMES)
        subprocess.run(["rm", "-rf", lab.ws / "keep", *(lab.ws / name.split("/")[0] for name in NAMES)], check=True)


def test_e090_an_editors_settings(lab, settling):
    """vim reads .exrc where `exrc` is set."""
    settling.settles("echo \"call system('$PWD/evil')\" >.exrc", {".exrc": "evil"}, vim(), reported=[])


def test_e052_behind_a_link(lab, settling):
    """The folder of such a file is a link, or was made before and is moved there."""
    settling.run("mkdir store; echo '[hooks]' >store/hgrc")
    assert set(settling.aside(settling.run("ln -s store .hg"))) == {".hg"}
    assert set(settling.aside(settling.run("mv store .hg"))) == {".hg/hgrc"}
    settling.run("mkdir v; echo x >v/tasks.json")
    assert set(settling.aside(settling.run("mv v .vscode"))) == {".vscode"}


def test_e052_what_is_granted_stays(lab, settling):
    """A name that the operator let the command change is its own."""
    (lab.ws / ".vscode").mkdir()
    lab.own(lab.ws / ".vscode")
    assert not settling.found(settling.run("echo x >.vscode/tasks.json", "--write", lab.ws / ".vscode"))


def test_e053_a_denied_name_in_a_writable_root(lab, settling):
    """That is not there when the run begins, and is a file in a folder that the command may change: it is refused then,
    or absent while it is made."""
    result = lab.run(["/bin/sh", "-c", "echo mine >token"], "--deny", lab.ws / "token")
    assert result.code == 125 or not (lab.ws / "token").exists(), result


TARGETS = {
    "e080-hookspath": ("core.hooksPath", "hooks", "mkdir hooks; cp evil hooks/pre-commit", {"hooks": None}),
    "e080-husky": ("core.hooksPath", ".husky", "mkdir .husky; cp evil .husky/pre-commit", {".husky": None}),
    "e081-include": ("include.path", "../shared", "printf '[core]\\nfsmonitor = %s/evil\\n' $PWD >shared", {"shared": "fsmonitor"}),
    "e081-filter": ("filter.f.clean", "tools/clean %f", "mkdir tools; cp evil tools/clean; echo '* filter=f' >.gitattributes; touch a.txt",
                    {"tools/clean": "canary"}),
    "e080-of-the-user": (None, ".myhooks", "mkdir .myhooks; cp evil .myhooks/pre-commit", {".myhooks": None}),
    "e081-included-hooks": ("include.path", "../.gitshared", "mkdir h; cp evil h/pre-commit", {"h": None})}


@pytest.mark.parametrize("name", ["e080-hookspath", "e081-included-hooks", *(
    pytest.param(name, marks=pytest.mark.slow) for name in ("e080-husky", "e080-of-the-user", "e081-include", "e081-filter"))])
def test_e080_e081_what_a_configuration_names_and_is_not_there(lab, settling, name):
    """The repository's own settings name a folder or file of the tree that the command makes."""
    key, value, script, aside = TARGETS[name]

    def prepare():
        make(lab, lab.ws)
        if "included" in name:
            lab.file(lab.ws / ".gitshared", "[core]\n\thooksPath = h\n")
        if key:
            git(lab, "config", key, value, cwd=lab.ws)
        else:
            lab.file(lab.home / ".gitconfig", f"[core]\n\thooksPath = {value}\n")
    settling.settles(script, aside, calls("sh", "-c", "git status; git add -A; git commit -q --allow-empty -m x"), prepare=prepare)


@pytest.mark.slow
def test_e080_a_hooks_folder_of_a_nested_repository(lab, settling):
    """Likewise below, the first time it is met; what its settings name stays when it is as it was."""
    def prepare():
        make(lab, lab.ws / "sub")
        git(lab, "config", "core.hooksPath", "hooks", cwd=lab.ws / "sub")
        lab.file(lab.ws / "sub/hooks/pre-push")
    settling.settles("cp evil sub/hooks/pre-commit", {"sub/hooks": None}, git_in("sub"), prepare=prepare)
    subprocess.run(["rm", "-rf", lab.ws / "sub"], check=True)
    prepare()
    assert not settling.found(settling.run("true")) and (lab.ws / "sub/hooks/pre-push").exists()


def sings_too(lab, settling, script, sing, reported):
    """A residual: the file is reported, not taken away, since it is what commands are run for; so it sings."""
    for run in (lambda: lab.plain(["/bin/sh", "-ec", script], env=ENV), lambda: settling.run(script)):
        _, sang = canary(lab)
        receipt = run()
        sing(lab)
        assert sang.exists(), receipt
    assert set(settling.reported(receipt)) == set(reported) and not settling.aside(receipt), receipt["settlement"]


def test_e094_package_scripts_are_reported(lab, settling):
    """npm runs what package.json says; the other names of package managers: 94."""
    sings_too(lab, settling, "echo '{\"scripts\": {\"x\": \"./evil\"}}' >package.json; touch .npmrc .yarnrc.yml .pnpmfile.cjs; "
              "mkdir -p node_modules/.bin; ln -sf ../../evil node_modules/.bin/x",
              calls("sh", "-c", "npm run x || ./evil"), ["package.json", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "node_modules/.bin"])


def test_e095_start_files_of_python_are_reported(lab, settling):
    """python imports sitecustomize from PYTHONPATH: 95."""
    sings_too(lab, settling, "echo 'import os; os.system(\"./evil\")' >sitecustomize.py; mkdir -p .venv/bin; "
              "touch usercustomize.py conftest.py setup.py pip.conf .venv/bin/activate .venv/pyvenv.cfg",
              calls("/usr/bin/python3", "-c", "0", env={"PYTHONPATH": "."}),
              ["sitecustomize.py", "usercustomize.py", "conftest.py", "setup.py", "pip.conf", ".venv/bin/activate", ".venv/pyvenv.cfg"])


def test_e096_build_files_are_reported(lab, settling):
    """make runs what GNUmakefile says, before Makefile: 96."""
    sings_too(lab, settling, "printf 'all:\\n\\t./evil\\n' >GNUmakefile; touch build.rs CMakeLists.txt .bazelrc; rm -rf .cargo gradle; mkdir -p .cargo gradle/wrapper",
              calls("make"), ["GNUmakefile", "build.rs", "CMakeLists.txt", ".bazelrc", ".cargo", "gradle/wrapper"])


def test_e082_e087_e091_e097_what_is_reported(lab, settling):
    """Submodules, prose, versions, workflows: 82, 87, 91, 97."""
    names = [".gitmodules", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".env", ".tool-versions",
             ".python-version", "rust-toolchain.toml"]
    receipt = settling.run("mkdir -p .github/workflows; touch .github/workflows/x.yml; for n in " + " ".join(names) + "; do echo x >$n; done")
    assert set(settling.reported(receipt)) == {*names, ".github/workflows"} and not settling.aside(receipt)
    assert not receipt["stderr"] and all((lab.ws / name).read_text() == "x\n" for name in names)
    assert not settling.found(settling.run("cat .env"))


def test_e099_a_link_that_leads_out(lab, settling):
    """A host's tool would write through it: reported; one within isn't. A second name for a file outside can't be made."""
    out = lab.file(lab.outside / "secret")
    receipt = settling.run(f"mkdir d; ln -s {out} a; ln -s ../../outside d/b; ln -s d/../x c; ln -s {lab.ws}/d e; ln -s / f; ln {out} g; true")
    assert set(settling.reported(receipt)) == {"a", "d/b", "f"} and not settling.aside(receipt), receipt["settlement"]
    assert all((lab.ws / name).is_symlink() for name in ("a", "d/b", "c", "e", "f")) and not (lab.ws / "g").exists()


def test_e100_odd_things(lab, settling):
    """FIFOs and sockets are reported; closed folders, deep trees and names with escapes don't stop it."""
    receipt = settling.run(["/usr/bin/python3", "-c", """
import os, socket
os.mkfifo('fifo'); socket.socket(socket.AF_UNIX).bind('sock')
for name in ('a\\x1b[2Jb', 'new\\nline', 'closed', 'listed', 'deep'): os.mkdir(name)
for name in ('a\\x1b[2Jb', 'new\\nline', 'closed', 'listed'):
    os.makedirs(name + '/.git/hooks'); open(name + '/.git/hooks/pre-commit', 'w').close()
os.mkfifo('deep/.git')
os.chmod('closed/.git/hooks', 0); os.chmod('closed/.git', 0); os.chmod('closed', 0); os.chmod('listed', 0o400)
for i in range(1000): os.mkdir('deep/' + 'd'); os.chdir('deep'); os.rename('d', 'deep')
os.mkdir('.git'); os.mkdir('.git/hooks'); open('.git/hooks/post-checkout', 'w').close()
"""])
    wanted = {"a\x1b[2Jb/.git/hooks/pre-commit", "new\nline/.git/hooks/pre-commit", "closed/.git/hooks/pre-commit", "listed/.git/hooks/pre-commit"}
    aside = set(settling.aside(receipt))
    assert wanted <= aside and len(aside) == 5, aside ^ wanted
    assert set(settling.reported(receipt)) == {"fifo", "sock", "deep/.git"} and "\x1b" not in receipt["stderr"]
    assert stat.S_IMODE((lab.ws / "closed").stat().st_mode) == 0 and stat.S_IMODE((lab.ws / "listed").stat().st_mode) == 0o400
    subprocess.run(["rm", "-rf", lab.ws / "deep"], check=True)


def test_e241_a_protected_file_that_the_host_saves(lab, settling):
    """An editor puts another file in the place of a single one, which the command then changes: it is put aside."""
    lab.file(lab.ws / ".exrc", '" mine\n')
    waits = "touch ready; until [ -e go ]; do sleep 0.05; done; echo x >>.exrc"
    argv = lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, "--receipt", settling.receipt_path, "--", "sh", "-c", waits])
    process = subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not (lab.ws / "ready").exists() and process.poll() is None:
        time.sleep(0.02)
    lab.file(lab.ws / "saved", '" mine, saved\n').rename(lab.ws / ".exrc")
    (lab.ws / "go").touch()
    err = process.communicate(timeout=60)[1]
    assert process.returncode == 0 and f"put aside: {lab.ws}/.exrc" in err and not (lab.ws / ".exrc").exists(), err
    rows = [row for row in settling.list() if row["path"] == os.fspath(lab.ws / ".exrc")]
    assert settling.kept(rows[0]["id"]).read_text() == '" mine, saved\nx\n'


def test_e052_in_a_workspace_that_was_moved(lab, settling):
    """It lies in another writable root, where a folder above it can be moved: what is at its top counts where it is."""
    top = lab.outside / "top"
    lab.file(top / "a/b/x")
    receipt = settling.run(f"cd {top}; mv a z; mkdir -p a/b; cd z/b; mkdir .vscode; echo x >.vscode/tasks.json", "--write", top,
                           ws=top / "a/b", cwd=top / "a/b")
    assert [row["path"] for row in settling.aside(receipt).values()] == [f"{top}/z/b/.vscode"]
