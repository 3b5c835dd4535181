"""Configuration of editors, agents and interpreters, which runs code on the host (entries 50, 84 to 89)."""
import os
import subprocess

import pytest

import harness
from places import clear
from repositories import folder
from workbench import run_with_mounts

FOLDERS = {"e084": [".claude"], "e086": [".codex", ".agents"], "e087": [".cursor", ".gemini", ".windsurf", ".continue"],
           "e088": [".vscode"], "e089": [".idea", ".run", ".zed", ".fleet", ".devcontainer"], "e080": [".husky", ".githooks"]}
FILES = {"e085": [".mcp.json"], "e080": [".pre-commit-config.yaml", "lefthook.yml"], "e089": [".devcontainer.json"],
         "e087": [".aider.conf.yml", "opencode.json"], "e088": [".exrc", ".nvim.lua", ".dir-locals.el", ".envrc", ".gdbinit"]}


def cases(table):
    return [pytest.param(name, id=f"{entry}-{name}") for entry, names in table.items() for name in names]


def scene(lab, *paths):
    def back():
        clear(lab.ws)
        for path in paths:
            lab.file(lab.ws / path)
    return back


@pytest.mark.parametrize("name", cases(FOLDERS))
def test_e084_a_folder_of_configuration(lab, name):
    """A file in it can't be written or made, and the folder can't be moved or put away. All that is there is held in
    one run, its own settings and what lies deeper: 80, 84, 86 to 89."""
    back, witness = scene(lab, f"{name}/settings.json", f"{name}/deep/hook"), lambda: harness.tree(lab.ws / name)
    for words, expect in ((["write", f"{name}/settings.json"], {"EROFS"}), (["create", f"{name}/mcp.json"], {"EROFS"}),
                          (["unlink", f"{name}/deep/hook"], {"EROFS"}), (["rename", name, "moved"], {"EBUSY"})):
        lab.legs(words, expect, prepare=back, witness=witness, grant=["--write", lab.ws / name] if words[0] != "rename" else None)


@pytest.mark.parametrize("name", cases(FILES))
def test_e085_a_file_of_configuration(lab, name):
    """It can't be written, removed, or have another put in its place: 80, 85, 87 to 89."""
    back = scene(lab, name, "other")
    for words, expect in ((["write", name], {"EROFS"}), (["unlink", name], {"EBUSY"}), (["rename", "other", name], {"EBUSY"}),
                          (["exchange", "other", name], {"EBUSY"}), (["link-write", name, "copy"], {"EXDEV"})):
        lab.legs(words, expect, prepare=back, witness=lambda: harness.tree(lab.ws / name),
                 grant=["--write", lab.ws / name] if words[0] in ("write", "unlink") else None)


def test_e084_in_a_second_writable_root(lab):
    """A folder of --write has configuration of its own."""
    def back():
        clear(lab.outside)
        lab.file(lab.outside / ".vscode" / "tasks.json")
    lab.legs(["write", lab.outside / ".vscode" / "tasks.json"], {"EROFS"}, prepare=back, options=["--write", lab.outside],
             grant=["--write", lab.outside, "--write", lab.outside / ".vscode"])


def test_e084_by_a_link_in_the_tree(lab):
    """Settings that are a link: what it leads to can't be written, the link can't be replaced, and no folder above
    either be moved."""
    def back():
        clear(lab.ws)
        lab.file(lab.ws / "dots" / "agent" / "skills" / "run.sh")
        lab.file(lab.ws / "dots" / "vscode" / "tasks.json")
        folder(lab, lab.ws / ".claude")
        (lab.ws / ".vscode").symlink_to("dots/vscode")
        (lab.ws / ".claude" / "skills").symlink_to("../dots/agent/skills")
        lab.own(lab.ws / ".vscode", lab.ws / ".claude" / "skills")
    for words, expect in ((["write", "dots/vscode/tasks.json"], {"EROFS"}), (["unlink", ".vscode"], {"EBUSY"}),
                          (["rename", "dots/vscode", ".vscode"], {"EBUSY", "ENOTDIR"}), (["exchange", ".vscode", "dots"], {"EBUSY"}),
                          (["write", "dots/agent/skills/run.sh"], {"EROFS"}), (["rename", "dots/agent", "a"], {"EBUSY"}),
                          (["rename", "dots", "d"], {"EBUSY"})):
        lab.legs(words, expect, prepare=back, witness=lambda: harness.tree(lab.ws),
                 control=words[:2] != ["rename", "dots/vscode"])


@pytest.mark.parametrize("target", ["/nonexistent/x", ".idea", "loop"])
def test_e089_a_link_that_leads_nowhere(lab, target):
    """It stays where it is, and stops nothing: absent, to itself, in a circle."""
    def back():
        clear(lab.ws)
        (lab.ws / ".idea").symlink_to(target)
        (lab.ws / "loop").symlink_to(".idea")
        lab.own(lab.ws / ".idea", lab.ws / "loop")
    for words in (["unlink", ".idea"], ["rename", ".idea", "i"]):
        lab.legs(words, {"EBUSY"}, prepare=back, witness=lambda: os.readlink(lab.ws / ".idea"))


def acts_with_a_mount(lab, mount, *options):
    """What acts of the attacker come to in a box on a host that has this mount, in a namespace of its own."""
    front = [lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker.parent, *options, "--", lab.attacker]

    def act(*words):
        status, out, err = run_with_mounts(lab, mount, [os.fspath(w) for w in (*front, *words)])
        return out.split()[0] if out else (status, err)
    return act


def test_e084_by_another_mount(lab):
    """A folder that a bind mount shows a second time, in another writable root, is held there as well."""
    lab.file(lab.ws / "sub" / ".vscode" / "tasks.json")
    lab.file(lab.ws / ".vscode" / "tasks.json")
    shown = folder(lab, lab.outside / "shown")
    before = harness.tree(lab.ws / ".vscode")
    act = acts_with_a_mount(lab, f"mount --bind {lab.ws} {shown}", "--write", lab.outside)
    assert act("write", shown / ".vscode" / "tasks.json") == act("create", shown / ".vscode" / "x") == "EROFS"
    assert act("rename", shown / ".vscode", shown / "v") == "EBUSY"
    assert harness.tree(lab.ws / ".vscode") == before


def test_e084_a_part_by_another_mount(lab):
    """So is a part of it that a mount shows elsewhere in the workspace."""
    lab.file(lab.ws / ".claude" / "hooks" / "stop.sh")
    shown = folder(lab, lab.ws / "h")
    act = acts_with_a_mount(lab, f"mount --bind {lab.ws / '.claude' / 'hooks'} {shown}")
    assert act("write", shown / "stop.sh") == "EROFS"


def test_e050_another_spelling_in_a_folder_without_case(lab):
    """Where the file system takes .VSCODE and .vscode for one, the other spelling is as closed."""
    if lab.user.uid:
        pytest.skip("not root: no file system to make")
    image, place = lab.scratch.path / "image", folder(lab, lab.outside / "disk")
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    subprocess.run(["/usr/sbin/mkfs.ext4", "-q", "-O", "casefold", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, place], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("this kernel mounts no file system with casefold")
    try:
        ws = place / "ws"
        ws.mkdir()
        subprocess.run(["chattr", "+F", ws], check=True)
        lab.file(ws / ".vscode" / "tasks.json")
        assert (ws / ".VSCode" / "TASKS.json").exists(), "control: one folder by both names"
        for words, expect in ((["write", ws / ".VSCODE" / "Tasks.json"], "EROFS"), (["rename", ws / ".VSCODE", ws / "v"], "EBUSY"),
                              (["create", ws / ".VsCode" / "x"], "EROFS")):
            result = lab.run([lab.attacker, *words], "--workspace", ws, cwd=ws)
            assert result.verdict == expect, result
    finally:
        subprocess.run(["umount", place], check=True)
