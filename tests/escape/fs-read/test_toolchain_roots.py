"""Toolchains of the home open nothing but what their rows show: no credentials, by no name, link, variable or spoofed
layout (entry 61)."""
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness import users

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
TOOL = "#!/bin/sh\necho tool\n"


def folder(lab, path):
    lab.file(path / ".made").unlink()
    return path


def link(lab, path, target):
    folder(lab, path.parent)
    path.symlink_to(target)
    lab.own(path)


def cargo(lab):
    lab.file(lab.home / ".cargo/bin/x", TOOL, 0o755)
    return f"{lab.home}/.cargo/bin"


def secret(lab):
    """What no box may see, in a folder with the layouts of a toolchain and of a virtual environment."""
    lab.file(lab.home / ".ssh/bin/x", TOOL, 0o755)
    lab.file(lab.home / ".ssh/libexec/pyenv", TOOL, 0o755)
    for name in ("bin/id", "lib/id", "versions/id", "id"):
        lab.file(lab.home / ".ssh" / name, "SECRET\n")
    lab.file(lab.home / ".ssh/pyvenv.cfg", "home = /usr/bin\n")
    return lab.home / ".ssh"


def spoofs(lab):
    """name: (scene, PATH, variables, file that must not be read)"""
    home = lab.home

    def none():
        pass

    def workspace_link():
        lab.file(home / ".pyenv/libexec/pyenv", TOOL, 0o755)
        lab.file(home / ".pyenv/versions/1/lib/id", "SECRET\n")
        link(lab, lab.ws / "node_modules/.bin/x", home / ".pyenv/libexec/pyenv")

    def workspace_venv():
        workspace_link()
        lab.file(lab.ws / "v/pyvenv.cfg", f"home = {home}/.pyenv/versions/1/bin\n")
        lab.file(lab.ws / "v/bin/python", TOOL, 0o755)

    def home_is_a_venv():
        lab.file(home / "pyvenv.cfg", "home = /usr/bin\n")
        lab.file(home / "bin/x", TOOL, 0o755)
        lab.file(home / "lib/id", "SECRET\n")

    return {
        "credentials-of-cargo": (lambda: (cargo(lab), lab.file(home / ".cargo/credentials.toml", "SECRET\n")),
                                 f"{home}/.cargo/bin", {}, home / ".cargo/credentials.toml"),
        "path-names-it": (none, f"{home}/.ssh:{home}/.ssh/bin", {}, home / ".ssh/bin/id"),
        "path-through-dots": (lambda: cargo(lab), f"{home}/.cargo/bin/../../.ssh/bin", {}, home / ".ssh/bin/id"),
        "variable": (none, "", {"VIRTUAL_ENV": f"{home}/.ssh", "PYENV_ROOT": f"{home}/.ssh"}, home / ".ssh/lib/id"),
        "variable-is-the-home": (lambda: lab.file(home / "libexec/pyenv", TOOL, 0o755), "", {"PYENV_ROOT": f"{home}"},
                                 home / ".ssh/id"),
        "variable-above-the-home": (lambda: lab.file(home.parent / "libexec/pyenv"), "", {"PYENV_ROOT": f"{home.parent}"},
                                    home / ".ssh/id"),
        "root-is-a-link": (lambda: link(lab, home / ".pyenv", ".ssh"), f"{home}/.pyenv/bin", {}, home / ".ssh/versions/id"),
        "shown-folder-is-a-link": (lambda: (cargo(lab), link(lab, home / ".rustup/toolchains", home / ".ssh/lib"),
                                            lab.file(home / ".rustup/settings.toml")), f"{home}/.cargo/bin", {}, home / ".ssh/lib/id"),
        "folder-on-the-way-is-a-link": (lambda: link(lab, home / ".local/share/uv", home / ".ssh"), f"{home}/.local/share/uv/tools/t/bin",
                                        {}, home / ".ssh/id"),
        "path-entry-is-a-link": (lambda: link(lab, home / "tools", home / ".ssh"), f"{home}/tools/bin", {}, home / ".ssh/bin/id"),
        "link-of-local-bin": (lambda: link(lab, home / ".local/bin/x", home / ".ssh/bin/id"), f"{home}/.local/bin", {}, home / ".ssh/bin/id"),
        "chain-of-links": (lambda: (link(lab, home / ".local/bin/x", home / "sdk/go/bin/x"), link(lab, home / "sdk/go", home / ".ssh")),
                           f"{home}/.local/bin", {}, home / ".ssh/bin/id"),
        "fnm": (lambda: link(lab, home / "fnm_multishells/1", home / ".ssh"), f"{home}/fnm_multishells/1/bin", {}, home / ".ssh/bin/id"),
        "base-of-a-venv": (lambda: (lab.file(home / "v/pyvenv.cfg", f"home = {home}/.ssh/bin\n"), lab.file(home / "v/bin/x", TOOL)),
                           f"{home}/v/bin", {"VIRTUAL_ENV": f"{home}/v"}, home / ".ssh/bin/id"),
        "home-is-a-venv": (home_is_a_venv, f"{home}/bin", {"VIRTUAL_ENV": f"{home}"}, home / "lib/id"),
        "link-in-the-workspace": (workspace_link, f"{lab.ws}/node_modules/.bin", {}, home / ".pyenv/versions/1/lib/id"),
        "venv-in-the-workspace": (workspace_venv, f"{lab.ws}/v/bin", {"VIRTUAL_ENV": f"{lab.ws}/v"}, home / ".pyenv/versions/1/lib/id"),
        "not-in-what-is-shown": (lambda: (cargo(lab), lab.file(home / ".cargo/registry/bin/id", "SECRET\n")), f"{home}/.cargo/registry/bin",
                                 {}, home / ".cargo/registry/bin/id"),
    }


NAMES = sorted(spoofs(SimpleNamespace(home=Path("/h"), ws=Path("/w"))))


@pytest.mark.parametrize("name", NAMES)
def test_e061_toolchains_open_nothing_else(lab, name):
    scene, path, variables, target = spoofs(lab)[name]
    secret(lab)
    scene()
    env = {"PATH": f"{path}:{SYSTEM}" if path else SYSTEM, **variables}
    lab.legs(["read", target], {"ENOENT", "ENOTDIR"}, env=env, grant=["--waive", "fs-secret", "--read", target], without=("landlock", "mounts-readonly", "seccomp"))


def versions(lab, count):
    lab.file(lab.home / ".pyenv/libexec/pyenv", TOOL, 0o755)
    for i in range(count):
        folder(lab, lab.home / f".pyenv/versions/{i}")
    return lab.file(lab.home / ".pyenv/versions/0/pip.conf", "SECRET\n"), f"{lab.home}/.pyenv/bin"


def test_e061_hidden_file_stays_hidden(lab):
    """A covered file, while the host replaces it by another, as editors do."""
    target, path = versions(lab, 1)
    script = f"cat {target}; echo begun; while ! test -e {lab.ws}/go; do sleep 0.05; done; cat {target}; echo end"
    host = threading.Thread(target=replace_when_begun, args=(lab, target))
    host.start()
    result = lab.run(["sh", "-c", f"touch {lab.ws}/begun; " + script], env={"PATH": f"{path}:{SYSTEM}"})
    host.join()
    assert "SECRET" in target.read_text() and result.out == "begun\nend\n", result


def replace_when_begun(lab, target):
    for _ in range(600):
        if (lab.ws / "begun").exists():
            break
        threading.Event().wait(0.05)
    new = lab.file(target.parent / "new", "SECRET again\n")
    os.rename(new, target)
    lab.file(lab.ws / "go")


def test_e061_what_can_not_be_looked_through_is_not_shown(lab):
    """Too many versions, or a folder of theirs that can't be read: what must be hidden can't be told."""
    target, path = versions(lab, 1100)
    lab.legs(["read", target], {"ENOENT"}, env={"PATH": f"{path}:{SYSTEM}"}, grant=["--read", target])
    explained = lab.plain([lab.pinfold, "explain"], env={"PATH": f"{path}:{SYSTEM}"})
    assert f"{lab.home}/.pyenv/versions  (what must be hidden in it can't be told)" in explained.out


def test_e061_links_to_too_many(lab):
    """Links of a folder on PATH lead to hundreds of tools: a bounded number is shown, and the box starts."""
    for i in range(300):
        lab.file(lab.home / f".local/share/uv/tools/t{i}/bin/x{i}", TOOL, 0o755)
        lab.file(lab.home / f".local/share/uv/tools/t{i}/pyvenv.cfg")
        link(lab, lab.home / f".local/bin/x{i}", f"../share/uv/tools/t{i}/bin/x{i}")
    result, told = lab.receipt(["sh", "-c", "for i in ~/.local/bin/*; do $i; done 2>/dev/null | wc -l"],
                               env={"PATH": f"{lab.home}/.local/bin:{SYSTEM}"})
    shown = [m for m in told["mounts"] if m["why"].startswith("toolchain ")]
    assert len(shown) == 256 and 0 < int(result.out) <= 256 and told["confined"] == "full", (len(shown), result)


def test_e061_others_toolchain(lab):
    """A root, or a folder in one, that belongs to another user is not shown."""
    if os.geteuid() != 0:
        pytest.skip("another user's folder is made by root")
    path = cargo(lab)
    target = lab.home / ".cargo/bin/x"
    os.chown(lab.home / ".cargo", 1234, 1234)
    lab.legs(["read", target], {"ENOENT"}, env={"PATH": f"{path}:{SYSTEM}"}, grant=["--read", target])
    lab.own(lab.home / ".cargo")
    os.chown(lab.home / ".cargo/bin", 1234, 1234)
    lab.legs(["read", target], {"ENOENT"}, env={"PATH": f"{path}:{SYSTEM}"}, grant=["--read", target])


@pytest.mark.parametrize("kind", ["fifo", "socket", "device"])
def test_things_that_are_no_files(lab, kind):
    """A FIFO in place of a file of the table is neither shown nor opened, so that nothing waits."""
    path = cargo(lab)
    lab.file(lab.home / "v/bin/x", TOOL, 0o755)
    folder(lab, lab.home / ".rustup/toolchains")
    for name in (".rustup/settings.toml", "v/pyvenv.cfg", ".cargo/env"):
        if kind == "device" and os.geteuid() == 0:
            os.mknod(lab.home / name, 0o20666, os.makedev(1, 5))
        elif kind == "socket":
            os.mknod(lab.home / name, 0o140666)
        else:
            os.mkfifo(lab.home / name)
        os.chown(lab.home / name, lab.user.uid, lab.user.uid)
    script = "x; ls -A ~/.rustup ~/.cargo ~/v 2>/dev/null | tr '\\n' ' '"
    result = lab.run(["sh", "-c", script], env={"PATH": f"{path}:{lab.home}/v/bin:{SYSTEM}"}, timeout=60)
    assert result.code == 0 and result.out.startswith("tool\n") and "settings.toml" not in result.out and "env" not in result.out.split(), result


@pytest.mark.parametrize("lab", users()[:2], ids=repr, indirect=True)
def test_e061_while_the_host_changes_it(lab):
    """A shown folder that is, by turns, itself and a link to a secret one: shown, left out or refused, and never followed."""
    secret(lab)
    path = cargo(lab)
    place, other, aside = lab.home / ".cargo/bin", lab.home / ".cargo/link", lab.home / ".cargo/aside"
    other.symlink_to(lab.home / ".ssh/bin")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            for a, b in ((place, aside), (other, place), (place, other), (aside, place)):
                os.rename(a, b)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(25):
            result = lab.run(["sh", "-c", "cat ~/.cargo/bin/id ~/.ssh/* ~/.ssh/bin/id 2>/dev/null; echo ran"], env={"PATH": f"{path}:{SYSTEM}"})
            assert "SECRET" not in result.out and ((result.code, result.out) == (0, "ran\n") or result.code == 126), result
    finally:
        stop.set()
        thread.join()
    assert not (lab.home / ".ssh/bin/bin").exists() and sorted(os.listdir(lab.home / ".ssh/bin")) == ["id", "x"]
