"""What a repository points to: other directories, hooks and programs that lie in the tree (entries 74 to 76, 80 to 82)."""
import pytest

from repositories import canary, fresh, git, held, use


def name(value):
    """A case's words, without the answers: sets have no order."""
    return "-".join(value).replace("/", ".") if isinstance(value, list) else "answer"


def linked(lab):
    """The workspace's repository stands in a folder of the workspace, and .git says where."""
    (lab.ws / ".git").rename(lab.ws / "meta")
    lab.file(lab.ws / ".git", "gitdir: meta\n")
    git(lab, "status")


@pytest.mark.parametrize("words, expect", [
    (["write", ".git"], {"EROFS"}), (["unlink", ".git"], {"EBUSY"}), (["rename", ".git", "g"], {"EBUSY"}),
    (["rename", "src", ".git"], {"EBUSY", "ENOTDIR"}), (["exchange", ".git", "a.txt"], {"EBUSY"})], ids=name)
def test_e074_point_the_gitfile_elsewhere(lab, words, expect):
    """A gitfile can't be written, removed, moved or exchanged."""
    held(lab, words, expect=expect, more=lambda: linked(lab), path=lab.ws / ".git", grant=None,
         control=words[:2] != ["rename", "src"])


@pytest.mark.parametrize("words, expect", [
    (["create", "meta/hooks/pre-commit"], {"EROFS"}), (["write", "meta/config"], {"EROFS"}),
    (["rename", "meta", "m"], {"EBUSY"})], ids=name)
def test_e075_edit_where_the_gitfile_leads(lab, words, expect):
    """The directory in the tree that it names is held as well."""
    held(lab, words, expect=expect, more=lambda: linked(lab), path=lab.ws / "meta")


def shared(lab):
    """A work tree of its own in the workspace, of a repository that lies in it too."""
    (lab.ws / ".git").rename(lab.ws / "main.git")
    lab.plain(["git", "--git-dir", "main.git", "config", "core.bare", "true"])
    private = lab.ws / "main.git" / "worktrees" / "w"
    lab.file(private / "commondir", "../..\n")
    lab.file(private / "HEAD", "ref: refs/heads/main\n")
    lab.file(private / "gitdir", f"{lab.ws}/.git\n")
    lab.file(lab.ws / ".git", "gitdir: main.git/worktrees/w\n")
    git(lab, "log", "-1")


def test_e075_edit_what_a_work_tree_shares(lab):
    """commondir leads to the repository, whose hooks and configuration are used: held, and so is the way to it."""
    for words, expect in ((["create", "main.git/hooks/pre-commit"], {"EROFS"}), (["write", "main.git/config"], {"EROFS"}),
                          (["rename", "main.git", "m"], {"EBUSY"}), (["rename", "main.git/worktrees", "m"], {"EBUSY", "EXDEV"})):
        held(lab, words, expect=expect, more=lambda: shared(lab), path=lab.ws / "main.git")


def by_link(lab):
    (lab.ws / ".git").rename(lab.ws / "store")
    (lab.ws / ".git").symlink_to("store")
    lab.own(lab.ws / ".git")


@pytest.mark.parametrize("words, expect", [
    (["create", "store/hooks/pre-commit"], {"EROFS"}), (["create", ".git/hooks/pre-commit"], {"EROFS"}),
    (["unlink", ".git"], {"EBUSY"}), (["rename", ".git", "g"], {"EBUSY"}), (["exchange", ".git", "src"], {"EBUSY"}),
    (["rename", "store", "s"], {"EBUSY"})], ids=name)
def test_e076_the_repository_is_a_link(lab, words, expect):
    """The link stays, and so does what it leads to."""
    held(lab, words, expect=expect, more=lambda: by_link(lab), path=lab.ws / "store")


def hooks_by_link(lab, whole):
    lab.file(lab.ws / "tools" / "hooks" / "pre-commit", "#!/bin/sh\nexit 0\n", 0o755)
    hooks = lab.ws / ".git" / "hooks"
    if whole:
        lab.plain(["rm", "-rf", hooks])
        hooks.symlink_to("../tools/hooks")
    else:
        (hooks / "pre-commit").symlink_to("../../tools/hooks/pre-commit")
    lab.own(hooks if whole else hooks / "pre-commit")


@pytest.mark.parametrize("whole", [True, False], ids=["all-hooks", "one-hook"])
def test_e076_hooks_are_links_into_the_tree(lab, whole):
    """A hook that lies beside the sources can't be edited, nor a folder above it be moved."""
    for words, expect in ((["write", "tools/hooks/pre-commit"], {"EROFS"}), (["unlink", "tools/hooks/pre-commit"], {"EROFS", "EBUSY"}),
                          (["rename", "tools/hooks", "h"], {"EBUSY"}), (["rename", "tools", "t"], {"EBUSY"})):
        held(lab, words, expect=expect, more=lambda: hooks_by_link(lab, whole), path=lab.ws / "tools")


def test_e080_hooks_path_in_the_tree(lab):
    """core.hooksPath, as a team sets it: the folder is held, and a canary planted there never sings."""
    def more():
        lab.file(lab.ws / "ci" / "hooks" / "pre-commit", "#!/bin/sh\nexit 0\n", 0o755)
        git(lab, "config", "core.hooksPath", "ci/hooks")
    held(lab, ["create", "ci/hooks/post-commit"], more=more, path=lab.ws / "ci")
    held(lab, ["rename", "ci", "c"], expect={"EBUSY"}, more=more, path=lab.ws / "ci")
    fresh(lab, more)()
    _, sang = canary(lab)
    lab.run(["/bin/sh", "-c", "cp evil ci/hooks/pre-commit; mv ci c; mkdir -p ci/hooks; cp evil ci/hooks/pre-commit"])
    use(lab)
    assert not sang.exists()


@pytest.mark.parametrize("value", ["./tools/run", "tools/run --fast", "!f() { sh tools/run; }; f", "\"$PWD/tools/run\" x",
                                   "PYTHONPATH=. tools/run"])
@pytest.mark.parametrize("key", ["core.fsmonitor", "diff.x.textconv", "filter.x.clean", "alias.st"])
def test_e081_a_program_in_the_tree(lab, key, value):
    """A file that the configuration names is held: with arguments, in a shell's words, after a variable."""
    def more():
        lab.file(lab.ws / "tools" / "run", "#!/bin/sh\ncat\n", 0o755)
        git(lab, "config", key, value.replace("$PWD/", "tools/../"))
    held(lab, ["write", "tools/run"], more=more, path=lab.ws / "tools")
    held(lab, ["rename", "tools", "t"], expect={"EBUSY"}, more=more, path=lab.ws / "tools")


def test_e081_an_included_file(lab):
    """A file that include.path names, from the folder of the file that names it."""
    def more():
        lab.file(lab.ws / "team.gitconfig", "[core]\n")
        git(lab, "config", "include.path", "../team.gitconfig")
    held(lab, ["write", "team.gitconfig"], more=more, path=lab.ws / "team.gitconfig")


def test_e082_gitmodules(lab):
    """Where submodules come from can't be changed, in a repository; without one, nothing reads it."""
    def more():
        lab.file(lab.ws / ".gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = /nowhere\n")
    held(lab, ["write", ".gitmodules"], more=more, path=lab.ws / ".gitmodules")


def test_e076_a_link_to_the_whole_workspace_is_refused(lab):
    """What can't be held is refused, by name and with what mends it."""
    fresh(lab)()
    lab.plain(["rm", "-rf", ".git"])
    (lab.ws / ".git").symlink_to(".")
    lab.file(lab.ws / "HEAD")
    result = lab.run(["true"])
    assert result.code == 125 and f"{lab.ws}/.git" in result.err and "--waive fs-protect" in result.err, result
    assert lab.run(["true"], "--waive", "fs-protect").code == 0
