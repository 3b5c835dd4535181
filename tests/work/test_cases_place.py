"""Where the command runs: the same folder at the same path as outside, and repositories found as outside."""
import os

from workbench import PATH, keeps, repository


def test_current_folder_and_pwd_are_kept(lab):
    deep = lab.ws / "a" / "b"
    deep.mkdir(parents=True)
    lab.own(deep, deep.parent)
    assert keeps(lab, ["pwd", "-P"], cwd=deep, same=True).out == f"{deep}\n"
    assert keeps(lab, ["sh", "-c", 'echo "$PWD"'], cwd=deep, env={"PWD": os.fspath(deep)}, same=True).out == f"{deep}\n"


def test_current_folder_below_a_readable_root_is_kept(lab):
    result = keeps(lab, ["pwd"], "--read", lab.outside, cwd=lab.outside, same=True)
    assert result.out == f"{lab.outside}\n"


def test_absolute_paths_mean_the_same_inside(lab):
    source = lab.file(lab.ws / "f.c", "#include <stdio.h>\nint main(void) { puts(__FILE__); }\n")
    result = keeps(lab, ["sh", "-c", 'cc -o f "$0" && ./f', source], same=True)
    assert result.out == f"{source}\n"


def test_no_repository_appears_where_there_is_none(lab):
    script = "ls -A; git rev-parse --git-dir 2>&1; test $? = 128"
    assert keeps(lab, ["sh", "-c", script]).out.startswith("fatal: not a git repository")
    assert os.listdir(lab.ws) == []


def test_repository_is_found_from_a_subfolder_as_workspace(lab):
    """The work tree around a workspace is visible, and only visible."""
    top = repository(lab, lab.outside / "r")
    sub = top / "sub"
    sub.mkdir()
    lab.own(sub)
    run = lambda *words: lab.plain([lab.pinfold, "run", "--workspace", sub, "--", *words], cwd=sub, env={"PATH": PATH})
    found = run("git", "rev-parse", "--show-toplevel")
    assert (found.code, found.out) == (0, f"{top}\n"), found
    assert run("cat", top / "a.txt").out == "one\n"
    for path in (top / "new", top / ".git" / "new", top / "a.txt"):
        written = run("sh", "-c", 'echo evil >"$0"', path)
        assert written.code != 0 and "ead-only" in written.err, written
    assert (top / "a.txt").read_text() == "one\n" and not (sub / ".git").exists()


def test_several_repositories_in_one_workspace(lab):
    for name in ("p1", "p2"):
        repository(lab, lab.ws / name)
    script = "for p in p1 p2; do git -C $p status --porcelain && git -C $p rev-parse --show-toplevel || exit 1; done"
    keeps(lab, ["sh", "-c", script], same=True)
