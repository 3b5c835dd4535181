"""Honest work in a workspace with protected paths: git, packages that have the protected names, editors, layouts."""
import os
import shutil

import pytest

import harness
from repositories import fresh, git, make
from workbench import PATH, PYTHON, keeps, shell

WRITABLE = ("--git", "writable")


def test_git_that_only_reads(lab):
    """The index is not refreshed on disk, and the answers are the same."""
    fresh(lab)()
    lab.file(lab.ws / "a.txt", "two\n")
    for words in (["status", "--porcelain"], ["diff"], ["log", "--format=%s"], ["show", "--stat"], ["blame", "HEAD", "--", "a.txt"],
                  ["branch"], ["stash", "list"], ["grep", "one"], ["ls-files"], ["describe", "--always"], ["config", "-l"]):
        keeps(lab, ["git", *words], same=True)


@pytest.mark.parametrize("script", ["git commit -qam x", "git stash", "git add a.txt", "git tag t", "git config a.b c",
                                    "git checkout -q -b new"])
def test_git_that_writes_says_why_it_can_not(lab, script):
    """It fails with a message that names the file system, and leaves everything as it was."""
    fresh(lab)()
    lab.file(lab.ws / "a.txt", "two\n")
    before = harness.tree(lab.ws)
    result = shell(lab, script)
    assert result.code != 0, result
    if script != "git stash":   # which says nothing at all
        assert "Read-only file system" in result.err + result.out, result
    assert harness.tree(lab.ws) == before


def test_branches_that_rename_folders(lab):
    """With --git writable: checkout, merge, stash, mv between branches whose folders have other names."""
    fresh(lab)()
    git(lab, "config", "core.hooksPath", "ci/hooks")
    git(lab, "checkout", "-qb", "moved")
    git(lab, "mv", "src", "source")
    git(lab, "commit", "-qm", "moved")
    script = ("git checkout -q main && test -d src && git checkout -q moved && test -d source && echo 1 >>a.txt && "
              "git stash -q && git stash pop -q && git -c user.name=t -c user.email=t@example.invalid commit -qam n && "
              "git mv source src && mv src s2 && git checkout -q -f main && git gc -q && git fsck")
    assert shell(lab, script, *WRITABLE).code == 0


def test_protected_names_in_packages(lab):
    """npm install, tar and a clone of what ships .vscode, .husky, .claude, .git: at other depths nothing is protected."""
    lab.file(lab.ws / ".vscode" / "settings.json")
    package = lab.ws / "p" / "package"
    for name in (".vscode/settings.json", ".idea/x.xml", ".github/workflows/ci.yml", ".husky/pre-commit",
                 ".claude/settings.json", ".mcp.json", ".envrc"):
        lab.file(package / name, "{}\n")
    lab.file(package / "package.json", '{"name": "dep", "version": "1.0.0"}')
    lab.file(lab.ws / "package.json", '{"name": "app"}')
    script = "tar -C p -czf dep.tgz package && mkdir t && tar -C t -xzf dep.tgz && mv t/package/.vscode t/package/v && rm -rf t/package"
    assert shell(lab, script).code == 0
    if shutil.which("npm", path=PATH):
        result = shell(lab, 'npm_config_cache="$PWD/.c" npm install --offline --no-audit --no-fund ./dep.tgz')
        assert result.code == 0 and (lab.ws / "node_modules/dep/.vscode/settings.json").exists(), result


SAVES = """
import os
for name in ("src/deep/b.txt", "a.txt"):
    with open(name + "~", "w") as f: f.write("saved\\n")
    os.replace(name + "~", name)
    os.rename(name, name + ".bak"); os.link(name + ".bak", name); os.unlink(name + ".bak")
os.rename("src/deep", "deep"); os.rename("deep", "src/deep"); os.rename("src", "s"); os.rename("s", "src")
"""


def test_editors_and_builds_beside_what_is_protected(lab):
    """Saves by rename and by link, moves of folders, make, vim where it is."""
    fresh(lab, lambda: lab.file(lab.ws / ".vscode" / "tasks.json"))()
    lab.file(lab.ws / "Makefile", "all: out/x\nout/x:\n\tmkdir -p out && cp a.txt out/x\nclean:\n\trm -rf out\n")
    assert lab.run([PYTHON, "-c", SAVES]).code == 0
    assert shell(lab, "make && make clean && make").code == 0
    if shutil.which("vim", path=PATH):
        assert shell(lab, "vim -es -c '%s/saved/again/' -c wq src/deep/b.txt && grep again src/deep/b.txt").code == 0


def test_no_stub_files(lab):
    """Nothing is made to protect a name that is not there: not before, during or after a run; no phantom .git."""
    lab.file(lab.ws / "f")
    before = harness.tree(lab.ws)
    result = shell(lab, "ls -A; git rev-parse --git-dir 2>&1")
    assert result.out.startswith("f\n") and "not a git repository" in result.out, result
    assert harness.tree(lab.ws) == before and os.listdir(lab.home) == []


def test_repositories_around_and_in_a_workspace(lab):
    """The repository is found from a folder in it, as outside; several in a folder that is none work by themselves."""
    make(lab, lab.ws / "one")
    make(lab, lab.ws / "two")
    result = lab.run(["git", "rev-parse", "--show-toplevel"], "--workspace", lab.ws / "one" / "src", cwd=lab.ws / "one" / "src",
                     env={"PATH": PATH})
    assert result.out == f"{lab.ws}/one\n", result
    assert shell(lab, "git -C one status --porcelain && git -C two log --oneline").code == 0


def test_links_that_dotfile_managers_make(lab):
    """Hooks, skills and settings that are links, into the tree, out of it, to nothing and in a circle: all starts."""
    fresh(lab)()
    lab.plain(["rm", "-rf", ".git/hooks"])
    lab.file(lab.ws / "hooks-shared" / "pre-commit", "#!/bin/sh\n", 0o755)
    lab.file(lab.ws / "skills" / "s")
    lab.file(lab.outside / "rc")
    for name, target in ((".git/hooks", "../hooks-shared"), (".claude", "skills"), (".idea", "/nonexistent/x"), (".vscode", "loop"),
                         ("loop", ".vscode"), (".envrc", lab.outside / "rc")):
        (lab.ws / name).symlink_to(target)
        lab.own(lab.ws / name)
    result = shell(lab, "git status --porcelain && ! touch hooks-shared/x 2>/dev/null && ! touch skills/x 2>/dev/null && echo ok")
    assert result.code == 0 and result.out.endswith("ok\n"), result


def test_a_separate_git_directory_in_the_tree_and_submodules(lab):
    """git works with a gitfile, and from a submodule: what it leads to is seen, and not changed."""
    library, top = lab.ws / "lib", lab.ws / "top"
    make(lab, library)
    make(lab, top)
    git(lab, "submodule", "--quiet", "add", library, "sub", cwd=top)
    git(lab, "commit", "-qm", "sub", cwd=top)
    for workspace in (top, top / "sub"):
        result = shell(lab, "git status --porcelain && git log --oneline && ! git commit -q --allow-empty -m x 2>/dev/null",
                       "--workspace", workspace, cwd=workspace)
        assert result.code == 0, result
    assert git(lab, "-C", "sub", "status", "--porcelain", cwd=top) == ""


def test_big_configurations_cost_nothing(lab):
    """A configuration with a thousand branches, and a folder of a thousand settings."""
    fresh(lab)()
    with open(lab.ws / ".git" / "config", "a", encoding="ascii") as file:
        for i in range(1000):
            file.write(f'[branch "b{i}"]\n\tremote = origin\n\tmerge = refs/heads/b{i}\n')
    for i in range(1000):
        lab.file(lab.ws / ".claude" / "skills" / f"s{i}")
    assert lab.run(["git", "status", "--porcelain"], env={"PATH": PATH}).code == 0
