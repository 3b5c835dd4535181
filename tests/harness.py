"""The harness: users, scratch folders, and the three legs of an escape test.

Three legs, always in this order:
  control  the attack runs without a box and must succeed (else the test proves nothing);
  denied   the attack runs in the box and must end with one of the expected results, and the witness
           (state of the host, looked at from outside) must be as it was before;
  granted  where a grant exists that allows the act, the attack must succeed in the box with it.

An attack is a command that prints one line: `ok` (with detail after it), or the name of an errno such
as EROFS. A death by signal counts as the signal's name, such as SIGSYS.
"""
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import kept
import receipts

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("PINFOLD_BUILD", ROOT / "build"))
ENTER = BUILD / "tests" / "enter"   # tests/enter.c


class User:
    """Who runs pinfold: uid and gid are the same number, supplementary groups are cleared."""

    def __init__(self, uid):
        self.uid = uid
        self.name = "root" if uid == 0 else str(uid)

    def argv(self, argv):
        if os.geteuid() == self.uid:
            return [os.fspath(a) for a in argv]
        return [*map(os.fspath, (ENTER, "user", str(self.uid), *argv))]

    def __repr__(self):
        return f"user-{self.name}"


def users():
    return [User(0), User(1000), User(65534)] if os.geteuid() == 0 else [User(os.geteuid())]


class Scratch:
    """A scratch folder of one test: ws (workspace), outside (the user's own, not granted), home."""

    def __init__(self, user):
        self.user = user
        self.path = Path(tempfile.mkdtemp(prefix="pinfold-test-", dir="/var/tmp"))
        self.path.chmod(0o755)
        self.ws, self.outside, self.home = (self.path / n for n in ("ws", "outside", "home"))
        for folder in (self.ws, self.outside, self.home):
            folder.mkdir()
        self.own(self.path, self.ws, self.outside, self.home)

    def own(self, *paths):
        """Give paths to the test's user."""
        for path in paths:
            os.chown(path, self.user.uid, self.user.uid, follow_symlinks=False)

    def file(self, path, text="host\n", mode=0o644):
        """Make a file of the user's with this text, with the folders above it."""
        path = Path(path)
        for folder in reversed([p for p in path.parents if not p.exists()]):
            folder.mkdir()
            self.own(folder)
        path.write_text(text)
        path.chmod(mode)
        self.own(path)
        return path

    def remove(self):
        try:
            shutil.rmtree(self.path, ignore_errors=True)
        except RecursionError:   # a test made it that deep
            subprocess.run(["rm", "-rf", self.path], check=True)


def tree(path):
    """What a folder holds, for comparing before and after: names, types, modes, owners, times, contents."""
    rows = []
    for base, folders, files in os.walk(path):
        for name in sorted(folders + files) + [""]:
            full = os.path.join(base, name) if name else base
            s = os.lstat(full)
            row = [full, oct(s.st_mode), s.st_uid, s.st_gid, s.st_mtime_ns]
            if stat.S_ISREG(s.st_mode):
                row += [s.st_size, Path(full).read_bytes()]
            if stat.S_ISLNK(s.st_mode):
                row += [os.readlink(full)]
            rows.append(row)
    return sorted(rows, key=lambda r: r[0])


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def verdict(self):
        """ok, an errno name, a signal name, or the whole story when it is none of these."""
        if self.code < 0:
            return signal.Signals(-self.code).name
        if self.code > 128 and self.code - 128 in [s.value for s in signal.Signals] and not self.out:
            return signal.Signals(self.code - 128).name
        line = self.out.strip().splitlines()[-1:] or [""]
        word = line[0].split(" ")[0]
        return word if word == "ok" or word.startswith("E") else repr(self)

    def __repr__(self):
        return f"status {self.code}, stdout {self.out!r}, stderr {self.err!r}"


class Lab:
    """One test's user, folders and ways to run things."""

    pinfold = BUILD / "pinfold"
    layers_off = BUILD / "pinfold-layers"   # the same code with a switch for each layer, for tests only
    attacker = BUILD / "tests" / "attacker"

    def __init__(self, user):
        self.user = user
        self.scratch = Scratch(user)
        self.ws, self.outside, self.home = self.scratch.ws, self.scratch.outside, self.scratch.home
        self.file, self.own = self.scratch.file, self.scratch.own

    def environment(self, extra=None):
        keep = {k: os.environ[k] for k in ("PATH", "LANG", "TERM") if k in os.environ}
        return {**keep, "HOME": os.fspath(self.home), **(extra or {})}

    def plain(self, argv, cwd=None, env=None, timeout=60, **more):
        """Run without a box, as the test's user."""
        more.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run(self.user.argv(argv), cwd=cwd or self.ws, env=self.environment(env), timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape", **more)
        return Result(done)

    def run(self, argv, *options, binary=None, **more):
        """Run in a box: pinfold run --workspace WS OPTIONS -- ARGV. Where ARGV names the attacker, it can be read."""
        reach = ["--read", self.attacker.parent] if any(os.fspath(self.attacker) in os.fspath(w) for w in argv) else []
        front = [binary or self.pinfold, "run", "--workspace", self.ws, *reach, *options, "--"]
        return self.plain([*front, *argv], **more)

    def receipt(self, argv, *options, **more):
        """Run in a box and return (result, receipt as a dict)."""
        path = self.scratch.path / "receipt.json"
        result = self.run(argv, "--receipt", path, *options, **more)
        return result, receipts.read(path)

    def legs(self, attack, expect, *, options=(), grant=None, prepare=None, witness=None, without=(), control=True,
             control_argv=None, **more):
        """The three legs of an attack.

        attack   words after the attacker binary, e.g. ["create", path]; or a full command when its first word has a slash
        expect   the results allowed in the box, e.g. {"EROFS", "EACCES"}
        options  pinfold options of the denied leg, e.g. ["--read", outside]
        grant    pinfold options with which the act must succeed, or None where no grant exists
        prepare  called before each leg to set the scene
        witness  called before and after the denied leg; what it returns must not change
        without  layers to switch off one by one: with each of them gone the attack must still be denied; a dict
                 {layer: expect} where the result is another then
        """
        full = lambda words: list(words) if "/" in os.fspath(words[0]) else [self.attacker, *words]
        scene = prepare or (lambda: None)
        if control:
            scene()
            result = self.plain(full(control_argv or attack), **more)
            assert result.verdict == "ok", f"control leg: the attack fails without a box: {result}"
        for layer in (None, *without):
            scene()
            before = witness() if witness else None
            if layer:
                env = {**(more.get("env") or {}), "PINFOLD_WITHOUT": layer}
                result = self.run(full(attack), *options, binary=self.layers_off, **{**more, "env": env})
            else:
                result = self.run(full(attack), *options, **more)
            where = f"without the layer {layer}" if layer else "in the box"
            allowed = without[layer] if layer and isinstance(without, dict) else expect
            assert result.verdict in allowed, f"denied leg, {where}: expected {sorted(allowed)}, saw {result}"
            if witness:
                assert witness() == before, f"denied leg, {where}: the witness changed"
        if grant is not None:
            scene()
            result = self.run(full(attack), *grant, **more)
            assert result.verdict == "ok", f"granted leg: {result}"

    def close(self):
        kept.forget(self.user.uid, self.scratch.path)
        self.scratch.remove()
