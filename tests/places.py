"""Scenes for attacks on files: a place outside the workspace that is hidden, readable or writable.

`hold` is the usual course of an attack on such a place:
  hidden    the place is granted in no way, so it isn't there: ENOENT;
  readable  --read: the mounts hold it, also without Landlock;
  far       --read, and Landlock alone holds it, with the mounts left writable (left out for a user who is not root
            and has no such place);
  writable  --write: the attack succeeds, as it did without a box.
The far place lies where the box has nothing writable above it: Landlock can't take away below a folder what it gives
for the folder, and the scratch folders of the tests lie below /var/tmp, which in the box is a writable place.
"""
import contextlib
import os
import pwd
import shutil
from pathlib import Path

import pytest

import harness


def clear(folder):
    """Empty a folder, and keep the folder itself (a box is told its path)."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def prepare(lab, place=None):
    """Set workspace and outside (or another place) back: each holds a file f, dir/g, an empty folder, a link to f."""
    for folder, text in ((lab.ws, "box\n"), (place or lab.outside, "host\n")):
        clear(folder)
        lab.file(folder / "f", text)
        lab.file(folder / "dir" / "g", text)
        (folder / "empty").mkdir()
        (folder / "link").symlink_to("f")
        lab.own(folder / "empty", folder / "link")


WRITABLE_IN_A_BOX = ("/tmp", "/var/tmp", "/run", "/dev/shm")


def far_base():
    """The folder in which a far place can be made, None where the user has none."""
    bases = [Path("/srv")] if os.geteuid() == 0 else [Path(home).resolve() for home in (
        Path.home(), pwd.getpwuid(os.geteuid()).pw_dir, harness.BUILD)]
    usable = (base for base in bases if os.access(base, os.W_OK | os.X_OK) and base != Path("/") and
              not any(base.is_relative_to(place) for place in WRITABLE_IN_A_BOX))
    return next(usable, None)


@contextlib.contextmanager
def far_place(lab):
    """A folder of the user's where nothing above it is writable in the box."""
    base = far_base()
    if not base:
        pytest.skip("the user has no folder outside those that are writable in a box")
    folder = base / lab.scratch.path.name
    folder.mkdir()
    lab.own(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def attack_without(lab, layer, attack, expect, *options, scene, witness, **more):
    """One denied leg with a layer missing, where the other layers give another errno than the whole box."""
    scene()
    before = witness()
    env = {**(more.pop("env", None) or {}), "PINFOLD_WITHOUT": layer}
    result = lab.run([lab.attacker, *attack], *options, binary=lab.layers_off, env=env, **more)
    assert result.verdict in expect, f"without the layer {layer}: expected {sorted(expect)}, saw {result}"
    assert witness() == before, f"without the layer {layer}: the witness changed"


def hold(lab, attack, *, hidden="ENOENT", read="EROFS", landlock="EACCES", grant=True, scene=prepare, witness=None,
         **more):
    """All legs of an attack on a place outside the workspace; see the top of this file.

    landlock  what Landlock alone gives in the far place; None where Landlock doesn't know the call
    grant     whether --write lets it succeed (not so for a rename between two roots, which is EXDEV as between disks)
    scene     called with the lab and the place before each leg
    """
    witness = witness or harness.tree
    lab.legs(attack, {hidden}, prepare=lambda: scene(lab, lab.outside), witness=lambda: witness(lab.outside),
             without=("mounts-readonly", "landlock"), grant=["--write", lab.outside] if grant else None, **more)
    more = {name: value for name, value in more.items() if name not in ("control", "control_argv")}
    lab.legs(attack, {read}, options=["--read", lab.outside], prepare=lambda: scene(lab, lab.outside),
             witness=lambda: witness(lab.outside), control=False, without=("landlock",), **more)
    if landlock and far_base():
        with far_place(lab) as far:
            words = [os.fspath(word).replace(os.fspath(lab.outside), os.fspath(far)) for word in attack]
            attack_without(lab, "mounts-readonly", words, {landlock}, "--read", far, scene=lambda: scene(lab, far),
                           witness=lambda: witness(far), **more)


def in_namespace(lab, attack, before=":"):
    """The control of an attack that needs capabilities: in user and mount namespaces of its own, after a shell line."""
    words = [os.fspath(lab.attacker), *map(os.fspath, attack)]
    return ["/usr/bin/unshare", "-Urm", "/bin/sh", "-c", f'{before} && exec "$@"', "sh", *words]
