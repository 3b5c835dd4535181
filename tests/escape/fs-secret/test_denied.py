"""What --deny names can't be read (entries 54 to 56): below roots that are read-only, below a workspace that is to stay
as it is, and, for a folder, below what the command may write to."""
import os

import pytest

import harness
from workbench import PATH, PYTHON

SECRET = "secret-" + "x" * 8
ABSENT = {"ENOENT"}

# Ways to get at a file; each succeeds without a box.
READS = ["read", "open-path", "stat", "lstat", "statx", "access", "find-text"]


def words_of(how, path):
    return [how, path, SECRET] if how == "find-text" else [how, path]


def scene_of(lab, folder):
    lab.file(folder / "keys" / "k", SECRET + "\n")
    lab.file(folder / "deep" / "er" / "token", SECRET + "\n")
    lab.file(folder / "deep" / "er" / "beside")
    lab.file(folder / "h[1]" / "secret", SECRET + "\n")
    lab.file(folder / "h1" / "secret", SECRET + "\n")
    lab.file(folder / "plain")


@pytest.mark.parametrize("how", READS)
def test_read_denied_file_in_a_read_root(lab, how):
    """A file below --read that --deny names is absent; its neighbour is there."""
    path = lab.outside / "deep" / "er" / "token"
    read = ["--read", lab.outside]
    lab.legs(words_of(how, path), ABSENT, options=[*read, "--deny", path], grant=read,
             prepare=lambda: scene_of(lab, lab.outside), witness=lambda: harness.tree(lab.outside),
             without=("landlock", "seccomp", "mounts-readonly"))
    assert lab.run([lab.attacker, "read", path.parent / "beside"], *read, "--deny", path).verdict == "ok"


@pytest.mark.parametrize("mode", ["readonly", "discard"])
@pytest.mark.parametrize("how", READS)
def test_read_denied_file_in_a_kept_workspace(lab, how, mode):
    """The same in a workspace whose mode keeps it as it is."""
    path = lab.ws / "deep" / "er" / "token"
    lab.legs(words_of(how, path), ABSENT, options=["--mode", mode, "--deny", path], grant=["--mode", mode],
             prepare=lambda: scene_of(lab, lab.ws), witness=lambda: harness.tree(lab.ws),
             without=("landlock", "seccomp", "mounts-readonly"))


@pytest.mark.parametrize("options", [["--write"], []], ids=["write", "workspace"])
def test_read_denied_folder_in_a_writable_root(lab, options):
    """Below what may be written to an empty folder covers a folder."""
    root = lab.outside if options else lab.ws
    options = [*options, root] if options else []
    lab.legs(["read", root / "keys" / "k"], ABSENT, options=[*options, "--deny", root / "keys"], grant=options,
             prepare=lambda: scene_of(lab, root), witness=lambda: harness.tree(root),
             without=("landlock", "seccomp"))
    assert lab.run(["/bin/ls", "-A", root / "keys"], *options, "--deny", root / "keys").out == ""


COVER_MOVES = {
    "rename": ["rename", "{}/keys", "{}/moved"], "exchange": ["exchange", "{}/keys", "{}/h1"],
    "rmdir": ["rmdir", "{}/keys"], "umount": ["umount", "{}/keys"], "bind": ["mount-bind", "{}", "/tmp"],
    "create": ["create", "{}/keys/new"], "over": ["rename", "{}/h1", "{}/keys"],
}


@pytest.mark.parametrize("name", COVER_MOVES)
def test_take_the_cover_off(lab, name):
    """The cover can't be moved, removed or written to from inside."""
    words = [word.format(lab.ws) for word in COVER_MOVES[name]]
    lab.legs(words, {"EBUSY", "EPERM", "EROFS", "EACCES"}, options=["--deny", lab.ws / "keys"],
             prepare=lambda: scene_of(lab, lab.ws), control=False, witness=lambda: harness.tree(lab.ws),
             without=("landlock",))


def test_move_what_is_above_the_cover(lab):
    """A folder above it can be renamed; the cover goes with it."""
    lab.file(lab.ws / "a" / "keys" / "k", SECRET)
    done = lab.run(["/bin/sh", "-c", "mv a b && mkdir -p a/keys && ls -A b/keys a/keys; cat b/keys/k a/keys/k"],
                   "--deny", lab.ws / "a" / "keys", env={"PATH": PATH})
    assert SECRET not in done.out and done.out.split() == ["a/keys:", "b/keys:"], done


UNDO = """
import os, sys, ctypes
d, secret = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
tried = []
def look(why):
    for base, folders, files in os.walk(d):
        for f in files:
            p = os.path.join(base, f)
            try:
                if secret in open(p, errors="replace").read():
                    tried.append("SHOWN " + why + " " + p)
            except OSError:
                pass
def act(why, f, *a):
    try:
        f(*a)
    except OSError as e:
        pass
    look(why)
t = d + "/token"
def exchange(a, b): return libc.renameat2(-100, a.encode(), -100, b.encode(), 2)
def write(p): open(p, "w").write("mine")
act("create", write, t); act("unlink", os.unlink, t)
act("mkdir", os.mkdir, t); act("rmdir", os.rmdir, t)
act("mkdir2", os.mkdir, d + "/new"); act("rename-dir", os.rename, d + "/new", t); act("rmdir2", os.rmdir, t)
act("symlink", os.symlink, "beside", t); act("unlink2", os.unlink, t)
act("link", os.link, d + "/beside", t); act("exchange", exchange, t, d + "/beside"); act("unlink3", os.unlink, t)
act("whiteout", lambda: libc.renameat2(-100, (d + "/beside").encode(), -100, t.encode(), 4)); act("unlink4", os.unlink, t)
act("mknod", os.mknod, t); act("rename-away", os.rename, t, d + "/away")
act("rename-above", os.rename, d, d + "2")
act("mkdir-above", os.mkdir, d); act("opaque", lambda: os.setxattr(d, "user.overlay.opaque", b"n"))
act("whiteout-attribute", lambda: os.setxattr(d, "user.overlay.whiteouts", b"x"))
act("redirect", lambda: os.setxattr(d, "user.overlay.redirect", b"/deep/er"))
print(tried or "none", os.path.exists(d))
"""


@pytest.mark.parametrize("name", ["token", "keys"])
def test_undo_a_whiteout(lab, name):
    """Mode discard: the command can make files of that name, and never gets the old one back by it."""
    scene_of(lab, lab.ws)
    if name == "keys":   # a folder in place of the file
        (lab.ws / "deep" / "er" / "token").unlink()
        lab.file(lab.ws / "deep" / "er" / "token" / "k", SECRET)
    done = lab.run([PYTHON, "-c", UNDO, lab.ws / "deep" / "er", SECRET], "--mode", "discard",
                   "--deny", lab.ws / "deep" / "er" / "token")
    assert done.out.startswith("none"), done


@pytest.mark.parametrize("mode", ["readonly", "discard"])
def test_attributes_that_steer_an_overlay(lab, mode):
    """What an earlier command has left on folders of the workspace leads to nothing that is denied."""
    scene_of(lab, lab.ws)
    for name, attributes in {"d": {"redirect": b"/deep/er"}, "e": {"opaque": b"x"}, "f": {"redirect": b"keys"}}.items():
        lab.file(lab.ws / name / "mine")
        for key, value in attributes.items():
            os.setxattr(lab.ws / name, f"user.overlay.{key}", value)
    os.setxattr(lab.ws / "plain", "user.overlay.redirect", b"/deep/er/token")
    os.setxattr(lab.ws / "plain", "user.overlay.metacopy", b"")
    done = lab.run(["/bin/sh", "-c", f"grep -r {SECRET} . ; cat d/token f/k; ls d; cat plain"], "--mode", mode,
                   "--deny", "deep/er/token", "--deny", "keys", env={"PATH": PATH})
    assert f"h1/secret:{SECRET}" in done.out and "token" not in done.out and "keys" not in done.out, done
    assert done.out.count(SECRET) == 2, done   # h1 and h[1], which nobody denied


def test_e054_glob_characters_are_letters(lab):
    """A name with brackets is no pattern: just that file is denied, and not the one a shell would take it for."""
    path = lab.outside / "h[1]" / "secret"
    read = ["--read", lab.outside]
    lab.legs(["read", path], ABSENT, options=[*read, "--deny", path], grant=read,
             prepare=lambda: scene_of(lab, lab.outside), without=("landlock",))
    assert lab.run([lab.attacker, "read", lab.outside / "h1" / "secret"], *read, "--deny", path).verdict == "ok"


def test_e054_a_star_in_a_name(lab):
    """A real star is written with a backslash; so is the name of the folder that a relative word is read from."""
    star = lab.outside / "s*"
    lab.file(star / "secret", SECRET)
    lab.file(lab.outside / "sx" / "secret", "other")
    read = ["--read", lab.outside]
    for word, cwd in ((f"{lab.outside}/s\\*/secret", None), ("secret", star), ("sec?et", star)):
        options = [*read, "--deny", word]
        assert lab.run([lab.attacker, "read", star / "secret"], *options, cwd=cwd).verdict == "ENOENT", word
        assert lab.run([lab.attacker, "read", lab.outside / "sx" / "secret"], *options, cwd=cwd).verdict == "ok", word


def test_wildcards(lab):
    """What matches at the start is absent; what doesn't is there."""
    for name in ("a/.env", "a/b/.env", ".env", "a/x.pem", "a/b/y.pem", "a/.envrc"):
        lab.file(lab.outside / name, SECRET)
    read = ["--read", lab.outside]
    done = lab.run(["/usr/bin/find", lab.outside, "-type", "f"], *read, "--deny", f"{lab.outside}/**/.env",
                   "--deny", f"{lab.outside}/?/*.pem")
    assert sorted(os.path.relpath(line, lab.outside) for line in done.out.split()) == ["a/.envrc", "a/b/y.pem"], done


def test_wildcards_through_a_link(lab):
    """A symlink in front of the first wildcard is followed."""
    lab.file(lab.outside / "real" / "k.pem", SECRET)
    (lab.outside / "link").symlink_to("real")
    done = lab.run([lab.attacker, "read", lab.outside / "real" / "k.pem"], "--read", lab.outside, "--deny",
                   f"{lab.outside}/link/*.pem")
    assert done.verdict == "ENOENT", done


@pytest.mark.parametrize("target", ["file", "folder"])
def test_e055_target_of_a_denied_link(lab, target):
    """Link and target are denied, by whatever path."""
    lab.file(lab.outside / "store" / "k", SECRET)
    link = lab.outside / "link"
    real = lab.outside / "store" / ("k" if target == "file" else "")
    link.symlink_to(real)
    read = ["--read", lab.outside]
    for path in (lab.outside / "store" / "k", link if target == "file" else link / "k"):
        lab.legs(["read", path], ABSENT, options=[*read, "--deny", link], grant=read, without=("landlock",))
    assert lab.run([lab.attacker, "lstat", link], *read, "--deny", link).verdict == "ENOENT"


def test_e055_a_link_to_a_denied_file(lab):
    """A link beside it, or one that the command makes, leads nowhere."""
    lab.file(lab.outside / "k", SECRET)
    (lab.outside / "link").symlink_to("k")
    options = ["--read", lab.outside, "--deny", lab.outside / "k"]
    assert lab.run([lab.attacker, "read", lab.outside / "link"], *options).verdict == "ENOENT"
    done = lab.run(["/bin/sh", "-c", f"ln -s {lab.outside}/k mine && cat mine"], *options, env={"PATH": PATH})
    assert SECRET not in done.out and "No such file" in done.err, done


def test_e056_a_second_hard_link(lab):
    """Another name of the file could show it: the run is refused."""
    lab.file(lab.outside / "k", SECRET)
    os.link(lab.outside / "k", lab.ws / "other")
    assert lab.plain([lab.attacker, "read", lab.ws / "other"]).verdict == "ok"
    done = lab.run(["/bin/true"], "--read", lab.outside, "--deny", lab.outside / "k")
    assert done.code == 125 and "2 names (hard links)" in done.err, done
    assert lab.run(["/bin/true"], "--deny", lab.outside / "k").code == 125   # also where nothing shows the first one
    os.unlink(lab.ws / "other")
    assert lab.run(["/bin/true"], "--read", lab.outside, "--deny", lab.outside / "k").code == 0


@pytest.mark.parametrize("tool", [["/bin/cat", "{}/deep/er/token"], [PYTHON, "-c", "print(open('{}/deep/er/token').read())"],
                                  ["/bin/cp", "-a", "{}/deep", "/tmp/copy"], ["/bin/tar", "-C", "{}", "-cf", "-", "deep"],
                                  ["/bin/grep", "-r", SECRET, "{}/deep"], ["/usr/bin/find", "{}/deep"],
                                  ["/bin/ls", "-laR", "{}/deep"]], ids=lambda t: os.path.basename(t[0]))
def test_tools(lab, tool):
    """Real tools see a tree without it: those that name it fail, the others go through it without an error."""
    scene_of(lab, lab.outside)
    words = [word.format(lab.outside) for word in tool]
    free = lab.plain(words if "cp" not in tool[0] else [*words[:-1], lab.scratch.home / "copy"])
    boxed = lab.run(words, "--read", lab.outside, "--deny", lab.outside / "deep" / "er" / "token", env={"PATH": PATH})
    named = "token" in tool[-1] or SECRET in tool
    assert free.code == 0 and (boxed.code != 0) == named, boxed
    assert SECRET not in boxed.out and (named or not boxed.err), boxed
    if os.path.basename(tool[0]) in ("find", "ls", "tar"):
        assert "beside" in boxed.out and "token" not in boxed.out and "token" in free.out


def test_git_in_a_kept_workspace(lab):
    """git sees a tracked file that is denied as deleted, which is what it is in the box, and goes on."""
    scene_of(lab, lab.ws)
    git = "git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c commit.gpgsign=false"
    setup = lab.plain(["/bin/sh", "-ec", f"{git} init -q && {git} add -A && {git} commit -qm one"], env={"PATH": PATH})
    assert setup.code == 0, setup
    done = lab.run(["/bin/sh", "-c", "git status --porcelain; git log --oneline | wc -l; git diff --stat -- plain"],
                   "--mode", "readonly", "--deny", "deep/er/token", env={"PATH": PATH})
    assert done.code == 0 and done.out.split() == ["D", "deep/er/token", "1"], done
