"""Paths before the box is up: swapped roots, races, odd names, pinfold inside a root (entries 38, 51, 57, 58)."""
import os
import shutil
import threading

import pytest

import harness
from places import prepare


def in_box(lab, argv, *options, binary=None, workspace=None):
    """Run in a box with another workspace than the test's usual one."""
    words = [binary or lab.pinfold, "run", "--workspace", workspace or lab.ws, "--read", lab.attacker.parent, *options]
    return lab.plain([*words, "--", *argv], cwd=workspace)


@pytest.mark.parametrize("option", ["--read", "--write"])
def test_e051_root_swapped_for_a_symlink(lab, option):
    """A root that one run replaced by a link to another place is not followed by the next run: it is refused, or the
    box gets nothing of what the link points to. The control shows that the path does lead there without a box."""
    prepare(lab)
    parent = lab.ws / "parent"
    lab.file(parent / "sub" / "mine")
    swap = f"mv {parent}/sub {parent}/old && ln -s {lab.outside} {parent}/sub"
    result = lab.run(["/bin/sh", "-c", swap])
    assert result.code == 0 and (parent / "sub").is_symlink(), result
    assert lab.plain([lab.attacker, "read", parent / "sub" / "f"]).verdict == "ok"
    before = harness.tree(lab.outside)
    for attack in ("read", "write"):
        result = lab.run([lab.attacker, attack, parent / "sub" / "f"], option, parent / "sub")
        assert result.code == 125 or result.verdict == "ENOENT", result
    assert harness.tree(lab.outside) == before


def test_e051_workspace_swapped_for_a_symlink(lab):
    """The same for the workspace of the second run."""
    prepare(lab)
    sub = lab.file(lab.ws / "sub" / "mine").parent
    assert lab.run(["/bin/sh", "-c", f"mv {sub} {lab.ws}/old && ln -s {lab.outside} {sub}"]).code == 0
    assert lab.plain([lab.attacker, "read", sub / "f"]).verdict == "ok"
    before = harness.tree(lab.outside)
    for attack in ("read", "write"):
        result = in_box(lab, [lab.attacker, attack, sub / "f"], workspace=sub)
        assert result.code == 125 or result.verdict == "ENOENT", result
    assert harness.tree(lab.outside) == before


@pytest.mark.parametrize("option", ["--read", "--write", "--workspace"])
@pytest.mark.parametrize("path", ["link", "link/dir"])
def test_e051_link_is_refused(lab, option, path):
    """A link of the caller's on the way to a root is refused before anything starts, and the message says what to type;
    the control grants the place itself."""
    prepare(lab)
    (lab.ws / "link").unlink()
    (lab.ws / "link").symlink_to(lab.outside)
    lab.own(lab.ws / "link")
    marker = lab.home / "marker"
    before = harness.tree(lab.outside)
    words = [lab.pinfold, "run", *([] if option == "--workspace" else ["--workspace", lab.ws]), option]
    result = lab.plain([*words, lab.ws / path, "--", "/usr/bin/touch", marker])
    real = os.path.realpath(lab.ws / path)
    assert result.code == 125 and result.err.startswith("pinfold: ") and real in result.err, result
    assert not marker.exists() and harness.tree(lab.outside) == before
    inside = real if option == "--workspace" else lab.ws
    control = lab.plain([*words, real, "--", "/usr/bin/test", "-d", real], cwd=inside)
    assert control.code == 0, control


@pytest.mark.parametrize("option", ["--read", "--write", "--workspace"])
def test_e051_link_of_roots_that_a_run_moved(lab, option):
    """A link of root's that a run found in its writable root, and put in the place of a folder, is no administrator's
    doing at that place: the next run doesn't follow it."""
    if os.geteuid() != 0:
        pytest.skip("making a link that belongs to root needs root")
    prepare(lab)
    sub = lab.file(lab.ws / "sub" / "mine").parent
    (lab.ws / "roots").symlink_to(lab.outside)
    result = lab.run(["/bin/sh", "-c", f"mv {sub} {lab.ws}/old && mv {lab.ws}/roots {sub}"])
    assert result.code == 0 and sub.is_symlink(), result
    assert lab.plain([lab.attacker, "read", sub / "f"]).verdict == "ok"
    before = harness.tree(lab.outside)
    words = ["--workspace", sub] if option == "--workspace" else ["--workspace", lab.ws, option, sub]
    for attack in "read", "write":
        result = lab.plain([lab.pinfold, "run", "--read", lab.attacker.parent, *words, "--", lab.attacker, attack,
                            sub / "f"], cwd=sub if option == "--workspace" else lab.ws)
        assert result.code == 125 or result.verdict == "ENOENT", result
    assert harness.tree(lab.outside) == before


def test_e057_component_swapped_during_the_start(lab):
    """A folder of the granted path that is swapped for a link, over and over while pinfold starts, never leads to a
    mount of another place. The control shows that an open of the same path is led astray."""
    prepare(lab)
    root = lab.ws / "a" / "root"
    lab.file(root / "f", "mine\n")
    lab.file(lab.outside / "root" / "f")
    (lab.ws / "link").unlink()
    (lab.ws / "link").symlink_to(lab.outside)
    lab.own(lab.ws / "link")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            for here, there in (("a", "b"), ("link", "a"), ("a", "link"), ("b", "a")):
                os.rename(lab.ws / here, lab.ws / there)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        led_astray = 0
        for _ in range(20000):
            try:
                led_astray += (root / "f").read_text() == "host\n"
            except OSError:
                pass
            if led_astray:
                break
        outcomes = set()
        for _ in range(40):
            result = lab.run(["/bin/sh", "-c", f"cat {root}/f; echo x > {root}/new"], "--write", root)
            outcomes.add(result.code)
            assert "host" not in result.out, result
    finally:
        stop.set()
        thread.join()
    assert led_astray, "control leg: no open was led astray"
    assert not (lab.outside / "root" / "new").exists() and (lab.outside / "root" / "f").read_text() == "host\n"
    assert outcomes <= {0, 1, 2, 125, 126}, outcomes


NAMES = {
    "newline": "new\nline", "dashes": "--", "option": "--write", "space": "a b", "quote": "it's \"so\"",
    "glob": "[a]*?", "backslash": "back\\134slash", "colon": "a:b,c=d",
    "not-utf8": b"bad\xff\xfe".decode(errors="surrogateescape"),
    "escape": "\x1b[31mred", "dot": ".hidden.", "long": "n" * 255,
}


@pytest.mark.parametrize("name", list(NAMES))
@pytest.mark.parametrize("option", ["workspace", "--read", "--write"])
def test_e058_odd_names(lab, name, option):
    """A root with an odd name works like any other, or is refused whole: never something else."""
    prepare(lab)
    folder = lab.outside / NAMES[name]
    lab.file(folder / "f")
    file = os.fspath(folder / "f")
    if option == "workspace":
        result, changed = in_box(lab, [lab.attacker, "write", file], workspace=folder), in_box(
            lab, [lab.attacker, "create", folder / "new"], workspace=folder)
        allowed = "ok"
    else:
        result = lab.run([lab.attacker, "write", file], option, folder)
        changed = lab.run([lab.attacker, "create", folder / "new"], option, folder)
        allowed = "ok" if option == "--write" else "EROFS"
    assert result.code == 125 or result.verdict == allowed, result
    assert changed.code == 125 or changed.verdict == allowed, changed
    assert result.code != 125, f"an ordinary name of the file system should work: {result}"
    assert lab.run([lab.attacker, "read", lab.outside / "f"], "--read", folder).verdict == "ENOENT"


@pytest.mark.parametrize("length", [4095, 4096, 5000, 60000])
def test_e058_long_path(lab, length):
    """A path longer than the kernel takes is refused before anything starts."""
    path = os.fspath(lab.outside) + "/" + "x/" * length
    marker = lab.ws / "marker"
    for options in (["--read", path], ["--write", path[:length]]):
        result = lab.run(["/usr/bin/touch", marker], *options)
        assert result.code == 125 and not marker.exists(), result
    result = lab.plain([lab.pinfold, "run", "--workspace", path, "--", "/usr/bin/touch", marker])
    assert result.code == 125 and not marker.exists(), result


def test_e058_many_grants(lab):
    """Hundreds of grants all hold, or the run is refused: never some of them."""
    prepare(lab)
    folders = [lab.outside / f"folder{i}" for i in range(400)]
    for folder in folders:
        lab.file(folder / "f")
    options = [word for folder in folders for word in ("--read", folder)]
    line = f"cat {lab.outside}/folder*/f | wc -l; echo x > {lab.outside}/folder399/f"
    count = lab.run(["/bin/sh", "-c", line], *options)
    assert count.code in (125, 126) or count.out.strip() == "400", count
    assert all((folder / "f").read_text() == "host\n" for folder in folders)


@pytest.mark.parametrize("option", ["workspace", "--write"])
def test_e038_pinfold_inside_a_writable_root(lab, option):
    """pinfold that lies in a root that it would make writable is refused: the box could change it for the next run."""
    prepare(lab)
    root = lab.ws if option == "workspace" else lab.outside
    binary = root / "node_modules" / ".bin" / "pinfold"
    lab.file(binary)
    shutil.copy(lab.pinfold, binary)
    lab.own(binary)
    binary.chmod(0o755)
    marker = lab.ws / "marker"
    options = [] if option == "workspace" else ["--write", root]
    result = in_box(lab, ["/usr/bin/touch", marker], *options, binary=binary)
    assert result.code == 125 and not marker.exists() and result.err.startswith("pinfold: "), result
    control = in_box(lab, ["/usr/bin/touch", marker], *options)
    assert control.code == 0 and marker.exists(), f"control leg: the same run by pinfold from elsewhere: {control}"
