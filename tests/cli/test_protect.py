"""--protect and --git: what they take, what they refuse and with what to type instead, what explain and receipt say."""
import json
import os

import pytest

from repositories import fresh, make
from workbench import shell


def explain(lab, *words):
    result = lab.plain([lab.pinfold, "explain", "--workspace", lab.ws, *words])
    assert result.code == 0, result
    return result.out


@pytest.mark.parametrize("option, words", [
    (("--protect", "absent"), ["--protect absent", "No such file", "is there when the run begins"]),
    (("--protect", "/usr"), ["/usr lies in no folder that the command may change", "leave it out"]),
    (("--protect", "link"), ["leads through the symlink", "/ws/link", "type the path that you mean", "/ws/data"]),
    (("--protect", "."), ["/ws", "may change as a whole", "--mode readonly"]),
    (("--protect", ""), ["--protect", "empty"]),
    (("--protect", "data", "--write", "data"), ["/ws/data", "leave the grant out"]),
    (("--git", "readonly"), ["--git readonly", "read-only or writable"]),
    (("--write", ".git/hooks"), ["/ws/.git/hooks may be changed", "type --git writable"]),
    (("--write", ".git"), ["/ws/.git", "type --git writable"])], ids=lambda v: "-".join(v).replace("/", ".") if isinstance(v, tuple) else "")
def test_what_is_refused(lab, option, words):
    fresh(lab)()
    lab.file(lab.ws / "data" / "f")
    (lab.ws / "link").symlink_to("data")
    lab.own(lab.ws / "link")
    result = lab.run(["touch", "ran"], *option)
    assert result.code == 125 and not (lab.ws / "ran").exists(), result
    assert all(word in result.err for word in words), result.err


@pytest.mark.parametrize("path", [".mcp.json", ".git/config", ".git/hooks/pre-commit", ".vscode/tasks.json", ".claude/hooks/stop"])
def test_a_second_hard_link_is_refused(lab, path):
    """By its other name it could be changed: told with what makes it one file again, which then works."""
    fresh(lab)()
    if not (lab.ws / path).exists():
        lab.file(lab.ws / path)
    os.link(lab.ws / path, lab.ws / "other")
    result = lab.run(["true"])
    assert result.code == 125 and "2 hard links" in result.err and f"{lab.ws / path}" in result.err, result
    assert lab.run(["true"], "--waive", "fs-protect").code == 0
    mend = result.err.split("file of its own: ")[1].split("; or give")[0]
    assert lab.plain(["/bin/sh", "-c", mend]).code == 0
    assert lab.run(["true"]).code == 0 and not (lab.ws / f"{path}.own").exists()


def test_explain_and_receipt_list_what_is_protected(lab):
    fresh(lab)()
    lab.file(lab.ws / ".vscode" / "tasks.json")
    (lab.ws / ".idea").symlink_to("/nonexistent")
    text = explain(lab, "--protect", lab.ws / "src/deep")
    for line in (f"{lab.ws}/.git  (git directory)", f"{lab.ws}/.vscode  (configuration", f"{lab.ws}/src/deep  (--protect)",
                 f"symlinks that stay as they are:\n    {lab.ws}/.idea"):
        assert line in text, text
    result, told = lab.receipt(["true"], "--protect", "src/deep")
    assert result.code == 0
    assert told["protected"] == {"git": "read-only", "links": [f"{lab.ws}/.idea"], "replaced": [],
                                 "paths": [f"{lab.ws}/{name}" for name in (".git", ".vscode", "src/deep")]}
    assert told["guarantees"]["fs-protect"]["state"] == "held" and "protect" in told["guarantees"]["fs-protect"]["layers"]
    assert "git directories are not protected (--git)" in explain(lab, "--git", "writable")
    assert lab.receipt(["true"], "--git", "writable")[1]["protected"]["git"] == "writable"


def test_nothing_to_protect_needs_no_step(lab):
    lab.file(lab.ws / "f")
    told = lab.receipt(["true"])[1]
    assert told["protected"]["paths"] == [] and "protect" not in told["guarantees"]["fs-protect"]["layers"]
    fresh(lab)()
    for mode in ("discard", "readonly"):
        assert lab.receipt(["true"], "--mode", mode)[1]["protected"]["paths"] == []


def test_the_workspace_file_protects(lab):
    """It narrows: paths from the workspace on, and git read-only. It can't say writable, trusted or not; and it can't be
    changed itself."""
    fresh(lab)()
    lab.file(lab.ws / ".pinfold.json", json.dumps({"protect": ["src/deep"], "git": "read-only"}))
    result = shell(lab, "touch src/deep/x; touch .git/x; echo >.pinfold.json; mv .pinfold.json p", "--git", "writable")
    assert result.err.count("Read-only file system") == 3 and "busy" in result.err, result
    lab.file(lab.ws / ".pinfold.json", json.dumps({"git": "writable"}))
    result = lab.run(["true"])
    assert result.code == 125 and "1:9: git: writable: only the operator can say that" in result.err, result


def test_policy_files(lab):
    """The keys of an operator's file, an option after them, and the ban."""
    fresh(lab)()
    file = lab.file(lab.outside / "policy.json", json.dumps({"protect": [f"{lab.ws}/src"], "git": "writable"}))
    result = shell(lab, "touch .git/x && touch src/x", "--policy", file)
    assert "src/x" in result.err and (lab.ws / ".git" / "x").exists(), result
    assert shell(lab, "touch .git/y", "--policy", file, "--git", "read-only").code == 1
    file.write_text(json.dumps({"never": {"git": True}}))
    result = lab.run(["true"], "--policy", file, "--git", "writable")
    assert result.code == 125 and "never git" in result.err, result


def test_a_write_grant_opens_configuration_by_name(lab):
    """A grant of the very path opens it; one of a folder below opens that; one of a file too."""
    lab.file(lab.ws / ".vscode" / "cache" / "f")
    lab.file(lab.ws / ".mcp.json")
    assert shell(lab, "touch .vscode/cache/x && ! touch .vscode/x 2>/dev/null", "--write", ".vscode/cache").code == 0
    assert shell(lab, "touch .vscode/x && ! touch .mcp.json 2>/dev/null", "--write", ".vscode").code == 0
    assert shell(lab, "echo 1 >.mcp.json", "--write", ".mcp.json").code == 0


def test_a_command_that_starts_in_a_protected_folder(lab):
    fresh(lab)()
    result = lab.run(["pwd"], cwd=lab.ws / ".git" / "hooks")
    assert result.out == f"{lab.ws}/.git/hooks\n", result


def test_folders_out_of_reach(lab):
    """A git directory that the caller can't look into is held as it is, and stops nothing."""
    make(lab, lab.ws)
    (lab.ws / ".git").chmod(0)
    try:
        assert lab.run(["true"]).code == 0
    finally:
        (lab.ws / ".git").chmod(0o755)
