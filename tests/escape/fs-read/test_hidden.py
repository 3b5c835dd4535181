"""Looking at what is not granted: reading, existence, sizes, activity, locks (entries 59 to 61)."""
import os

import pytest

from places import far_place, prepare


def look(lab, attack, scene=None, **more):
    """Denied as not existing without a grant, given by --read."""
    lab.legs(attack, {"ENOENT"}, prepare=scene or (lambda: prepare(lab)), grant=["--read", lab.outside],
             without=("landlock", "mounts-readonly", "seccomp"), **more)


@pytest.mark.parametrize("attack", ["read", "stat", "lstat", "statx", "access", "listxattr", "open-path"])
def test_e061_probe_file(lab, attack):
    """A hidden file can't be read, and neither its existence nor its size or time be known."""
    look(lab, [attack, lab.outside / "f"])


def test_e061_handle_of_file(lab):
    """Nor can a handle be had of a hidden file. The view of a readable root below a writable folder has no handles;
    where the root is bound as it is, --read gives them."""
    with far_place(lab) as far:
        for place, granted in (lab.outside, "EOPNOTSUPP"), (far, "ok"):
            prepare(lab, place)
            lab.legs(["name-to-handle", place / "f"], {"ENOENT"}, without=("landlock", "mounts-readonly", "seccomp"))
            result = lab.run([lab.attacker, "name-to-handle", place / "f"], "--read", place)
            assert result.verdict == granted, result


@pytest.mark.parametrize("attack", ["stat", "lstat", "statx", "access", "list", "listxattr", "statfs", "chdir",
                                    "open-path"])
def test_e061_probe_folder(lab, attack):
    """Nor can a hidden folder be listed, entered or seen."""
    look(lab, [attack, lab.outside])


def test_e061_probe_symlink(lab):
    """Nor where a hidden link points."""
    look(lab, ["readlink", lab.outside / "link"])


def test_e061_probe_through_symlink(lab):
    """Nor anything through a link in the workspace."""
    def scene():
        prepare(lab)
        (lab.ws / "l").symlink_to(lab.outside)

    look(lab, ["read", lab.ws / "l" / "f"], scene=scene)
    look(lab, ["list", lab.ws / "l"], scene=scene)


def test_e061_execute(lab):
    """Nor be executed."""
    def scene():
        prepare(lab)
        script = lab.file(lab.outside / "script", "#!/bin/sh\necho ok\n", 0o755)
        assert os.access(script, os.X_OK)

    look(lab, ["execute", lab.outside / "script"], scene=scene)


def test_e061_missing_looks_the_same(lab):
    """What is hidden and what doesn't exist give the same answer."""
    prepare(lab)
    for attack in ("stat", "read", "list", "readlink", "open-path"):
        hidden = lab.run([lab.attacker, attack, lab.outside / "f"])
        missing = lab.run([lab.attacker, attack, lab.outside / "no-such-name"])
        assert (hidden.out, hidden.code) == (missing.out, missing.code)


@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private"])
def test_e061_secrets_of_the_system(lab, path):
    """What the system roots hold for root alone is not readable, also for a caller who is root; his is the control."""
    attack = "list" if os.path.isdir(path) else "read"
    control = lab.user.uid == 0 and os.path.exists(path)
    lab.legs([attack, path], {"EACCES"} if os.path.exists(path) else {"ENOENT"}, control=control)


@pytest.mark.parametrize("path", ["/root", "/home", "/var/lib", "/var/log", "/boot", "/srv", "/var/spool",
                                  "/lost+found", "/media", "/mnt"])
def test_e061_hidden_system_folders(lab, path):
    """Folders of the system that are no system roots are not there; the control is for those the user can list."""
    control = lab.plain([lab.attacker, "list", path]).verdict == "ok"
    lab.legs(["list", path], {"ENOENT"}, control=control, options=["--toolchains", "none"])   # those of the real /root


@pytest.mark.parametrize("attack, name", [("inotify", "f"), ("inotify", "."), ("dnotify", ".")])
def test_e059_watch(lab, attack, name):
    """Activity in a hidden folder can't be watched. In a readable root it can: --read gives it."""
    look(lab, [attack, lab.outside / name])


def test_e059_watch_of_system_root(lab):
    """fanotify is closed everywhere."""
    for path in (lab.ws, "/usr"):
        lab.legs(["fanotify", path], {"EPERM"}, control_argv=["fanotify", lab.ws], without=("landlock",))


@pytest.mark.parametrize("attack", ["flock", "posix-lock", "lease"])
def test_e060_lock(lab, attack):
    """A hidden file can't be locked. One in a readable root can: it is in SECURITY.md, and --read gives it."""
    look(lab, [attack, lab.outside / "f"])


def test_e061_grants_do_not_reach_up(lab):
    """A grant for a folder shows nothing of the folder above it or beside it."""
    prepare(lab)
    options = ["--read", lab.outside / "dir"]
    lab.legs(["read", lab.outside / "dir" / "g"], {"ENOENT"}, grant=options)
    for attack in (["read", lab.outside / "f"], ["read", lab.outside / "dir" / ".." / "f"],
                   ["list-name", lab.outside, "f"], ["stat", lab.outside / "empty"]):
        lab.legs(attack, {"ENOENT"}, options=options)


def test_e061_grant_of_one_file(lab):
    """A grant for a file shows nothing of the folder that it is in, and can't be written."""
    prepare(lab)
    options = ["--read", lab.outside / "f"]
    lab.legs(["read", lab.outside / "f"], {"ENOENT"}, grant=options)
    lab.legs(["list-name", lab.outside, "dir"], {"ENOENT"}, options=options)
    lab.legs(["write", lab.outside / "f"], {"EROFS"}, options=options, prepare=lambda: lab.file(lab.outside / "f"),
             witness=lambda: (lab.outside / "f").read_bytes(), grant=["--write", lab.outside / "f"])


def test_e061_home_in_a_granted_folder(lab):
    """A granted folder in which the home lies doesn't show what is in the home: an empty one stands there, which can
    be written to. A grant of the home itself does."""
    def scene():
        prepare(lab)
        lab.file(lab.home / "secret", "secret\n")

    lab.legs(["read", lab.home / "secret"], {"ENOENT"}, options=["--read", lab.scratch.path], prepare=scene,
             without=("landlock", "mounts-readonly", "seccomp"), grant=["--read", lab.home])
    script = f"ls -A {lab.home}; echo x >{lab.home}/new && cat {lab.home}/new; ls {lab.scratch.path}"
    result = lab.run(["/bin/sh", "-c", script], "--read", lab.scratch.path)
    assert result.out == "x\nhome\noutside\nws\n" and not (lab.home / "new").exists(), result
