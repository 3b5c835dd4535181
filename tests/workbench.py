"""Tools of the tests of honest work (tests/work, tests/cli): legs that must be alike, bytes, processes, mounts.

A test of honest work has two legs. The control runs without a box and must pass, else the test says nothing;
then the same command runs in the box and must pass too.
"""
import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import harness

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PYTHON = "/usr/bin/python3"


def keeps(lab, argv, *options, prepare=None, same=False, env=None, **more):
    """Run argv without a box and then in it; both must end with 0. Returns the box's result.

    prepare  called before each leg to set the scene
    same     what the box prints must be what the control printed
    """
    env = {"PATH": PATH, **(env or {})}
    scene = prepare or (lambda: None)
    scene()
    control = lab.plain(argv, env=env, **more)
    assert control.code == 0, f"control: fails without a box: {control}"
    scene()
    result = lab.run(argv, *options, env=env, **more)
    assert result.code == 0, f"in the box: {result}"
    if same:
        assert result.out == control.out, f"in the box {result.out!r}, without {control.out!r}"
    return result


def python_keeps(lab, code, *options, args=(), **more):
    """The same for a piece of Python."""
    return keeps(lab, [PYTHON, "-c", code, *args], *options, **more)


def node_keeps(lab, code, *options, **more):
    """The same for a piece of JavaScript."""
    return keeps(lab, ["/usr/bin/node", "-e", code], *options, **more)


def shell(lab, script, *options, **more):
    """Run a shell script in the box."""
    return lab.run(["/bin/sh", "-c", script], *options, env={"PATH": PATH, **more.pop("env", {})}, **more)


def box_argv(lab, argv, *options):
    """The whole command line of a run in the box, as the test's user."""
    return lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, *options, "--", *argv])


def raw(lab, argv, data=None, cwd=None, env=None, timeout=60, **more):
    """Run argv (not in the box unless it says so) with bytes in and bytes out."""
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("stderr", subprocess.PIPE)
    if data is None:
        more.setdefault("stdin", subprocess.DEVNULL)
    env = lab.environment({"PATH": PATH, **(env or {})})
    return subprocess.run(argv, input=data, cwd=cwd or lab.ws, env=env, timeout=timeout, **more)


@contextlib.contextmanager
def started(lab, argv, *options, boxed=True, env=None, cwd=None, **more):
    """A process that runs while the block does, and is killed after it. Without a box, argv has begun."""
    for stream in ("stdin", "stdout", "stderr"):
        more.setdefault(stream, subprocess.DEVNULL)
    line = box_argv(lab, argv, *options) if boxed else lab.user.argv(argv)
    process = subprocess.Popen(line, cwd=cwd or lab.ws, env=lab.environment({"PATH": PATH, **(env or {})}), **more)
    command = b"".join(os.fsencode(str(word)) + b"\0" for word in argv)
    try:
        if not boxed:
            words = Path(f"/proc/{process.pid}/cmdline")
            eventually(lambda: process.poll() is not None or words.read_bytes() == command)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


def eventually(check, seconds=5.0):
    """True as soon as check() is; False when it is still not after so many seconds."""
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def unique_seconds():
    """A time to sleep that no other process on this machine sleeps, so that it can be found again."""
    return f"{7000 + os.getpid() % 1000}.{time.monotonic_ns() % 10**9:09d}"


def sleepers(seconds):
    """Pids of processes on the host (zombies aside) that run `sleep SECONDS`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[1:2] == [seconds.encode()] and os.path.basename(words[0]) == b"sleep":
                found.append(int(folder.name))
    return found


def end(process, number=signal.SIGKILL):
    process.send_signal(number)
    return process.wait(20)


def repository(lab, path):
    """A git repository of the user's with one commit of a.txt."""
    path = Path(path)
    if not path.exists():
        path.mkdir()
        lab.own(path)
    script = ("git init -q -b main . && git config user.name t && git config user.email t@example.invalid"
              " && echo one >a.txt && git add a.txt && git commit -q -m c1")
    done = lab.plain(["/bin/sh", "-ec", script], cwd=path, env={"PATH": PATH})
    assert done.code == 0, f"scene: {done}"
    return path


def with_mounts(lab, mounts, argv):
    """argv run as the test's user in a mount namespace of its own, after the shell lines `mounts` were run there with
    the right to mount."""
    if lab.user.uid == 0:
        return ["unshare", "--mount", "--propagation", "private", "bash", "-ec", mounts + '\nexec "$@"', "bash", *argv]
    ids = [f"--map-user={lab.user.uid}", f"--map-group={lab.user.uid}"]
    drop = 'exec setpriv --inh-caps=-all --ambient-caps=-all -- "$@"'
    return lab.user.argv(["unshare", "--user", "--keep-caps", *ids, "--mount", "bash", "-ec", mounts + "\n" + drop,
                          "bash", *argv])


def run_with_mounts(lab, mounts, argv, **more):
    """(status, stdout, stderr) of the same, as text."""
    done = raw(lab, with_mounts(lab, mounts, argv), **more)
    return done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="surrogateescape")


def run_mounted(lab, mounts, argv, **more):
    """The same, but that root mounts for all users, who may mount few file systems, and argv has the host's ids."""
    if os.geteuid():
        return run_with_mounts(lab, mounts, argv, **more)
    front = ["unshare", "--mount", "--propagation", "private", "bash", "-ec", mounts + '\nexec "$@"', "bash"]
    done = raw(lab, [*front, *lab.user.argv(argv)], **more)
    return done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="surrogateescape")


def pinfold_line(lab, *words):
    """[pinfold, WORDS…] as the lab's binary."""
    return [os.fspath(harness.Lab.pinfold), *[os.fspath(w) for w in words]]


def installed(lab):
    """A copy of pinfold in a folder that no root of the test's holds."""
    copy = lab.scratch.path / "bin" / "pinfold"
    copy.parent.mkdir()
    shutil.copy(harness.Lab.pinfold, copy)
    return copy


def checkout_copy(lab):
    """A copy of the checkout, given to the test's user, without what was built."""
    copy = lab.scratch.path / "checkout"
    made = lambda name: name == ".git" or name.startswith("build")
    skip = lambda base, names: {n for n in names if made(n)} if Path(base) == harness.ROOT else set()
    shutil.copytree(harness.ROOT, copy, symlinks=True, ignore=skip)
    for base, folders, files in os.walk(copy):
        lab.own(base, *(os.path.join(base, name) for name in folders + files))
    return copy
