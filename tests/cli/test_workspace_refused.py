"""Folders that can be no workspace, nor be granted for writing: 125, what is wrong with them, and what to type."""
import os
import shutil

import pytest

from accounts import account, needs_root  # noqa: F401 (a fixture)
from workbench import PATH


def refused(lab, folder, *options, home=None, pinfold=None, cwd=None):
    """Run with this workspace: (the result is the refusal, the result)."""
    env = {"PATH": PATH, **({"HOME": os.fspath(home)} if home else {})}
    line = [pinfold or lab.pinfold, "run", "--workspace", folder, *options, "--", "touch", lab.ws / "ran"]
    result = lab.plain(line, env=env, cwd=cwd or folder)
    lines = result.err.splitlines()
    good = result.code == 125 and len(lines) == 1 and lines[0].startswith("pinfold: ") and result.out == ""
    assert not (lab.ws / "ran").exists(), "the command ran"
    return good, result


def advice(result):
    """The part of the message that tells what to do instead."""
    return any(word in result.err for word in ("name ", "--workspace", "cd ", "install "))


@pytest.mark.parametrize("name", [".vscode", ".claude", ".idea", ".husky"])
def test_folder_of_configuration_that_nobody_named(lab, name):
    """Its files run on the host. Who stands in it hasn't said that the command may change them; who names it has."""
    folder = lab.file(lab.ws / name / "f").parent
    line = [lab.pinfold, "run", "--", "touch", "made"]
    assert lab.plain(line, cwd=lab.ws).code == 0   # control leg: the folder around it
    result = lab.plain(line, cwd=folder)
    assert result.code == 125 and "configuration that runs code on the host" in result.err, result
    assert f"--workspace {folder}\n" in result.err and not (folder / "made").exists()
    assert lab.plain([*line[:2], "--mode", "discard", *line[2:]], cwd=folder).code == 0 and not (folder / "made").exists()
    assert lab.plain([*line[:2], "--workspace", ".", *line[2:]], cwd=folder).code == 0 and (folder / "made").exists()
    below = lab.file(folder / "worktrees" / "x" / "f").parent   # a checkout that an agent keeps there
    assert lab.plain(line, cwd=below).code == 0 and (below / "made").exists()


@pytest.mark.parametrize("folder", ["/", "//", "/.", "/usr/.."])
def test_root(lab, folder):
    good, result = refused(lab, folder)
    assert good and advice(result), result


def test_home_and_its_ancestors(lab):
    """Start-up files of the shell and keys live there."""
    for folder in (lab.home, lab.scratch.path, "/var", lab.home / "..", lab.home / "."):
        good, result = refused(lab, folder)
        assert good and advice(result), f"{folder}: {result}"
    link = lab.outside / "link"
    link.symlink_to(lab.home)
    good, result = refused(lab, link)
    assert good, result


def test_home_as_the_default_workspace(lab):
    result = lab.plain([lab.pinfold, "run", "--", "touch", "ran"], cwd=lab.home, env={"PATH": PATH})
    assert result.code == 125 and not (lab.home / "ran").exists(), result


def test_home_of_the_password_file_too(lab):
    """A HOME that says something else does not open the real one."""
    import pwd
    try:
        real = pwd.getpwuid(lab.user.uid).pw_dir
    except KeyError:
        real = "/nonexistent"
    if os.path.isdir(real):
        good, result = refused(lab, real, home=lab.outside)
        assert good, result


def test_folder_in_home_is_fine(lab):
    project = lab.home / "project"
    project.mkdir()
    lab.own(project)
    line = [lab.pinfold, "run", "--workspace", project, "--", "sh", "-c", "echo x >made; ls -A .."]
    result = lab.plain(line, cwd=project, env={"PATH": PATH})
    assert (result.code, result.out) == (0, "project\n") and (project / "made").exists(), result


def test_folder_that_holds_pinfold(lab):
    """Else a command could replace the program that holds it next time."""
    folder = lab.ws / "tools" / "bin"
    folder.mkdir(parents=True)
    lab.own(folder, folder.parent)
    shutil.copy(lab.pinfold, folder / "pinfold")
    for workspace in (folder, folder.parent, lab.ws):
        good, result = refused(lab, workspace, pinfold=folder / "pinfold")
        assert good and advice(result), f"{workspace}: {result}"


@pytest.mark.parametrize("folder", [
    "/usr", "/etc", "/proc", "/dev", "/sys", "/bin", "/lib", "/boot", "/root", "/run", "/var", "/usr/local", "/usr/lib",
    "/dev/shm", "/proc/self", "/sys/fs", "/etc/ssl", "/opt", "/home", "/var/lib", "/sbin", "/lib64"])
def test_system_folders(lab, folder):
    if not os.path.isdir(folder):
        return
    good, result = refused(lab, folder, cwd=lab.ws)
    assert good, f"{folder}: {result}"


@pytest.mark.parametrize("folder", ["/", "/usr", "/etc", "/proc", "/dev", "/sys", "HOME", "ABOVE"])
def test_grants_for_writing_follow_the_same_rule(lab, folder):
    folder = {"HOME": lab.home, "ABOVE": lab.scratch.path}.get(folder, folder)
    good, result = refused(lab, lab.ws, "--write", folder)
    assert good and "--write" in result.err and advice(result), result


def test_root_is_no_readable_root_either(lab):
    good, result = refused(lab, lab.ws, "--read", "/")
    assert good and advice(result), result


def test_workspace_that_is_no_folder_or_absent(lab):
    file = lab.file(lab.outside / "file")
    for folder in (file, lab.outside / "absent", lab.outside / "file" / "x", "/dev/null"):
        good, result = refused(lab, folder, cwd=lab.ws)
        assert good and os.fspath(folder) in result.err, result
    loop = lab.outside / "loop"
    loop.symlink_to("loop")
    good, result = refused(lab, loop, cwd=lab.ws)
    assert good, result


def test_workspace_of_somebody_else(lab):
    """What the caller may not change can't be changed in the box; pinfold gives no rights."""
    folder = lab.outside / "theirs"
    folder.mkdir(0o755)
    if os.geteuid() == 0:
        os.chown(folder, 54321, 54321)
    else:
        folder.chmod(0o555)
    line = [lab.pinfold, "run", "--workspace", folder, "--", "touch", "made"]
    result = lab.plain(line, cwd=folder, env={"PATH": PATH})
    assert lab.user.uid == 0 or (result.code != 0 and os.listdir(folder) == []), result


@needs_root
@pytest.mark.parametrize("mode", ["0555", "0755"])
def test_link_of_roots_that_a_command_moved(account, mode):
    """In a folder of the caller's a command can have put root's link, whatever mode it then gave the folder."""
    uid = account.lab.user.uid
    make = "mount -t tmpfs -o mode=0755 tmpfs /srv; mkdir /srv/ws /srv/other; ln -s ../other /srv/ws/link; "
    look = lambda before: account.pinfold("explain", "--workspace", account.lab.ws, "--read", "/srv/ws/link", before=before)
    result = look(make)
    assert result.code == (125 if uid == 0 else 0), result
    result = look(f"{make} chown {uid} /srv/ws; chmod {mode} /srv/ws")
    assert result.code == 125 and "leads through the symlink /srv/ws/link" in result.err, result
