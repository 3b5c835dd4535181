"""The floor: what no box shows, whatever root it lies in, without being told."""
import os
import shutil
import socket
import stat

import pytest

from workbench import PATH

SECRET = "secret-" + "z" * 8
HOME = {".config/gh/hosts.yml": ".config", ".cargo/credentials.toml": ".cargo", ".docker/config.json": ".docker",
        ".local/share/keyrings/login.keyring": ".local/share", ".claude/.credentials.json": ".claude",
        ".cache/huggingface/token": ".cache"}
ABSENT = {"ENOENT"}


@pytest.mark.parametrize("name", HOME)
def test_secret_below_a_granted_folder_of_the_home(lab, name):
    """A granted folder of the home is shown without the secrets in it; only the waiver and a grant of it itself shows
    one."""
    path = lab.file(lab.home / name, SECRET)
    read = ["--read", lab.home / HOME[name]]
    lab.file(lab.home / HOME[name] / "beside")
    lab.legs(["read", path], ABSENT, options=read, grant=[*read, "--read", path, "--waive", "fs-secret"],
             without=("landlock", "seccomp", "mounts-readonly"))
    assert lab.run([lab.attacker, "read", lab.home / HOME[name] / "beside"], *read).verdict == "ok"
    told = lab.run(["/bin/true"], "--write", lab.home / HOME[name])
    assert told.code == 125 and "must not be read (built in)" in told.err, told


@pytest.mark.parametrize("name", [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".bash_history"])
def test_secret_of_a_granted_home(lab, name):
    """The whole home for reading shows none of it; nor a folder above it."""
    path = lab.file(lab.home / name, SECRET)
    for root in (lab.home, lab.home.parent):
        lab.legs(["read", path], ABSENT, options=["--read", root], without=("landlock",))


@pytest.mark.parametrize("option", ["--read", "--write", "--workspace"])
@pytest.mark.parametrize("path", [".ssh", ".ssh/config.d", ".aws"])
def test_a_secret_can_not_be_granted(lab, option, path):
    """A grant of a secret, or of something in one, is a mistake that is told; given up by name it is a grant."""
    lab.file(lab.home / path / "f", SECRET)
    front = [lab.pinfold, "run", option, lab.home / path]
    done = lab.plain([*front, "--", "/bin/cat", lab.home / path / "f"], cwd=lab.home / path)
    assert done.code == 125 and "--waive fs-secret" in done.err and done.out == "", done
    done = lab.plain([*front, "--waive", "fs-secret", "--", "/bin/cat", lab.home / path / "f"], cwd=lab.home / path)
    assert done.code == 0 and done.out == SECRET, done


def test_dotfiles_behind_links(lab):
    """Where the home's names are links into a folder of dotfiles, that folder is shown without them."""
    lab.file(lab.home / "dotfiles" / "ssh" / "id", SECRET)
    lab.file(lab.home / "dotfiles" / "config" / "gh" / "hosts.yml", SECRET)
    lab.file(lab.home / "dotfiles" / "vimrc", "set ai")
    (lab.home / ".ssh").symlink_to("dotfiles/ssh")
    (lab.home / ".config").symlink_to(lab.home / "dotfiles" / "config")
    read = ["--read", lab.home / "dotfiles"]
    for name in ("ssh/id", "config/gh/hosts.yml"):
        lab.legs(["read", lab.home / "dotfiles" / name], ABSENT, options=read, without=("landlock",))
    assert lab.run(["/bin/cat", lab.home / "dotfiles" / "vimrc"], *read).out == "set ai"


def test_a_socket_among_secrets(lab):
    """To connect to an agent is not to read its keys: its socket can be granted, and shows nothing else."""
    lab.file(lab.home / ".gnupg" / "key", SECRET)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(lab.home / ".gnupg" / "S.gpg-agent"))
        server.listen()
        lab.own(lab.home / ".gnupg" / "S.gpg-agent")
        done = lab.run(["/bin/ls", "-A", lab.home / ".gnupg"], "--unix-socket", lab.home / ".gnupg" / "S.gpg-agent")
    assert done.out.split() == ["S.gpg-agent"], done


def as_root_with(lab, before, command):
    """Run as the test's user in a mount namespace in which root has set the scene."""
    if os.geteuid() != 0:
        pytest.skip("mounts need root")
    words = ["/usr/bin/unshare", "-m", "/bin/sh", "-ec", f'{before}; exec "$@"', "sh", *lab.user.argv(command)]
    root = lab.user
    try:
        lab.user = type(root)(0)
        return lab.plain(words)
    finally:
        lab.user = root


@pytest.mark.parametrize("deny", [False, True], ids=["floor", "deny"])
def test_secret_at_another_mount(lab, deny):
    """A bind mount that shows it elsewhere shows it no more."""
    lab.file(lab.home / ".config" / "gh" / "hosts.yml", SECRET)
    lab.file(lab.home / "own" / "k", SECRET)
    other = lab.scratch.path / "other"
    other.mkdir()
    name, extra = ("own", ["--deny", lab.home / "own" / "k"]) if deny else (".config", [])
    path = other / ("k" if deny else "gh/hosts.yml")
    mount = f"mount --bind {lab.home}/{name} {other}"
    boxed = [lab.pinfold, "run", "--workspace", lab.ws, "--read", other, *extra, "--", "/bin/cat", path]
    assert as_root_with(lab, mount, ["/bin/cat", path]).out == SECRET
    done = as_root_with(lab, mount, boxed)
    assert SECRET not in done.out and "No such file" in done.err, done


def test_mounts_below_a_root_with_secrets(lab):
    """An overlay would hide what is mounted below: refused, with what mends it."""
    lab.file(lab.home / ".config" / "gh" / "hosts.yml", SECRET)
    lab.file(lab.home / ".config" / "sub" / "f", "f")
    mount = f"mount -t tmpfs t {lab.home}/.config/sub"
    boxed = [lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.home / ".config", "--", "/bin/true"]
    (lab.home / ".config" / "git").mkdir()
    done = as_root_with(lab, mount, boxed)
    assert done.code == 126 and "findmnt" in done.err and "--waive fs-secret" in done.err, done
    assert as_root_with(lab, mount, [*boxed[:-2], "--waive", "fs-secret", "--", "/bin/true"]).code == 0


ETC = {"krb5.keytab": 0o644, "wireguard/wg0.conf": 0o644, "shadow": 0o644}


@pytest.mark.parametrize("name", ETC)
def test_secret_of_etc_that_can_be_read(lab, name):
    """A file of the floor in /etc whose mode is open to everybody is kept from the box, and /etc is there."""
    copy = lab.scratch.path / "etc"
    if os.geteuid() != 0:
        pytest.skip("mounts need root")
    shutil.copytree("/etc", copy, symlinks=True, ignore_dangling_symlinks=True)
    path = copy / name
    path.parent.mkdir(exist_ok=True)
    path.parent.chmod(0o755)
    path.write_text(SECRET)
    path.chmod(ETC[name])
    mount = f"mount --bind {copy} /etc"
    assert as_root_with(lab, mount, ["/bin/cat", f"/etc/{name}"]).out == SECRET
    boxed = [lab.pinfold, "run", "--workspace", lab.ws, "--", "/bin/sh", "-c", f"cat /etc/{name}; wc -l < /etc/passwd"]
    done = as_root_with(lab, mount, boxed)
    assert SECRET not in done.out and int(done.out) > 1 and "No such file" in done.err, done


def test_shadow_of_a_caller_in_its_group(lab):
    """A caller whose groups open /etc/shadow keeps them in the box; the file is absent there."""
    group = os.stat("/etc/shadow").st_gid
    if os.geteuid() != 0 or lab.user.uid == 0 or not group or not stat.S_IMODE(os.stat("/etc/shadow").st_mode) & 0o040:
        pytest.skip("needs root, to give a user the group of /etc/shadow")
    front = ["/usr/bin/setpriv", "--reuid", str(lab.user.uid), "--regid", str(lab.user.uid), "--groups", str(group), "--"]
    root, lab.user = lab.user, type(lab.user)(0)
    try:
        assert lab.plain([*front, lab.attacker, "read", "/etc/shadow"]).verdict == "ok"
        boxed = [lab.pinfold, "run", "--workspace", lab.ws, "--read", lab.attacker.parent, "--", lab.attacker]
        assert lab.plain([*front, *boxed, "read", "/etc/shadow"]).verdict == "ENOENT"
        assert lab.plain([*front, *boxed, "read", "/etc/passwd"]).verdict == "ok"
    finally:
        lab.user = root


def test_nothing_is_made_or_refused_where_there_are_none(lab):
    """A home without any of them, or none at all, is no reason to refuse, and nothing is made there."""
    for home in (lab.home, lab.scratch.path / "nowhere", "/"):
        done = lab.run(["/bin/true"], "--read", lab.outside, env={"HOME": os.fspath(home), "PATH": PATH})
        assert done.code == 0 and not done.err, (home, done)
    assert os.listdir(lab.home) == []


def test_receipt_tells_what_is_denied(lab):
    lab.file(lab.home / ".config" / "gh" / "hosts.yml", SECRET)
    (lab.ws / "keys").mkdir()
    lab.own(lab.ws / "keys")
    result, receipt = lab.receipt(["/bin/true"], "--read", lab.home / ".config", "--deny", lab.ws / "keys")
    assert result.code == 0, result
    denied = {row["path"]: (row["way"], row["why"]) for row in receipt["denied"]}
    assert denied[f"{lab.home}/.config/gh"] == ("absent", "built in")
    assert denied[f"{lab.ws}/keys"] == ("covered", "--deny")
    assert receipt["guarantees"]["fs-secret"]["state"] == "held"
    assert receipt["guarantees"]["fs-secret"]["proof"] == "tried"
    assert "secrets" in receipt["guarantees"]["fs-secret"]["layers"]
