"""--mode: what becomes of changes in the workspace; what is said of it; what it goes together with."""
import json
import os

import pytest

import harness
from workbench import PATH, run_with_mounts, shell

SAID = {"direct": "changes are made", "discard": "changes are gone at the end", "readonly": "nothing can be changed"}
KEPT = ("discard", "readonly")


@pytest.mark.parametrize("mode", SAID)
def test_explain_and_receipt_say_it(lab, mode):
    front = [lab.pinfold, "explain", "--workspace", lab.ws, "--mode", mode]
    text, plan = lab.plain(front), json.loads(lab.plain([*front, "--json"]).out)
    assert text.code == 0 and f"Workspace: {lab.ws} (mode {mode}: {SAID[mode]})\n" in text.out
    result, receipt = lab.receipt(["/bin/true"], "--mode", mode)
    assert result.code == 0 and result.err == "", result
    for told in (plan, receipt):
        (mount,) = [m for m in told["mounts"] if m["path"] == os.fspath(lab.ws)]
        assert told["mode"] == mode and mount["writable"] == (mode != "readonly")
        assert mount["kind"] == ("overlay" if mode == "discard" else "bind")
    assert ("overlay" in receipt["guarantees"]["fs-write"]["layers"]) == (mode == "discard")


def test_direct_without_the_option(lab):
    assert shell(lab, "echo x >new").code == 0 and (lab.ws / "new").read_text() == "x\n"
    assert lab.receipt(["/bin/true"])[1]["mode"] == "direct"


def test_a_mode_that_is_none(lab):
    for word in ("", "read-only", "Direct", "directory"):
        result = lab.run(["/bin/echo", "ran"], "--mode", word)
        assert result.code == 125 and not result.out and "direct, discard or readonly" in result.err, result


@pytest.mark.parametrize("mode", KEPT)
def test_the_command_starts_where_the_caller_is(lab, mode):
    sub = lab.file(lab.ws / "a b" / "c" / "f").parent
    line = [lab.pinfold, "run", "--workspace", lab.ws, "--mode", mode, "--", "/bin/sh", "-c", "pwd; cat f ../../top; cd ../.. && pwd"]
    lab.file(lab.ws / "top", "top\n")
    assert lab.plain(line, cwd=sub).out == f"{sub}\nhost\ntop\n{lab.ws}\n"


@pytest.mark.parametrize("mode", KEPT)
def test_workspace_below_home_and_tmp(lab, mode):
    """Where the box's own folders are writable around it."""
    for folder in (lab.home / "project", lab.ws):
        lab.file(folder / "f", "host\n")
        before = harness.tree(folder)
        line = [lab.pinfold, "run", "--mode", mode, "--", "/bin/sh", "-c", "cat f; echo x >f; echo y >$HOME/y; cat f $HOME/y"]
        result = lab.plain(line, cwd=folder)
        assert result.out == ("host\nx\ny\n" if mode == "discard" else "host\nhost\ny\n"), result
        assert harness.tree(folder) == before


def test_temporary_folder(lab):
    """TMPDIR in the workspace is kept where it can be written to."""
    lab.file(lab.ws / "tmp" / "f")
    for mode, options, wanted in (("direct", [], lab.ws / "tmp"), ("discard", [], lab.ws / "tmp"), ("readonly", [], "/tmp"),
                                  ("readonly", ["--write", lab.ws / "tmp"], lab.ws / "tmp")):
        result = shell(lab, 'echo $TMPDIR; mktemp -u >/dev/null && f=$(mktemp) && rm "$f"', "--mode", mode, *options,
                       env={"TMPDIR": os.fspath(lab.ws / "tmp")})
        assert (result.code, result.out) == (0, f"{wanted}\n"), (mode, result)


@pytest.mark.parametrize("mode", KEPT)
def test_a_receipt_in_a_workspace_that_stays(lab, mode):
    """The command can't forge it there; in mode direct it could."""
    receipt = lab.ws / "receipt.json"
    words = ["/bin/sh", "-c", "echo forged >receipt.json; true"]
    assert lab.run(words, "--mode", mode, "--receipt", receipt).code == 0
    assert json.loads(receipt.read_text())["mode"] == mode
    assert lab.run(words, "--mode", "direct", "--receipt", receipt).code == 125
    assert lab.run(words, "--mode", mode, "--write", lab.ws / "sub", "--receipt", receipt).code == 125   # no such folder
    lab.file(lab.ws / "sub" / "f")
    assert lab.run(words, "--mode", mode, "--write", lab.ws / "sub", "--receipt", lab.ws / "sub" / "r").code == 125


@pytest.mark.parametrize("mode", KEPT)
def test_what_is_refused(lab, mode):
    before = harness.tree(lab.scratch.path)
    for folder, words in (("/", "every file of the host"), (lab.home, "home folder"), (lab.scratch.path, "home folder"),
                          ("/proc/self", "kernel"), ("/etc", "part of the system"), ("/usr", "part of the system")):
        line = [lab.pinfold, "run", "--workspace", folder, "--mode", mode, "--", "/bin/echo", "ran"]
        result = lab.plain(line, cwd=folder)
        assert result.code == 125 and not result.out and words in result.err, (folder, result)
    for folder in (lab.ws, lab.ws / ".."):
        result = lab.run(["/bin/echo", "ran"], "--mode", mode, "--write", folder, env={"HOME": "/nonexistent"})
        assert result.code == 125 and not result.out and f"mode {mode} (--mode)" in result.err, result
    assert harness.tree(lab.scratch.path) == before


@pytest.mark.parametrize("mode", KEPT)
def test_a_write_grant_that_is_another_mount_of_the_workspace(lab, mode):
    """The workspace by another name, or what holds it: writable there, it would not stay as it is."""
    workspace, alias = lab.ws / "w", lab.scratch.path / "alias"
    inner = workspace / "inner"
    for folder in (alias, workspace, inner):
        folder.mkdir(), lab.own(folder)
    for source, name in ((workspace, alias), (lab.ws, alias / "w"), (inner, None)):
        act = ["sh", "-c", f"echo x >{(name or alias) / 'new'}"]
        line = [lab.pinfold, "run", "--workspace", workspace, "--write", alias]
        for words, code in ((["--mode", "direct"], 0), (["--mode", mode], 125 if name else 0)):
            status, _, err = run_with_mounts(lab, f"mount --bind {source} {alias}",
                                             [os.fspath(w) for w in (*line, *words, "--", *act)], cwd=workspace)
            assert status == code, (source, words, err)
            made = (workspace if name else inner) / "new"
            assert made.exists() == (code == 0) and (name is None or code == 0 or f"mode {mode} (--mode)" in err), err
            made.unlink(missing_ok=True)


def test_a_readonly_workspace_in_the_system(lab):
    """A folder that every box shows can be looked at as a workspace, with no more rights than elsewhere."""
    line = [lab.pinfold, "run", "--mode", "readonly", "--", "/bin/sh", "-c", "pwd; touch x 2>/dev/null || echo no; ls | head -1"]
    result = lab.plain(line, cwd="/usr/share", env={"PATH": PATH})
    assert result.out.startswith("/usr/share\nno\n") and result.code == 0, result
    result = lab.plain([*line[:-1], "cat ../shadow || echo no"], cwd="/etc/ssl")
    assert result.out == "no\n", "what is for root alone stays closed, also to a root caller"
