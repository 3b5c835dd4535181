"""Calls that look for toolchains of the home, made to fail one at a time: refused, or a box that shows less of them, with
every guarantee held, and never what must be hidden."""
import os
import random

import pytest

import receipts
from hosts import MARKER, degraded, in_box, nothing_ran, one_line
from rounds import recorded, rounds, rule
from test_fail_closed import how_many
from test_steps import root_and_one

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
TOOL = "#!/bin/sh\necho tool\n"
LOOKS = {"openat2", "fstat", "newfstatat", "lstat", "stat", "getdents64", "readlink", "readlinkat", "openat", "open", "read",
         "mount_setattr", "open_tree", "move_mount", "fsopen", "fsmount", "fsconfig@1:0x6", "mkdirat", "symlinkat", "mknodat"}


class Scene:
    """pyenv with files to be hidden, cargo and rustup, links of ~/.local/bin to a tool of uv, a virtual environment."""

    def __init__(self, lab):
        self.lab, home = lab, lab.home
        self.receipt, self.record = lab.scratch.path / "state-receipt.json", lab.scratch.path / "record"
        self.secret = [".pyenv/versions/1/pip.conf", ".pyenv/versions/1/envs/e/pip.conf", ".cargo/credentials.toml", ".ssh/id",
                       ".local/share/uv/python/3/pip.conf", "v/pip.conf"]
        for name in self.secret:
            lab.file(home / name, "SECRET\n")
        for name in (".pyenv/libexec/pyenv", ".cargo/bin/x", ".local/share/uv/tools/t/bin/y", ".local/bin/z", "v/bin/q"):
            lab.file(home / name, TOOL, 0o755)
        for name in (".rustup/settings.toml", ".rustup/toolchains/f", ".local/share/uv/python/3/bin/f", "v/lib/f"):
            lab.file(home / name)
        lab.file(home / "v/pyvenv.cfg", f"home = {home}/.local/share/uv/python/3/bin\n")
        (home / ".local/bin/y").symlink_to("../share/uv/tools/t/bin/y")
        (home / "v/lib64").symlink_to("lib")
        (home / "v/bin/id").symlink_to("../../.ssh/id")
        self.env = {"PATH": ":".join([*(f"{home}/{p}" for p in (".pyenv/bin", ".cargo/bin", ".local/bin", "v/bin", "unknown")), SYSTEM])}

    def run(self, rules):
        self.receipt.unlink(missing_ok=True)
        (self.lab.ws / MARKER).unlink(missing_ok=True)
        files = " ".join(f"{self.lab.home}/{name}" for name in (*self.secret, "v/bin/id"))
        script = f"true >{MARKER}; x; y; z; q; cat {files}; (: >>{self.lab.home}/.cargo/bin/x) && echo written; echo ran"
        return in_box(self.lab, "--receipt", self.receipt, command=["sh", "-c", f"exec 2>/dev/null; {script}"],
                      inner=degraded(rules), env=self.env, timeout=40)

    def undisturbed(self):
        result = self.run(f"record:{self.record}")
        assert result.out == "tool\n" * 4 + "ran\n", f"control leg: {result}"
        return [call for call in recorded(self.record)[0]
                if call.startswith(("supervisor/", "init/")) and call.partition("/")[2] in LOOKS]

    def problem(self, one):
        result = self.run(f"{rule(one)},until-execve")
        name = f"{rule(one)}: {result}"
        if "SECRET" in result.out or "written" in result.out:
            return f"HOLE: {name}"
        if result.code in (125, 126) or (result.code < 0 and not result.out):
            return None if nothing_ran(self.lab, result) and result.out == "" else f"told as refused, and it ran: {name}"
        told = receipts.read(self.receipt)
        held = {row["state"] for row in told["guarantees"].values()} == {"held"} and told["confined"] == "full"
        whole = result.code == 0 and result.out.endswith("ran\n") and set(result.out.split()) <= {"tool", "ran"}
        return None if held and whole and result.err == "" else name


@root_and_one
@how_many(25)
def test_a_look_at_a_toolchain_fails(lab, request, count):
    scene = Scene(lab)
    these = list(rounds(scene.undisturbed()))
    if count:
        seed = os.environ.get("PINFOLD_SEED") or str(random.randrange(1 << 32))
        print(f"seed: PINFOLD_SEED={seed}")
        these = random.Random(f"{seed} {request.node.name}").sample(these, min(count, len(these)))
    problems = [text for one in these if (text := scene.problem(one))]
    assert not problems, "\n".join([f"{len(problems)} of {len(these)} rounds:", *problems])


@root_and_one
@pytest.mark.parametrize("rules", ["openat2=EPERM", "getdents64=EIO", "openat2=ENOSYS", "readlinkat=EPERM"])
def test_every_look_fails(lab, rules):
    """Calls of one name, all of them."""
    result = Scene(lab).run(f"{rules},until-execve")
    assert "SECRET" not in result.out and (result.code in (0, 125, 126)), result
    assert result.code == 0 or (nothing_ran(lab, result) and one_line(result)), result
