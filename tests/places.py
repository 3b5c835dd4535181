"""Scenes for attacks on files: a place outside the workspace that is hidden, readable or writable.

`hold` is the usual course of an attack on such a place:
  hidden    the place is granted in no way, so it isn't there: ENOENT;
  readable  --read: the mounts hold it, and where Landlock holds it too, it does so alone as well;
  writable  --write: the attack succeeds, as it did without a box.
"""
import os
import shutil

import harness


def clear(folder):
    """Empty a folder, and keep the folder itself (a box is told its path)."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def prepare(lab):
    """Set workspace and outside back: each holds a file f, dir/g, an empty folder and a link to f."""
    for folder, text in ((lab.ws, "box\n"), (lab.outside, "host\n")):
        clear(folder)
        lab.file(folder / "f", text)
        lab.file(folder / "dir" / "g", text)
        (folder / "empty").mkdir()
        (folder / "link").symlink_to("f")
        lab.own(folder / "empty", folder / "link")


def attack_without(lab, layer, attack, expect, *options, scene, witness, **more):
    """One denied leg with a layer missing, where the other layers give another errno than the whole box."""
    scene()
    before = witness()
    env = {**(more.pop("env", None) or {}), "PINFOLD_WITHOUT": layer}
    result = lab.run([lab.attacker, *attack], *options, binary=lab.layers_off, env=env, **more)
    assert result.verdict in expect, f"without the layer {layer}: expected {sorted(expect)}, saw {result}"
    assert witness() == before, f"without the layer {layer}: the witness changed"


def hold(lab, attack, *, hidden="ENOENT", read="EROFS", landlock="EACCES", grant=True, scene=None, witness=None,
         place=None, **more):
    """All legs of an attack on a place outside the workspace; see the top of this file.

    landlock  what Landlock alone gives, with the mounts left writable; None where Landlock doesn't know the call
    grant     whether --write lets it succeed (not so for a rename between two roots, which is EXDEV as between disks)
    """
    place = place or lab.outside
    scene = scene or (lambda: prepare(lab))
    witness = witness or (lambda: harness.tree(place))
    lab.legs(attack, {hidden}, prepare=scene, witness=witness, without=("mounts-readonly", "landlock"),
             grant=["--write", place] if grant else None, **more)
    more = {name: value for name, value in more.items() if name not in ("control", "control_argv")}
    readable = ["--read", place]
    lab.legs(attack, {read}, options=readable, prepare=scene, witness=witness, control=False, without=("landlock",),
             **more)
    if landlock:
        attack_without(lab, "mounts-readonly", attack, {landlock}, *readable, scene=scene, witness=witness, **more)


def in_namespace(lab, attack, before=":"):
    """The control of an attack that needs capabilities: in user and mount namespaces of its own, after a shell line."""
    words = [os.fspath(lab.attacker), *map(os.fspath, attack)]
    return ["/usr/bin/unshare", "-Urm", "/bin/sh", "-c", f'{before} && exec "$@"', "sh", *words]
