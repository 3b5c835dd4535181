"""Scenes for attacks on what programs of the host run: git repositories, configuration, a canary that tells.

A canary is a script that makes a file outside every root. The host's own git runs after an attack; if the canary was
planted where git runs it, the file is there.
"""
import tempfile
from pathlib import Path

import harness
from places import clear
from workbench import PATH

IDENTITY = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "t"), ("EMAIL", "t@example.invalid"))}


def git(lab, *words, cwd=None):
    """The host's git, as the test's user."""
    result = lab.plain(["git", "-c", "protocol.file.allow=always", *words], cwd=cwd, env={"PATH": PATH, **IDENTITY})
    assert result.code == 0, result
    return result.out


def folder(lab, path):
    """A folder of the user's, with those above it."""
    lab.file(path / "x").unlink()
    return path


def make(lab, path):
    """A repository with one commit and a folder tree."""
    folder(lab, path)
    git(lab, "init", "-q", "-b", "main", ".", cwd=path)
    lab.file(path / "a.txt", "one\n")
    lab.file(path / "src" / "deep" / "b.txt", "one\n")
    git(lab, "add", "-A", cwd=path)
    git(lab, "commit", "-qm", "c1", cwd=path)


MODELS = {}   # {uid: a repository that is copied, made once by each process of the tests}


def model_of(lab):
    if lab.user.uid not in MODELS:
        place = tempfile.TemporaryDirectory(prefix="pinfold-model-", dir="/var/tmp")   # goes with the process
        Path(place.name).chmod(0o755)
        lab.own(place.name)
        make(lab, Path(place.name) / "model")
        MODELS[lab.user.uid] = place
    return Path(MODELS[lab.user.uid].name) / "model"


def fresh(lab, more=lambda: None):
    """Returns what sets the workspace back: a repository with one commit, and what `more` puts there."""
    model = model_of(lab)

    def scene():
        clear(lab.ws)
        assert lab.plain(["cp", "-a", f"{model}/.", lab.ws]).code == 0
        more()
    return scene


def canary(lab):
    """A script in the workspace, and the file that it makes."""
    sang = lab.outside / "canary"
    sang.unlink(missing_ok=True)
    return lab.file(lab.ws / "evil", f"#!/bin/sh\ntouch {sang}\nexit 1\n", 0o755), sang


def use(lab, cwd=None):
    """What a person does with git in a folder afterwards. Some of it may fail, as long as nothing of the box's runs."""
    script = ("git status; git diff; git log -1 -p; git show; git add -A; git commit -qm after; git checkout -qb other; "
              "git stash; git fetch origin; git push origin; git gc -q; git st; git rebase --continue; "
              "git submodule update --init")
    lab.plain(["/bin/sh", "-c", script], cwd=cwd or lab.ws, env={"PATH": PATH, "GIT_EDITOR": "true", **IDENTITY})


def held(lab, words, *, expect=("EROFS",), more=lambda: None, grant=("--git", "writable"), path=None, options=(), **rest):
    """The legs of an attack on the repository in the workspace; `path` and all below it stay as they were."""
    lab.legs(words, set(expect), prepare=fresh(lab, more), witness=lambda: harness.tree(path or lab.ws / ".git"),
             options=options, grant=grant and (*options, *grant), **rest)
