"""Git directories that a box leaves, where a person uses git afterwards (entries 52, 72, 77 to 79)."""
import os

import pytest

import harness
from repositories import canary, git, make
from settling import COMMIT, INIT, calls, git_in, settling, shape  # noqa: F401 (a fixture)

HOOK = "cp evil {0}/hooks/pre-commit; cp evil {0}/hooks/post-checkout"
KEYS = ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "alias.st", "gpg.program",
        "credential.helper", "filter.x.clean", "diff.x.textconv", "merge.x.driver", "core.hooksPath", "include.path",
        "includeIf.gitdir:/.path", "core.worktree", "uploadpack.packObjectsHook", "sequence.editor", "core.gitProxy",
        "remote.origin.uploadpack", "remote.origin.vcs", "submodule.s.update", "trailer.x.command", "protocol.ext.allow"]


def test_e052_e072_a_repository_where_none_was(lab, settling):
    """In the workspace itself: its hooks and settings are put aside, the rest stays a repository."""
    settling.settles(f"{INIT} .; git config core.fsmonitor $PWD/evil; {HOOK.format('.git')}",
                     {".git/config": "fsmonitor", ".git/hooks/pre-commit": "canary", ".git/hooks/post-checkout": "canary"},
                     git_in())
    assert git(lab, "rev-parse", "--git-dir", cwd=lab.ws).strip() == ".git"


def test_e072_a_harmless_repository_stays(lab, settling):
    """Nothing is put aside of one that git init, a commit and a clone made."""
    receipt = settling.run(f"{INIT} a; cd a; echo x >x; {COMMIT}; git switch -qc b; git remote add o ../a; cd ..; git clone -q a c")
    assert not settling.found(receipt) and receipt["settlement"]["done"], receipt
    assert git(lab, "log", "--oneline", cwd=lab.ws / "c").endswith(" c\n")


@pytest.mark.parametrize("where", ["sub", "a/b/c/d/e/f", "with space", "new\nline", "caf\udce9"])
def test_e077_a_nested_repository(lab, settling, where):
    """Made by the command somewhere below."""
    os_name = os.fsencode(where).decode(errors="surrogateescape")
    receipt = settling.run(["/usr/bin/python3", "-c", "import os,sys,subprocess as s; d=sys.argv[1]; os.makedirs(d);"
                            "s.run(['git','init','-q',d]); s.run(['git','-C',d,'config','core.fsmonitor','touch /tmp/x'])", os_name])
    assert len(receipt["settlement"]["found"]) == 1 and "core.fsmonitor" in receipt["stderr"], receipt
    assert not os.path.lexists(os.fsencode(lab.ws / os_name / ".git/config"))
    assert receipt["stderr"].count("\n") == 1 and "\\udce9" not in receipt["stderr"], receipt


def test_e077_fsmonitor_and_hooks(lab, settling):
    """The canaries of a nested one sing without settlement."""
    settling.settles(f"mkdir -p x/sub; cd x/sub; {INIT} .; git config core.fsmonitor $PWD/../../evil",
                     {"x/sub/.git/config": "fsmonitor"}, git_in("x/sub"))
    settling.settles(f"mkdir -p x/sub; {INIT} x/sub; {HOOK.format('x/sub/.git')}",
                     {"x/sub/.git/hooks/pre-commit": "canary", "x/sub/.git/hooks/post-checkout": "canary"}, git_in("x/sub"))


def test_e077_every_variable_that_is_not_known(lab, settling):
    """Each in a repository of its own: all their files are put aside, in one run."""
    lines = "; ".join(f"{INIT} r{i}; git -C r{i} config '{key}' ./evil" for i, key in enumerate(KEYS))
    receipt = settling.run(lines)
    assert set(settling.aside(receipt)) == {f"r{i}/.git/config" for i in range(len(KEYS))}, receipt["settlement"]


ODD = {"nul": "[core]\\n\\tbare = false\\n\\0[core]\\nfsmonitor = evil\\n", "crlf": "[core]\\r\\n\\tfsmonitor = evil\\r\\n",
       "bom": "\\357\\273\\277[core]fsmonitor=evil\\n", "case": "[CoRe]\\nFSMonitor=evil\\n", "dot": "[core.]\\nfsmonitor=evil\\n",
       "one-line": "[user]name=a\\n[core]fsmonitor=evil", "goes-on": "[user]\\nname=a\\\\\\nb\\n[core]\\nfsmon\\\\\\nitor=evil\\n",
       "comment": "[user] # [core]\\n[core] ; x\\nfsmonitor = evil # y\\n", "address": "[remote \"o\"]\\nurl = ext::evil\\n",
       "branch": "[branch \"main\"]\\nremote = ext::evil\\n", "dash": "[remote \"o\"]\\nurl = --upload-pack=evil\\n",
       "quoted": "[\"core\"]\\nfsmonitor=evil\\n", "subsection": "[includeIf \"gitdir:/\"]\\npath=../../inc\\n"}


@pytest.mark.parametrize("name", ODD)
def test_e077_odd_texts(lab, settling, name):
    """However the text is written: what git would run, or can't read, is put aside."""
    receipt = settling.run(f"{INIT} r; printf '{ODD[name]}' >r/.git/config")
    assert set(settling.aside(receipt)) == {"r/.git/config"}, receipt


@pytest.mark.parametrize("how", ["symlink", "gitfile", "gitfile-nul", "commondir", "hooks-link", "config-link", "hooks-folder"])
def test_e077_by_a_pointer(lab, settling, how):
    """`.git`, or a part of it, leads to where else things are."""
    # ordinary folders, of which none is a git directory by itself
    store = f"{INIT} m; mv m/.git s; mv s/objects o; {HOOK.format('s')}; git config -f s/config core.fsmonitor $PWD/evil; mkdir w"
    script, aside = {
        "symlink": (f"{store}; mv o s/objects; ln -s ../s w/.git", {"w/.git", "s/config", "s/hooks/pre-commit", "s/hooks/post-checkout"}),
        "gitfile": (f"{store}; mv o s/objects; echo gitdir: ../s >w/.git", {"w/.git", "s/config", "s/hooks/pre-commit", "s/hooks/post-checkout"}),
        "gitfile-nul": (f"{INIT} m; git init -q m/.git/modules/a; printf 'gitdir: ../m/.git/modules/a/.git\\n\\0' >w.git; mkdir w; mv w.git w/.git",
                        {"w/.git"}),
        "commondir": (f"{store}; mv o s/objects; {INIT} w; echo ../../s >w/.git/commondir",
                      {"w/.git/commondir", "s/config", "s/hooks/pre-commit", "s/hooks/post-checkout"}),
        "hooks-link": (f"{INIT} w; rm -r w/.git/hooks; mkdir h; cp evil h/pre-commit; ln -s ../../h w/.git/hooks", {"w/.git/hooks"}),
        "config-link": (f"{INIT} w; rm w/.git/config; printf '[core]\\nfsmonitor=%s\\n' $PWD/evil >c; ln -s ../../c w/.git/config", {"w/.git/config"}),
        "hooks-folder": (f"{INIT} w; mkdir -p w/.git/hooks/lib; cp evil w/.git/hooks/lib/x", {"w/.git/hooks/lib"})}[how]
    canary(lab)
    receipt = settling.run(f"set -e; {script}")
    assert set(settling.aside(receipt)) == aside, receipt["settlement"]
    _, sang = canary(lab)
    git_in("w")(lab)
    assert not sang.exists(), "HOLE: it sang"


def deep(lab, path="a/b/c/d/e/sub"):
    """A repository of the user's at depth 6, older than the run, with a hook and a setting of its own."""
    top = lab.ws / path
    make(lab, top)
    lab.file(top / ".git/hooks/post-commit", "#!/bin/sh\n", 0o755)
    git(lab, "config", "alias.mine", "!true", cwd=top)
    return top


def test_e078_a_repository_of_the_users_first_time(lab, settling):
    """What the command made in it is put aside."""
    settling.settles("cd a/b/c/d/e/sub; git config core.fsmonitor ../../../../../../evil", {"a/b/c/d/e/sub/.git/config": "fsmonitor"},
                     git_in("a/b/c/d/e/sub"), prepare=lambda: make(lab, lab.ws / "a/b/c/d/e/sub"))


def test_e078_untouched_stays(lab, settling):
    """A run that doesn't touch it leaves it, with all its settings and hooks, the first time and the second."""
    top = deep(lab)
    before = harness.tree(top)
    for _ in range(2):
        receipt = settling.run("git -C a/b/c/d/e/sub --no-optional-locks status")
        assert not settling.found(receipt) and harness.tree(top) == before


def test_e078_second_time(lab, settling):
    """Once met it is held by the kernel: nothing in it can be changed, and it can't be moved."""
    top = deep(lab)
    settling.run("true")
    before = harness.tree(top / ".git")
    for words, expect in ((["write", top / ".git/config"], {"EROFS"}), (["create", top / ".git/hooks/pre-commit"], {"EROFS"}),
                          (["rename", top / ".git", top / "g"], {"EBUSY"}), (["rename", top.parent, lab.ws / "x"], {"EBUSY"})):
        lab.legs(words, expect, control=False, witness=lambda: harness.tree(top / ".git"))
    assert harness.tree(top / ".git") == before


def test_e078_made_by_a_command_is_not_held(lab, settling):
    """One that a command made stays its own to change; what would run is put aside each time."""
    settling.run(f"{INIT} sub; cd sub; echo 1 >f; {COMMIT}")
    receipt = settling.run(f"cd sub; echo 2 >f; {COMMIT}; git branch x")
    assert not settling.found(receipt), receipt
    receipt = settling.run("cd sub; git config core.pager ./evil; echo x >.git/hooks/pre-push")
    assert set(settling.aside(receipt)) == {"sub/.git/config", "sub/.git/hooks/pre-push"}


@pytest.mark.parametrize("how", ["hooks", "rebase-merge", "whole"])
def test_e078_moved_into_place_in_a_second_run(lab, settling, how):
    """A folder that is renamed has members that are older than the run: they count too."""
    lab.file(lab.ws / "evil", "#!/bin/sh\n", 0o755)
    assert not settling.found(settling.run(f"{INIT} sub; cd sub; echo 1 >f; {COMMIT}"))
    made = {"hooks": "mkdir h; cp evil h/pre-commit", "rebase-merge": "mkdir h; echo exec x >h/git-rebase-todo",
            "whole": f"{INIT} x; git -C x config core.fsmonitor x; mv x/.git/config c; mv x/.git h; mv c h/config; rm -r h/objects"}[how]
    assert not settling.aside(settling.run(made))
    receipt = settling.run({"whole": "rm -rf sub/.git; mkdir h/objects; mv h sub/.git"}.get(how, f"rm -rf sub/.git/{how}; mv h sub/.git/{how}"))
    assert set(settling.aside(receipt)) == {{"hooks": "sub/.git/hooks/pre-commit", "whole": "sub/.git/config",
                                             "rebase-merge": "sub/.git/rebase-merge/git-rebase-todo"}[how]}, receipt["settlement"]


BARE = "git init -q --bare {0}; git config -f {0}/config core.worktree $PWD; git config -f {0}/config core.bare false"


@pytest.mark.parametrize("where", ["bare", "."])
def test_e079_a_repository_without_a_work_tree(lab, settling, where):
    """HEAD, objects and refs in a folder make it one; it says where its work tree is."""
    settling.settles(f"{BARE.format(where)}; git config -f {where}/config core.fsmonitor $PWD/evil", {os.path.normpath(f"{where}/config"): "fsmonitor"},
                     git_in(where))


def test_e079_one_that_shares_the_rest(lab, settling):
    """A further work tree of it, whose HEAD is its own: the shared part is none by itself, and its settings count."""
    settling.settles("git init -q --bare b; mkdir -p b/worktrees/w; mv b/HEAD b/worktrees/w; echo ../.. >b/worktrees/w/commondir;"
                     "git config -f b/config core.sshCommand $PWD/evil", {"b/config": "sshCommand"},
                     calls("git", "ls-remote", "ssh://nowhere.invalid/x", folder="b/worktrees/w"))


def test_e079_by_what_makes_it_one_later(lab, settling):
    """Settings that lie ready count when a later run adds what makes the folder a repository."""
    receipt = settling.run(f"{BARE.format('b')}; git config -f b/config core.pager x; mv b/refs r")
    assert not settling.aside(receipt)
    receipt = settling.run("mv r b/refs")
    assert set(settling.aside(receipt)) == {"b/config"}


def test_e079_a_rebase_that_waits(lab, settling):
    """Its list of things to do gets a line that executes; one behind a link is put aside as the link."""
    start = f"{INIT} r; cd r; echo 1 >f; {COMMIT}; echo 2 >f; {COMMIT}; git -c user.name=t -c user.email=t@t rebase -q -x false HEAD~1 || true; cd .."
    settling.settles(f"{start}; echo exec $PWD/evil >r/.git/rebase-merge/git-rebase-todo", {"r/.git/rebase-merge/git-rebase-todo": "exec"},
                     calls("git", "rebase", "--continue", folder="r", env={"GIT_EDITOR": "true"}))
    lab.file(lab.outside / "rebase-merge" / "git-rebase-todo", "exec the user's own\n")
    receipt = settling.run(f"{INIT} q; ln -s {lab.outside}/rebase-merge q/.git/rebase-merge")
    assert set(settling.aside(receipt)) == {"q/.git/rebase-merge"} and (lab.outside / "rebase-merge/git-rebase-todo").exists()
    assert "q/.git" in shape(lab.ws)
