"""Workspaces, grants and homes on the file systems that people have, with the names that they have."""
import os
import shutil
import subprocess

import pytest

from repositories import IDENTITY
from workbench import PATH, pinfold_line, raw, run_mounted, shell

MEBIBYTES = {"ext4": 32, "btrfs": 128, "xfs": 320}
MAKE = {"ext4": ["mkfs.ext4", "-q"], "btrfs": ["mkfs.btrfs", "-q"], "xfs": ["mkfs.xfs", "-q"]}
WORK = """
umask 022; mkdir -p a/b; echo one >a/b/f; mv a/b c; mv c/f f; ln f g; ln -s f l; echo two >>g; cat l; cp g f.new; rm g; mv f.new f
git init -q . && git add f && git commit -qm one && git mv f h && git commit -qm two && git checkout -q HEAD~1 && cat f
chmod 600 f; stat -c '%a %u' f; touch -d @1000000000 f; stat -c %Y f; rm -r a c l; ls | grep -v lost+found
"""
WORKED = "one\ntwo\none\ntwo\n600 {uid}\n1000000000\nf\n"


def mounting(lab, system):
    """Shell lines that make the folder `disk` one of this file system, the user's own."""
    disk = lab.outside / "disk"
    disk.mkdir()
    lab.own(disk)
    own = f"\nchown {lab.user.uid}:{lab.user.uid} {disk}"
    if system == "tmpfs":
        return disk, f"mount -t tmpfs t {disk}" + own
    if system == "overlay":
        for name in ("low", "space"):
            (lab.outside / name).mkdir()
            lab.own(lab.outside / name)
        return disk, f"""cd {lab.outside}; mount -t tmpfs t space; mkdir space/up space/work
            mount -t overlay -o lowerdir=low,upperdir=space/up,workdir=space/work,userxattr o {disk}""" + own
    image = lab.scratch.path / "image"
    with open(image, "wb") as file:
        file.truncate(MEBIBYTES[system] << 20)
    subprocess.run([*MAKE[system], image], check=True, stdout=subprocess.DEVNULL, env={"PATH": PATH})
    return disk, f"mount -o loop {image} {disk}" + own


def run_on(lab, system, script, *options, mode="direct"):
    """What a script says in a box whose workspace is on this file system: (status, output, errors)."""
    disk, mounts = mounting(lab, system)
    line = pinfold_line(lab, "run", "--workspace", disk, "--mode", mode, *options,
                        *[w for name, value in IDENTITY.items() for w in ("--env", f"{name}={value}")], "--", "sh", "-ec", script)
    return run_mounted(lab, mounts, ["sh", "-c", 'cd "$0" && "$@"; s=$?; ls -A >&2; exit $s', disk, *line])


def can_mount(system):
    if os.geteuid() and system in MAKE:
        pytest.skip("not root: an ordinary user may mount none of these")


@pytest.mark.parametrize("system", ["tmpfs", "overlay", *MAKE])
def test_a_workspace(lab, system):
    """Renames, links, modes, times and git, as everywhere; and what was written is there."""
    can_mount(system)
    code, out, left = run_on(lab, system, WORK)
    if system == "overlay" and lab.user.uid == 0:
        assert code == 126 and "id-mapped" in left, left   # overlayfs can't: refused, with what to type
        return
    assert (code, out) == (0, WORKED.format(uid=lab.user.uid)), (code, out, left)
    assert set(left.split()) - {"lost+found"} == {".git", "f"}, left


@pytest.mark.parametrize("mode", ["discard", "readonly"])
@pytest.mark.parametrize("system", MAKE)
def test_a_workspace_that_stays_as_it_is(lab, system, mode):
    can_mount(system)
    script = "mkdir -p d && echo x >d/f && mv d/f . && cat f" if mode == "discard" else "! mkdir d 2>/dev/null && echo no"
    code, out, left = run_on(lab, system, script, mode=mode)
    assert (code, out) == (0, "x\n" if mode == "discard" else "no\n"), (code, out, left)
    assert set(left.split()) <= {"lost+found"}, left


@pytest.mark.parametrize("system", ["tmpfs", *MAKE])
def test_protected_paths_and_new_folders(lab, system):
    """A held folder stays, an ancestor of it too; a folder for --write is made there."""
    can_mount(system)
    disk, mounts = mounting(lab, system)
    mounts += f"\nmkdir -p {disk}/ws/x/held {disk}/ws/.git; chown -R {lab.user.uid} {disk}/ws"
    line = pinfold_line(lab, "run", "--workspace", disk / "ws", "--protect", disk / "ws/x/held", "--create", "--write", disk / "new/one",
                        "--", "sh", "-c", "touch x/held/f .git/f; mv x y; mkdir x/z && mv x/z w; echo new >../new/one/f; ls; cat ../new/one/f")
    code, out, err = run_mounted(lab, mounts, ["sh", "-c", 'cd "$0/ws" && "$@"; stat -c %a "$0/new/one"', disk, *line])
    assert (code, out) == (0, "w\nx\nnew\n700\n"), (code, out, err)
    assert err.count("Read-only") == 2 and "busy" in err, err


@pytest.mark.parametrize("kind", ["workspace", "read", "write"])
def test_a_read_only_mount(lab, kind):
    """What the host has mounted read-only is so in the box, however it is granted; all else works."""
    disk = lab.outside / "disk"
    disk.mkdir()
    lab.own(disk)
    mounts = f"mount -t tmpfs t {disk}; echo text >{disk}/f; chown -R {lab.user.uid} {disk}; mount -o remount,ro {disk}"
    workspace = disk if kind == "workspace" else lab.ws
    grant = [] if kind == "workspace" else [f"--{kind}", disk]
    line = pinfold_line(lab, "run", "--workspace", workspace, *grant, "--", "sh", "-c", f"cat {disk}/f; echo x >{disk}/f; echo $?")
    code, out, err = run_mounted(lab, mounts, ["sh", "-c", 'cd "$0" && exec "$@"', workspace, *line])
    assert (code, out) == (0, "text\n2\n"), (code, out, err)
    line = pinfold_line(lab, "run", "--workspace", workspace, "--create", "--write", disk / "new", "--", "true")
    code, out, err = run_mounted(lab, mounts, ["sh", "-c", 'cd "$0" && exec "$@"', workspace, *line])
    assert code == 125 and "can't be made (Read-only file system)" in err and err.count("\n") == 1, (code, err)


NAMES = [b"with spaces and\ttabs", b"new\nline\n", b"\xff\xfe\x80 no text", b"'\"\\$`*?[x]{y}", b"-r", b"n" * 255]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names(lab, name):
    """A workspace, grants, a protected path, a denied one, a folder to be made, a receipt and a home of that name, at once."""
    name = os.fsdecode(name)
    ws, other, home = lab.scratch.path / "w" / name, lab.outside / name, lab.scratch.path / "h" / name
    for path in (ws / name / "held" / "f", other / "f", lab.outside / "r" / name / "f", lab.outside / "r" / name / "denied" / "k", home / "f"):
        lab.file(path, "text\n")
    script = ('cat "$1/f" "$2/f"; ! cat "$2/denied/k" && echo box >"$1/f" && echo made >"$1/new/f" && ! : 2>/dev/null >"$0/held/f" && '
              'echo "home" >"$HOME/x" && test "$PWD" = "$3" && mv "$1/f" "$1/$0"')
    line = [lab.pinfold, "run", "--workspace", ws, "--write", other, "--read", lab.outside / "r" / name, "--protect", ws / name / "held",
            "--deny", lab.outside / "r" / name / "denied", "--create", "--write", other / "new", "--receipt", lab.scratch.path / "r.json",
            "--", "bash", "-c", script, name, other, lab.outside / "r" / name, ws]
    done = raw(lab, lab.user.argv(line), cwd=ws, env={"HOME": os.fspath(home)})
    assert (done.returncode, done.stdout) == (0, b"text\ntext\n"), done
    assert (other / name).read_text() == "box\n" and (other / "new" / "f").read_text() == "made\n"
    assert os.listdir(home) == ["f"] and (ws / name / "held" / "f").read_text() == "text\n"


def test_paths_of_4000_bytes(lab):
    """As workspace, as a grant, as what is denied, protected and made."""
    room = 4000 - len(os.fspath(lab.scratch.path)) - len("/x/made/now")
    deep = "/".join(["d" * 199] * (room // 200))
    ws, other = lab.scratch.path / "w" / deep, lab.scratch.path / "o" / deep
    for folder in (ws, other):
        lab.file(folder / "held" / "f", "text\n")
        lab.file(folder / "key", "k\n")
    lab.file(other / "r" / "key", "k\n")
    script = 'cat "$0/held/f"; echo x >"$0/f"; echo x >"$0/made/now/f"; echo x >f; ! cat "$0/r/key"; ! touch held/f'
    line = [lab.pinfold, "run", "--workspace", ws, "--write", other, "--protect", ws / "held", "--create", "--write", other / "made/now",
            "--deny", other / "r", "--", "sh", "-ec", script, other]
    assert len(os.fspath(other / "made/now")) > 3800
    done = raw(lab, lab.user.argv(line), cwd=ws)
    assert (done.returncode, done.stdout) == (0, b"text\n"), done
    assert (other / "made/now/f").read_text() == (other / "f").read_text() == (ws / "f").read_text() == "x\n"


def test_a_home_that_is_a_link(lab):
    """HOME by a link, as where homes are on another disk: the box's own stands at its real path and by the link."""
    real = lab.scratch.path / "real-home"
    lab.file(real / "project" / "f", "text\n")
    lab.file(real / ".bashrc", "rc\n")
    link = lab.scratch.path / "link-home"
    link.symlink_to(real)
    lab.own(link)
    script = 'cat f; cd ~ && pwd -P && ls -A && echo x >~/new && cat "$0/new" && git config --global a.b c && cat ~/.gitconfig | wc -l'
    for workspace, start in ((real / "project", real / "project"), (real / "project", link / "project")):
        line = [lab.pinfold, "run", "--workspace", workspace, "--", "sh", "-ec", script, link]
        done = lab.plain(line, cwd=start, env={"PATH": PATH, "HOME": os.fspath(link), "PWD": os.fspath(start)})
        assert (done.code, done.out) == (0, f"text\n{real}\nproject\nx\n2\n"), done
    line = [lab.pinfold, "run", "--", "sh", "-ec", script, link]   # the workspace is where the caller stands
    done = lab.plain(line, cwd=link / "project", env={"PATH": PATH, "HOME": os.fspath(link), "PWD": os.fspath(link / "project")})
    assert (done.code, done.out) == (0, f"text\n{real}\nproject\nx\n2\n"), done
    assert sorted(os.listdir(real)) == [".bashrc", "project"]
    assert lab.plain([lab.pinfold, "run", "--workspace", link, "--", "true"], env={"HOME": os.fspath(link)}).code == 125
    assert shell(lab, "true", env={"HOME": os.fspath(link)}).code == 0
    shutil.rmtree(real)   # a link that leads nowhere
    assert shell(lab, "cd ~ && echo x >x", env={"HOME": os.fspath(link)}).code == 0 and not real.exists()
