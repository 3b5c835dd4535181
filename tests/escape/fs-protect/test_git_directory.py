"""The repository of a writable root, seen by the host's own git afterwards (entries 8, 65 to 71, 73, 83)."""
import pytest

import harness
from repositories import canary, folder, fresh, git, held, make, use


def unfinished(lab):
    """A rebase that waits for its user, a second work tree, a submodule's repository."""
    lab.file(lab.ws / ".git" / "rebase-merge" / "git-rebase-todo", "noop\n")
    lab.file(lab.ws / ".git" / "modules" / "sub" / "config", "[core]\n")
    lab.file(lab.ws / ".git" / "worktrees" / "w" / "gitdir", "/nowhere/.git\n")
    lab.file(lab.ws / ".git" / "config.worktree", "[core]\n")


@pytest.mark.parametrize("name", [
    pytest.param(path, id=f"{entry}-{path.replace('/', '-')}") for entry, paths in {
        "e065": ["hooks/post-checkout"], "e066": ["config.lock"], "e068": ["commondir"],
        "e069": ["sequencer", "rebase-merge/author-script"], "e070": ["info/attributes", "objects/info/alternates", "packed-refs"],
        "e071": ["modules/sub/hooks", "worktrees/w/commondir", "worktrees/w/config.worktree"]}.items() for path in paths])
def test_e065_make_a_file_in_the_repository(lab, name):
    """What is not there can't be made, without Landlock neither: 65, 66, 68 to 71."""
    held(lab, ["create", lab.ws / ".git" / name], more=lambda: unfinished(lab), without=("landlock",))


@pytest.mark.parametrize("name", [
    pytest.param(path, id=f"{entry}-{path.replace('/', '-')}") for entry, paths in {
        "e066": ["config"], "e067": ["config.worktree"], "e069": ["rebase-merge/git-rebase-todo"],
        "e070": ["index", "HEAD"], "e071": ["modules/sub/config", "worktrees/w/gitdir"]}.items() for path in paths])
@pytest.mark.parametrize("word", ["write", "unlink"])
def test_e066_change_a_file_of_the_repository(lab, name, word):
    """What is there can't be changed or removed: 66, 67, 69 to 71."""
    held(lab, [word, lab.ws / ".git" / name], more=lambda: unfinished(lab), without=("landlock",))


@pytest.mark.parametrize("words", [["truncate", "config"], ["open-truncate", "config"], ["chmod", "config", "0600"],
                                   ["utimes", "hooks"], ["rmdir", "refs/tags"], ["symlink", "/x", "hooks/pre-commit"],
                                   ["mkdir", "rebase-apply"], ["mkfifo", "pipe"], ["mmap-write", "config"]], ids="-".join)
def test_e066_change_it_otherwise(lab, words):
    """By other calls: times, modes, links, folders, memory."""
    paths = [w if w in ("/x", "0600") else lab.ws / ".git" / w for w in words[1:]]
    held(lab, [words[0], *paths])


@pytest.mark.parametrize("word", ["rename", "rename-noreplace", "whiteout"])
def test_e073_move_the_repository_away(lab, word):
    """Its own name can't become another's, in the workspace or below."""
    expect = {"EBUSY", "EPERM", "EINVAL"} if word == "whiteout" else {"EBUSY"}
    held(lab, [word, lab.ws / ".git", lab.ws / "src" / "git"], expect=expect, grant=None, control=word != "whiteout")


@pytest.mark.parametrize("turned", [False, True])
def test_e008_exchange_the_repository(lab, turned):
    """Another folder can't take its place, from either side."""
    names = [lab.ws / ".git", lab.ws / "src"]
    held(lab, ["exchange", *(reversed(names) if turned else names)], expect={"EBUSY"})


def test_e008_exchange_a_file_of_the_repository(lab):
    """A file of it can't be exchanged with one outside it."""
    held(lab, ["exchange", lab.ws / ".git" / "config", lab.ws / "a.txt"], expect={"EXDEV", "EROFS"})


def test_e073_move_a_folder_over_the_repository(lab):
    """Nor be put in its place by rename."""
    lab.legs(["rename", lab.ws / "src", lab.ws / ".git"], {"EBUSY"}, prepare=fresh(lab), control=False,
             witness=lambda: harness.tree(lab.ws / ".git"))


def test_e066_link_a_file_out_of_the_repository(lab):
    """A second name in the workspace, by which it could be written."""
    held(lab, ["link-write", lab.ws / ".git" / "config", lab.ws / "copy"], expect={"EXDEV"})


PLANT = """
cp evil .git/hooks/post-checkout; cp evil .git/hooks/pre-commit; chmod +x .git/hooks/*
git config core.fsmonitor "$PWD/evil"; git config core.hooksPath "$PWD/eh"; mkdir -p eh
cp evil eh/pre-commit; cp evil eh/post-checkout; git config core.pager "$PWD/evil"; git config diff.external "$PWD/evil"
printf '[include]\\n\\tpath = %s/inc\\n' "$PWD" >>.git/config
printf '[alias]\\n\\tst = !%s/evil\\n[core]\\n\\tsshCommand = %s/evil\\n' "$PWD" "$PWD" >inc
mkdir -p .git/rebase-merge; echo "exec $PWD/evil" >.git/rebase-merge/git-rebase-todo
mkdir -p x; cp -r .git x/g; cp evil x/g/hooks/pre-commit; cp inc x/g/config; echo x/g >.git/commondir
echo "gitdir: x/g" >.git; echo "* diff=evil filter=evil" >.gitattributes; mv .git g2; cp -r x/g .git; ln -s x/g .git
rm -rf .git; mv -T x/g .git; echo done
"""


def test_e066_nothing_planted_runs_outside(lab):
    """All the ways at once, as a command would try them; then a person uses git. The control shows that they work."""
    def legs(run):
        fresh(lab)()
        _, sang = canary(lab)
        assert "done" in run(["/bin/sh", "-c", PLANT]).out
        use(lab)
        return sang.exists()
    assert legs(lab.plain), "control leg: nothing that was planted ran"
    assert not legs(lab.run), "what was planted in the box ran on the host"
    assert legs(lambda argv: lab.run(argv, "--git", "writable", "--waive", "fs-settle")), "granted leg"


def test_e083_a_second_writable_root(lab):
    """A folder of --write that is a repository is held as the workspace is."""
    other = lab.outside / "other"
    options = ("--write", other)

    def more():
        if other.exists():
            lab.plain(["rm", "-rf", other])
        make(lab, other)
    for words in (["create", other / ".git" / "hooks" / "pre-commit"], ["write", other / ".git" / "config"]):
        held(lab, words, more=more, options=options, path=other / ".git")
    held(lab, ["rename", other / ".git", other / "g"], expect={"EBUSY"}, more=more, options=options, path=other / ".git")


def test_e083_a_writable_root_around_the_workspace(lab):
    """The repository around the workspace is held where another root makes it writable; and it can't be moved."""
    top = lab.outside / "top"

    def more():
        lab.plain(["rm", "-rf", top])
        make(lab, top / "repo")
    options = ("--write", top, "--workspace", top / "repo" / "src")
    for words, expect in ((["create", top / "repo" / ".git" / "hooks" / "pre-commit"], {"EROFS"}),
                          (["rename", top / "repo", top / "r"], {"EBUSY"}),
                          (["rename", top / "repo" / ".git", top / "g"], {"EBUSY"})):
        held(lab, words, expect=expect, more=more, options=options, path=top, grant=None, cwd=top / "repo" / "src")


@pytest.mark.parametrize("name", ["config", "hooks/pre-receive", "config.worktree"])
def test_e083_a_repository_without_a_work_tree(lab, name):
    """A granted one takes objects and refs, but what runs on the host stays."""
    bare = lab.outside / "r.git"

    def scene():
        lab.plain(["rm", "-rf", bare])
        folder(lab, bare)
        git(lab, "init", "-q", "--bare", ".", cwd=bare)
        lab.file(bare / "config.worktree", "[core]\n")
    word = "create" if name.startswith("hooks") else "write"
    lab.legs([word, bare / name], {"EROFS"}, prepare=scene, options=["--write", bare],
             grant=["--write", bare, "--git", "writable"], witness=lambda: harness.tree(bare))
