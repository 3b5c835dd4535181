"""Everyday git in a repository that is the workspace."""
import os

from workbench import PATH, keeps, repository, shell

WRITABLE = ("--git", "writable")


def git(lab, *words, cwd=None):
    result = lab.plain(["git", *words], cwd=cwd, env={"PATH": PATH})
    assert result.code == 0, result
    return result.out


def test_everyday_git(lab):
    repository(lab, lab.ws)
    (lab.ws / "a.txt").write_text("one\ntwo\n")
    result = shell(lab, "git add a.txt && git commit -qm c2 && git tag t1 && git switch -qc b2 && echo 3 >a.txt && "
                        "git stash -q && git stash pop -q && git diff --stat && git checkout -q . && "
                        "git gc -q && git fsck", *WRITABLE)
    assert result.code == 0, result
    assert git(lab, "log", "--oneline", "main").count("\n") == 2 and git(lab, "rev-parse", "t1")


def test_tracked_secrets_file_stays_readable(lab):
    repository(lab, lab.ws)
    for name in (".env", ".env.example"):
        lab.file(lab.ws / name, "A=1\n")
    git(lab, "add", "-f", ".env", ".env.example"), git(lab, "commit", "-qm", "env")
    os.utime(lab.ws / ".env")
    assert keeps(lab, ["git", "status", "--porcelain"], same=True).out == ""
    script = ("echo q >>a.txt && git diff >/dev/null && git stash -q && git stash pop -q && git commit -qam q && "
              "git checkout -q -b o HEAD~1 && git checkout -q main")
    assert shell(lab, script, *WRITABLE).code == 0
    assert git(lab, "status", "--porcelain") == ""


def test_push_to_a_granted_repository(lab):
    repository(lab, lab.ws)
    git(lab, "init", "-q", "--bare", lab.outside / "r.git")
    git(lab, "remote", "add", "origin", lab.outside / "r.git")
    result = lab.run(["git", "push", "-q", "origin", "main"], "--write", lab.outside / "r.git", env={"PATH": PATH})
    assert result.code == 0, result
    assert git(lab, "rev-parse", "main", cwd=lab.outside / "r.git") == git(lab, "rev-parse", "main")


def test_existing_hooks_run_inside(lab):
    repository(lab, lab.ws)
    lab.file(lab.ws / ".git" / "hooks" / "pre-commit", """#!/bin/sh -e
c=${XDG_CACHE_HOME:-$HOME/.cache}/pre-commit; mkdir -p "$c"; echo x >"$c/db"; t=$(mktemp)
git diff --cached --name-only >"$t"; grep -q a.txt "$t"; rm "$t"; : >"$(git rev-parse --git-dir)/hook-ran"
""", 0o755)
    assert shell(lab, "echo n >>a.txt && git commit -qam n", *WRITABLE).code == 0
    assert (lab.ws / ".git" / "hook-ran").exists() and git(lab, "log", "--oneline").count("\n") == 2
    assert os.listdir(lab.home) == []


def test_clone_and_worktree_inside_the_workspace(lab):
    repository(lab, lab.ws / "origin")
    script = ("git clone -q origin copy && git -C copy log --oneline && "
              "git -C origin worktree add -q ../tree -b feature && cd tree && echo n >n && git add n && "
              "git -c user.name=t -c user.email=t@example.invalid commit -qm wt && git status")
    result = shell(lab, script)
    assert result.code == 0 and "c1" in result.out, result
